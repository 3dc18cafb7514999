// A trace as one HTML page, which a browser opens without a server and without a network. The page contains
// the viewer (viewer.cpp as WebAssembly, viewer.js), the recording, and the report (report.h), packed by
// deflate and base64.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "gui/web/report/compared_section.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// A recording that a program is still writing, whose page `runahead serve` makes. The page asks its server
// for what was added (follow.js).
struct FollowedRecording {
  std::string version{};  // of the recording in the page
  // A file with the blocks for the page, without compression, and the number of their stream, so that the
  // page asks only for what comes behind them. Empty: the page has the trace, and asks for the whole
  // recording each time.
  std::filesystem::path blocks{};
  std::uint64_t stream = 0;
};

struct PageOptions {
  std::string title;                            // any text; the page shows it as text
  std::optional<FollowedRecording> followed{};  // nullopt: the page makes no request
  std::string lesson;  // a lesson that asks before it shows the trace (sheet_text()); empty: none
  // Only the rows of this time, which is shown at first, and its report is about this time; nullopt: all of
  // the trace.
  std::optional<TimeRange> range;
  // The page shows this comparison: side A above, side B below, and the first section of the report. Not with
  // `range`. If B is another trace, each of both has half of the bytes that `most_bytes` leaves for them.
  std::optional<PageComparison> compared{};
  // The page has at most so many bytes: if the trace needs more, the page has a summary of it
  // (reduced_recording.h), and says so. 0: no limit.
  std::uint64_t most_bytes = 0;
};

// What was written.
struct WrittenPage {
  std::uint64_t bytes = 0;
  // The page has a summary: slices shorter than this are joined; 0: it is exact. Of a comparison: the larger
  // one of both traces.
  Duration joined_below{};
};

// True if this build contains the viewer. Otherwise write_page() returns an error that says what was missing
// when it was built.
[[nodiscard]] bool pages_supported();

// Writes the page. If writing fails or `progress` cancels, no incomplete file is left. Needs memory for one
// block; a temporary file beside `path` holds the unpacked recording meanwhile. With most_bytes the trace is
// read several times, until the finest summary that fits is found. Error: even a summary with one block for
// each lane has more bytes.
[[nodiscard]] Result<WrittenPage> write_page(const trace::Trace& trace, const std::filesystem::path& path,
                                             const PageOptions& options,
                                             const recordings::Progress& progress = {});

// `text` with the characters that have a meaning in HTML replaced.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace runahead::gui
