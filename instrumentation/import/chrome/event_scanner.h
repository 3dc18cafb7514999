// EventScanner: finds where the events of a Chrome trace begin and end. The text may be cut off or invalid.
// The scanner reads the text through a window, so memory does not grow with the file. The scanner looks only
// at quotes, braces and brackets; json_event.h parses the events.
//
// Method: each block of 64 bytes becomes bit masks (quotes, backslashes, brackets). The masks give the
// positions of all brackets outside strings; the scanner then follows the nesting from bracket to bracket.
//
// A file is an array of events, or an object with such an array under "traceEvents". The scanner tolerates a
// missing or doubled comma, a missing end, and text after the end. After an event that never ends, the
// scanner continues at the next place that looks like the start of an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/import/chrome/text_stream.h"

namespace runahead::importers {

class EventScanner {
 public:
  // Number of bytes after the text of an event that must be readable: simdjson reads them but does not use
  // them.
  static constexpr std::size_t kPaddingBytes = 64;
  // A larger event counts as damage.
  static constexpr std::size_t kMostEventBytes = 32u << 20;

  explicit EventScanner(TextStream& stream) : stream_(stream) {}  // `stream` must outlive this object

  // The text of the next event including its braces, valid until the next call; nullopt at the end.
  [[nodiscard]] std::optional<std::string_view> next();

  // The functions below return final values once next() has returned nullopt.
  // True if the text has a list of events.
  [[nodiscard]] bool found_events() const { return found_events_; }
  // All members of the outermost object except the events, as JSON text. Large members are omitted.
  [[nodiscard]] const std::map<std::string, std::string>& members() const { return members_; }
  // Number of values between events that are not events: numbers, words, arrays.
  [[nodiscard]] std::uint64_t strays() const { return strays_; }
  // Number of bytes in events that never end; usually this is the last event of a file that was cut off.
  [[nodiscard]] std::uint64_t cut_bytes() const { return cut_bytes_; }
  // True if the text ended before its list of events or its outermost object ended.
  [[nodiscard]] bool unclosed() const { return state_ != State::kDone; }

 private:
  enum class State : std::uint8_t { kStart, kObject, kEvents, kDone };

  // Reads more text and indexes it (finds its brackets). Of the old text, keeps only the bytes from offset
  // keep_ on. Returns false at the end of the text.
  bool more();
  void index(std::size_t end);
  void index_block(const char* block, std::size_t base);
  // Reads text until marks_[next_mark_] exists. Returns false at the end of the text.
  bool have_mark();
  void drop_long_gap();
  void open_container(char mark);
  void in_object(char mark);
  [[nodiscard]] std::optional<std::string_view> in_events(char mark);
  // Skips the object or array whose opening bracket is the next mark. If its text does not fit into the
  // window and has more than `most_kept` bytes, the text is dropped (kept_whole_ is false). False: the value
  // never ends, or is an event of more than kMostEventBytes.
  bool skip_nested(std::size_t most_kept);
  void take_member_text(std::string_view gap);
  void keep_member(std::string_view value);
  void look_for_strays(std::size_t end);
  bool resume_behind_damage();
  void leave_object();

  [[nodiscard]] std::size_t mark() const { return marks_[next_mark_]; }

  TextStream& stream_;
  State state_ = State::kStart;
  std::vector<char> text_;
  std::size_t size_ = 0;            // bytes of text in text_
  std::size_t indexed_ = 0;         // bytes of text_ that are indexed
  std::size_t keep_ = 0;            // bytes before this offset are no longer needed
  std::vector<std::size_t> marks_;  // offsets of the braces and brackets outside strings
  std::size_t next_mark_ = 0;
  bool in_string_ = false, escaped_ = false;  // state at indexed_
  bool ended_ = false;                        // the stream has ended
  bool object_ = false;                       // the outermost value is an object
  bool found_events_ = false, kept_whole_ = true;
  std::string key_;  // key of the member whose value comes next
  std::map<std::string, std::string> members_;
  std::uint64_t strays_ = 0, cut_bytes_ = 0;
  int resumed_ = 0;
};

}  // namespace runahead::importers
