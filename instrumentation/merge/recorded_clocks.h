// Finds how the clocks of whole recordings relate to the clock of the first recording.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/merge/process_merger.h"

namespace runahead::merge {

// The clocks of the recordings, in their order. Processes of one machine share a clock, so they are aligned
// exactly. The machines are aligned by the messages between their processes (align_clocks()); a machine
// without messages in both directions is kUnknown. Reads the flows of each recording only if the recordings
// come from several machines. Errors: as open_recording(); `stopped` (may be empty; asked from time to time)
// is true.
[[nodiscard]] Result<std::vector<ProcessClock>> clocks_of_recordings(
    std::span<const std::filesystem::path> recordings, const std::function<bool()>& stopped = {});

// The map that applies `first`, then `second`.
[[nodiscard]] ClockMap composed(const ClockMap& first, const ClockMap& second);

}  // namespace runahead::merge
