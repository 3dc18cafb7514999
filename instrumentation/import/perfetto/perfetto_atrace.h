// Atrace: text that Android programs write into the kernel's trace, such as "B|1636|draw". One line is the
// begin or end of a slice, an instant, or a value of a counter.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace runahead::importers::perfetto {

struct AtracePoint {
  enum class Kind : std::uint8_t { kBegin, kEnd, kInstant, kCounter, kAsyncBegin, kAsyncEnd };
  Kind kind = Kind::kBegin;
  std::int64_t pid = 0;     // process id in the text; 0: the text has none
  std::string_view name;    // empty for kEnd, and for kAsyncEnd on a named track
  std::string_view track;   // track of an asynchronous slice or instant on a named track; otherwise empty
  std::int64_t cookie = 0;  // the same number in the begin and the end of an asynchronous slice
  double value = 0;         // kCounter

  friend bool operator==(const AtracePoint&, const AtracePoint&) = default;
};

// Parses the text of one print event; ignores line breaks and zero bytes at its end. nullopt: the text is not
// atrace. The views point into `text`.
//   B|pid|name  E|pid  E           a slice of the writing thread; its name may contain '|'
//   S|pid|name|cookie  F|...       an asynchronous slice of the process
//   G|pid|track|name|cookie        an asynchronous slice on a named track
//   H|pid|track|cookie             the end of that slice; also H|pid|track|name|cookie
//   I|pid|name  N|pid|track|name   an instant of the thread, or on a named track
//   C|pid|name|value               a counter of the process; text after the value is ignored
[[nodiscard]] std::optional<AtracePoint> parse_atrace(std::string_view text);

// True if a capture tool wrote this text to synchronise clocks. Such a text is not an event of the program,
// so it is ignored and not counted as a loss.
[[nodiscard]] bool is_clock_sync(std::string_view text);

}  // namespace runahead::importers::perfetto
