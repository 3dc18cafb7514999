// Writes a recording of a part of a trace, or of a summary of it, for a page (reduction.h).
#pragma once

#include <filesystem>

#include "gui/web/reduction.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// Writes the recording into `file`, without compression and without the blocks for opening a part of it.
// Messages call it `shown`. Ops shorter than T, with their flows and dependencies, allocations shorter than
// T, and flows without an op are left out of a summary. The metadata of the recording says what was reduced
// (reduction_in()). Memory: the ids of names, and of ops that are kept.
[[nodiscard]] Status save_reduced(const TemporaryFile& file, const std::filesystem::path& shown,
                                  const trace::Trace& trace, const Reduction& reduction,
                                  const recordings::Progress& progress);

}  // namespace runahead::gui
