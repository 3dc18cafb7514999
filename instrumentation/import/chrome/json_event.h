// One event of a Chrome trace as it stands in the file: its members read, not yet understood. simdjson reads
// it; what it refuses (raw line breaks and Latin-1 bytes in strings) is mended and read again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/import/common/import_names.h"

namespace runahead::importers {
using namespace trace;

// What a pid, a tid or an id says. The number 7, 7.0 and the text "7" are one, and so are 16 and "0x10".
struct EventKey {
  enum class Kind : std::uint8_t { kNone, kNumber, kText, kLarge };
  Kind kind = Kind::kNone;
  std::int64_t value = 0;  // kText: the StringId; kLarge: the bits of a number from 2^63 on
  friend auto operator<=>(const EventKey&, const EventKey&) = default;
};

// The key of a whole number: decimal, or "0x..." without a sign. kNone: it is none.
[[nodiscard]] EventKey number_key(std::string_view text);

struct ChromeEvent {
  char phase = 0;  // 0: it has none
  char scope = 0;  // of an instant: t, p, g
  bool has_time = false, has_duration = false;
  bool bad_time = false;      // `ts` is there and says no time
  bool has_local_id = false;  // `id` is of its process alone
  bool binds_to_enclosing = false, flow_in = false, flow_out = false;
  std::int64_t ts_ns = 0, duration_ns = 0;
  StringId name{}, category{};
  EventKey pid, tid, id, bind_id;
  ArgSet args;  // objects and arrays as their JSON text
};

class EventParser {
 public:
  explicit EventParser(ImportNames& names);  // must outlive this
  ~EventParser();
  // Reads the object `text`, behind which EventScanner::kPaddingBytes more may be read. False: it is no JSON,
  // even mended. `out` keeps its memory from call to call.
  [[nodiscard]] bool parse(std::string_view text, ChromeEvent& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Makes raw control characters in strings escapes, and bytes that are not UTF-8 the characters they are in
// Latin-1.
[[nodiscard]] std::string repaired_json(std::string_view text);
// Replaces the escapes of a JSON string; what is no escape stays as it is.
void unescape_json(std::string_view text, std::string& out);

}  // namespace runahead::importers
