// The output of commands: stdout, tables, losses. A command first does everything that can fail, and then
// writes to stdout, so that a failed command prints nothing there. Exception: a command that prints rows with
// StreamedOutput may fail later. Names come from untrusted traces, so their control characters never reach a
// terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gui/cli/outcome.h"
#include "gui/cli/terminal/screen_text.h"
#include "instrumentation/trace/rows/loss.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Writes lines of text to stdout. visible_text() replaces control characters. A closed pipe is not a failure;
// a full disk is a failure.
[[nodiscard]] Outcome write_stdout(std::string_view text);
[[nodiscard]] Outcome write_stdout(const ScreenText& text);
// Writes comma-separated values. The bytes are written unchanged. Exception: if stdout is a terminal,
// visible_text() replaces control characters.
[[nodiscard]] Outcome write_csv(std::string_view text);
// Writes control characters in strings, including C1 and DEL, as \u00XX.
[[nodiscard]] Outcome write_json(const nlohmann::ordered_json& object);
// Returns the text of write_json(). By default the text is one line.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

// StreamedOutput writes rows while later rows are still computed. write() passes rows on to stdout when many
// rows have collected, or when some time has passed. end() passes on the remaining rows.
class StreamedOutput {
 public:
  enum class Kind { kText, kCsv, kJson };
  explicit StreamedOutput(Kind kind) : kind_(kind) {}
  // Returns false if the reader has closed the pipe or the disk is full; further rows are dropped.
  bool write(std::string_view text);
  // True if nothing has been written to stdout yet.
  [[nodiscard]] bool held_back() const { return !passed_on_; }
  [[nodiscard]] Outcome end();

 private:
  bool due();
  bool pass_on();

  const Kind kind_;
  std::string text_;
  bool passed_on_ = false, reader_gone_ = false;
  // time of the last write to stdout; before that: time of the first write() to this object; 0: neither
  std::int64_t last_ms_ = 0;
  Outcome outcome_;
};
// Writes one line to stderr with the prefix "runahead: ". Line breaks become spaces. Other control characters
// become visible text.
void write_stderr_line(std::string_view text);

// Returns "1 slice", "2 slices", "2 processes".
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& what);

// Returns a table. Each column is as wide as its widest cell, with two spaces between columns. The first
// column is aligned left. The other columns are aligned right, unless their element in `left` is true. The
// caller may add a first row of headings.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows,
                                  const std::vector<bool>& left = {true});
// These two functions align a table whose rows come one by one. widen() increases `widths` so that `row`
// fits. aligned_row() formats one line. If a cell is wider than its column, the rest of its line is shifted
// to the right.
void widen(std::vector<std::size_t>& widths, const std::vector<std::string>& row);
[[nodiscard]] std::string aligned_row(const std::vector<std::string>& row,
                                      const std::vector<std::size_t>& widths, const std::vector<bool>& left);

// True if no rows are missing: no rows were lost (rows that were evicted on purpose do not count), and the
// writer ended the recording. A recording that was cut off lacks an unknown number of rows after its last
// block.
[[nodiscard]] bool is_complete(const trace::Trace& trace);
// True if the recording was cut off, that is, its writer did not finish the file.
[[nodiscard]] bool is_cut_off(const trace::Trace& trace);
inline constexpr std::string_view kCutOff =
    "the recording was cut off: how much its program did after the last block is not known";

// Returns the causes of losses whose count is not 0: {"buffer_full": 3}.
[[nodiscard]] nlohmann::ordered_json losses_json(const trace::LossCounts& losses);
// Returns a part of a sentence: "nothing lost", or "lost: 3 buffer_full, 1 late_row". Also says whether the
// recording was cut off, and how many older rows were evicted.
[[nodiscard]] std::string losses_in_words(const trace::Trace& trace);
// Returns one line for each cause of losses: "lost: 3 buffer_full: sentence". Empty: nothing was lost.
[[nodiscard]] std::string losses_text(const trace::LossCounts& losses);
// Returns one line for each cause of losses in the trace, plus one line about the rows that an import
// skipped. The line about skipped rows names at most `most_kinds` kinds of rows: "skipped: ftrace events:
// sched_waking 1,204; packets: android_log 12".
[[nodiscard]] std::string losses_text(const trace::Trace& trace, std::size_t most_kinds);
// Returns {"ftrace.sched_waking": 1204}: the rows that an import skipped, counted by kind, the most frequent
// kind first.
[[nodiscard]] nlohmann::ordered_json skipped_json(const trace::Trace& trace);
// If rows are missing in a file, prints the losses on stderr. Used by commands that do not print the losses
// on stdout.
void warn_of_losses(std::string_view file, const trace::Trace& trace);

}  // namespace runahead::gui
