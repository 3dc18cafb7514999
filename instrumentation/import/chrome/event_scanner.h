// EventScanner: finds where the events of a Chrome trace begin and end, in a text that need not be whole or
// valid, through a window: memory does not grow with the file. It looks at quotes, braces and brackets alone;
// what an event says is for the parser (json_event.h).
//
// A file is an array of events, or an object with one under "traceEvents". A missing or doubled comma, a
// missing end and what follows an end are no hindrance. Where an event never ends the scanner goes on at the
// next place that looks like the start of one.
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
  // Bytes behind an event's text that may be read (not used): what simdjson asks for.
  static constexpr std::size_t kPaddingBytes = 64;
  // No event is larger than this; what claims to be is damage.
  static constexpr std::size_t kMostEventBytes = 32u << 20;

  explicit EventScanner(TextStream& stream) : stream_(stream) {}  // must outlive this

  // The text of the next event, braces included, valid until the next call; nullopt at the end.
  [[nodiscard]] std::optional<std::string_view> next();

  // The rest is complete once next() has returned nullopt.
  // Whether there was anything like a list of events.
  [[nodiscard]] bool found_events() const { return found_events_; }
  // The members of the outermost object beside the events, as JSON text (large ones are left out).
  [[nodiscard]] const std::map<std::string, std::string>& members() const { return members_; }
  // Things between events that are none: a number, a word, an array.
  [[nodiscard]] std::uint64_t strays() const { return strays_; }
  // Bytes of events that never end: of the one that a file was cut off in, mostly.
  [[nodiscard]] std::uint64_t cut_bytes() const { return cut_bytes_; }
  // Whether the text ended before its list of events or its outermost object did.
  [[nodiscard]] bool unclosed() const { return state_ != State::kDone; }

 private:
  enum class State : std::uint8_t { kStart, kObject, kEvents, kDone };

  // Reads and indexes more text, keeping [keep_, ...); false at the end.
  bool more();
  void index(std::size_t end);
  void index_block(const char* block, std::size_t base);
  // Makes next_mark_ valid; false at the end of the text.
  bool have_mark();
  void drop_long_gap();
  void open_container(char mark);
  void in_object(char mark);
  [[nodiscard]] std::optional<std::string_view> in_events(char mark);
  // Moves behind the bracket that ends what begins at the next mark; false where it never ends.
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
  std::size_t size_ = 0;            // of what text_ holds
  std::size_t indexed_ = 0;         // of that, indexed
  std::size_t keep_ = 0;            // what is before is no longer needed
  std::vector<std::size_t> marks_;  // braces and brackets outside strings, by place
  std::size_t next_mark_ = 0;
  bool in_string_ = false, escaped_ = false;  // at indexed_
  bool ended_ = false;                        // the stream
  bool object_ = false;                       // the outermost thing is an object
  bool found_events_ = false, kept_whole_ = true;
  std::string key_;  // of the member whose value comes
  std::map<std::string, std::string> members_;
  std::uint64_t strays_ = 0, cut_bytes_ = 0;
  int resumed_ = 0;
};

}  // namespace runahead::importers
