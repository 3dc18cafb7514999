// Parses one event of a Chrome trace with simdjson. The members are read but not interpreted. Text that
// simdjson rejects (raw line breaks and Latin-1 bytes in strings) is repaired and parsed again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/import/common/import_names.h"

namespace runahead::importers {
using namespace trace;

// The value of a pid, a tid or an id. 7, 7.0 and the string "7" are equal; 16 and "0x10" are equal too.
struct EventKey {
  enum class Kind : std::uint8_t { kNone, kNumber, kText, kLarge };
  Kind kind = Kind::kNone;
  std::int64_t value = 0;  // kText: the StringId; kLarge: the bits of a number of at least 2^63
  friend auto operator<=>(const EventKey&, const EventKey&) = default;
};

// Reads a whole number: decimal, or hexadecimal ("0x...", without a sign). kNone: `text` is not a whole
// number.
[[nodiscard]] EventKey number_key(std::string_view text);

struct ChromeEvent {
  char phase = 0;  // 0: the event has no phase
  char scope = 0;  // scope of an instant: t (thread), p (process) or g (global)
  bool has_time = false, has_duration = false;
  bool bad_time = false;      // `ts` is present but is not a time
  bool has_local_id = false;  // `id` is valid only within the event's process
  bool binds_to_enclosing = false, flow_in = false, flow_out = false;
  std::int64_t ts_ns = 0, duration_ns = 0;
  StringId name{}, category{};
  EventKey pid, tid, id, bind_id;
  ArgSet args;  // objects and arrays are stored as their JSON text
};

class EventParser {
 public:
  explicit EventParser(ImportNames& names);  // must outlive this
  ~EventParser();
  // Parses the object `text`. EventScanner::kPaddingBytes bytes after `text` must be readable. False: `text`
  // is not JSON, even after repair. `out` reuses its memory from call to call.
  [[nodiscard]] bool parse(std::string_view text, ChromeEvent& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Replaces raw control characters in strings by escapes. Replaces each byte that is not UTF-8 by the Latin-1
// character with this byte value.
[[nodiscard]] std::string repaired_json(std::string_view text);
// Replaces each escape in the text of a JSON string by the character that it stands for. An invalid escape
// stays as it is.
void unescape_json(std::string_view text, std::string& out);

}  // namespace runahead::importers
