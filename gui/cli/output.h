// What commands write: all of stdout at once, when there is nothing left that can fail; tables; losses. Names
// come from traces of anybody: no control character of theirs reaches a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gui/cli/outcome.h"
#include "instrumentation/trace/rows/loss.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Text of lines to stdout, by visible_text(). A reader that has gone is no failure; a full disk is.
[[nodiscard]] Outcome write_stdout(std::string_view text);
// Comma-separated values: byte by byte as they are, but as visible text where stdout is a terminal.
[[nodiscard]] Outcome write_csv(std::string_view text);
// Control characters in strings are written as \u00XX, the C1 ones and DEL too.
[[nodiscard]] Outcome write_json(const nlohmann::ordered_json& object);
// The same as text, on one line.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

// For rows that are written while more of them come. write() passes on what came so far once it is much, or
// once some time has passed; end() passes on the rest.
class StreamedOutput {
 public:
  enum class Kind { kText, kCsv, kJson };
  explicit StreamedOutput(Kind kind) : kind_(kind) {}
  // False: nobody reads any more, or the disk is full; what comes further is left out.
  bool write(std::string_view text);
  // Whether nothing has reached stdout yet.
  [[nodiscard]] bool held_back() const { return !passed_on_; }
  [[nodiscard]] Outcome end();

 private:
  bool due();
  bool pass_on();

  const Kind kind_;
  std::string text_;
  bool passed_on_ = false, reader_gone_ = false;
  std::int64_t last_ms_ = 0;  // when something was passed on; 0: never
  Outcome outcome_;
};
// One line to stderr, "runahead: " before it; line breaks in it become spaces, other control characters
// visible.
void write_stderr_line(std::string_view text);

// Columns padded to their widest cell, two spaces between; the first column to the left, others to the right
// unless `left` names them. A first row of headings is the caller's.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows,
                                  const std::vector<bool>& left = {true});
// The same row by row: widths that hold `row` too, and one line. A cell that is wider pushes what follows to
// the right.
void widen(std::vector<std::size_t>& widths, const std::vector<std::string>& row);
[[nodiscard]] std::string aligned_row(const std::vector<std::string>& row,
                                      const std::vector<std::size_t>& widths, const std::vector<bool>& left);

// Nothing is missing: no facts were lost, and a recording was ended by its writer. One that was cut off lacks
// what was made after its last block, and nobody knows how much that is.
[[nodiscard]] bool is_complete(const trace::Trace& trace);
// A recording without its end.
[[nodiscard]] bool is_cut_off(const trace::Trace& trace);
inline constexpr std::string_view kCutOff =
    "the recording was cut off: how much its program did after the last block is not known";

// {"buffer_full": 3}: causes that counted something.
[[nodiscard]] nlohmann::ordered_json losses_json(const trace::LossCounts& losses);
// One line a cause: "lost: 3 buffer_full: sentence". Empty when nothing was.
[[nodiscard]] std::string losses_text(const trace::LossCounts& losses);
// The same of a trace, with what an import skipped, at most `most_kinds` of it by name: a line "skipped:
// ftrace events: sched_waking 1,204; packets: android_log 12".
[[nodiscard]] std::string losses_text(const trace::Trace& trace, std::size_t most_kinds);
// {"ftrace.sched_waking": 1204}: all that an import skipped, by kind, the most frequent first.
[[nodiscard]] nlohmann::ordered_json skipped_json(const trace::Trace& trace);
// For commands whose stdout has no room for it: says on stderr what a file lost, if facts are missing.
void warn_of_losses(std::string_view file, const trace::Trace& trace);

}  // namespace runahead::gui
