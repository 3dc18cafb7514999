// Joins traces of several processes or ranks, of any format, into one recording with one time.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/merge/process_merger.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::merge {

// Writes the recording `out`; messages call it `shown`. The first file is the reference. A file that is no
// recording is first converted to one, in a folder of its own in TMPDIR. So only one trace at a time is in
// memory. The clocks are aligned in this order of preference:
//   kShared       recordings of processes of one machine
//   kMessages     recordings with messages between their processes
//   kCollectives  traces of ranks with collectives in common, if the dates of their begins do not contradict
//   kDates        traces with the dates of their begins, within a day of each other
// `progress` may be empty; if it returns false, the result is the error "stopped". Errors: a file cannot be
// read or is still being written; the folder or `out` cannot be written.
[[nodiscard]] Result<std::vector<ProcessMerger::Process>> join_traces(
    std::span<const std::filesystem::path> files, const std::filesystem::path& out,
    const std::filesystem::path& shown, const recordings::Progress& progress = {});

// Joins the traces in a temporary file and opens it. The file is removed at once, so it takes space only
// until the trace is destroyed.
[[nodiscard]] Result<trace::Trace> open_joined(std::span<const std::filesystem::path> files,
                                               const recordings::Progress& progress = {},
                                               const recordings::OpenOptions& options = {});

}  // namespace runahead::merge
