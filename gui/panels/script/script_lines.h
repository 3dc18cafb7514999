// The figures of each line of a script: what the line enqueued, and how long it waited. A slice names its
// line in the argument "line", which is "FILE:LINE". The functions are pure, except that one reads the
// script's file. Any thread may call them on a snapshot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/timeline/lookup.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct LineFigures {
  std::uint32_t line = 0;  // from 1
  std::uint64_t enqueues = 0, waits = 0;
  Duration enqueueing{0};           // total; without the waits that lie within an enqueue
  Duration waiting{0};              // total; a wait that has not ended counts up to the watermark
  std::vector<std::string> names;   // of the ops and waits, each once, the first kMostNamesOfLine
  std::optional<SliceRef> longest;  // the longest wait that has ended; without waits, the longest enqueue
};
inline constexpr std::size_t kMostNamesOfLine = 12;

struct FileFigures {
  std::string file;                // as the trace names it
  std::vector<LineFigures> lines;  // sorted by line
};
// Returns the files of the trace whose lines enqueued or waited, the file with the most lines first. Only
// slices that begin within `range` count. Returns nothing if `cancelled` was set. O(slices of the frontends).
[[nodiscard]] std::vector<FileFigures> figures_by_line(const trace::Trace& trace, TimeRange range,
                                                       const std::atomic<bool>& cancelled);

// Returns the index of the line that took the most time: the longest waiting, or if no line waited, the
// longest enqueueing. nullopt: no line took any time.
[[nodiscard]] std::optional<std::size_t> worst_line(const std::vector<LineFigures>& lines);

// Returns where the file should be on this machine. The recording names its script; a file inside the folder
// of the script is named without this folder. nullopt: the trace does not say.
[[nodiscard]] std::optional<std::filesystem::path> path_of(const trace::Trace& trace, std::string_view file);

// Returns the lines of a text file, with spaces instead of tabs and with escapes instead of other control
// characters. nullopt: there is no such file, or it is larger than kMostTextBytes.
[[nodiscard]] std::optional<std::vector<std::string>> read_lines(const std::filesystem::path& path);
inline constexpr std::uintmax_t kMostTextBytes = 4'000'000;

}  // namespace runahead::gui
