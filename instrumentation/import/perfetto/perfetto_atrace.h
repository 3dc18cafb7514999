// Atrace: what Android's programs write into the kernel's trace as text, "B|1636|draw". One line is the
// begin or the end of a slice, an instant or a value of a counter.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace runahead::importers::perfetto {

struct AtracePoint {
  enum class Kind : std::uint8_t { kBegin, kEnd, kInstant, kCounter, kAsyncBegin, kAsyncEnd };
  Kind kind = Kind::kBegin;
  std::int64_t pid = 0;     // the process as the text says it; 0: it does not
  std::string_view name;    // empty for kEnd, and for kAsyncEnd on a named track
  std::string_view track;   // of an asynchronous slice or an instant on a track of that name; else empty
  std::int64_t cookie = 0;  // what ties the end of an asynchronous slice to its begin
  double value = 0;         // kCounter

  friend bool operator==(const AtracePoint&, const AtracePoint&) = default;
};

// One text of a print event; line breaks and zeros at its end do not count. nullopt: no atrace, but any other
// text. The views point into `text`.
//   B|pid|name  E|pid  E           a slice of the writing thread; its name may hold '|'
//   S|pid|name|cookie  F|...       an asynchronous slice of the process
//   G|pid|track|name|cookie        the same, on a named track
//   H|pid|track|cookie             its end; also H|pid|track|name|cookie
//   I|pid|name  N|pid|track|name   an instant of the thread, or on a named track
//   C|pid|name|value               a counter of the process; what follows the value is left out
[[nodiscard]] std::optional<AtracePoint> parse_atrace(std::string_view text);

// A text by which capture tools tie clocks together: about the capture, not about what happened in it.
[[nodiscard]] bool is_clock_sync(std::string_view text);

}  // namespace runahead::importers::perfetto
