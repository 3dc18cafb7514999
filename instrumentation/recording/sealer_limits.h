// SealerLimits: memory limits of a writer, so that its memory does not grow with the recording.
#pragma once

#include <cstddef>

namespace runahead::recordings {

struct SealerLimits {
  // Memory limit for the slices that wait to form chunks, and for the levels of detail of these lanes.
  std::size_t slice_bytes = std::size_t{128} << 20;
  std::size_t sample_bytes = std::size_t{64} << 20;  // the same for counters
  // number of runs in a merge, 2 or more. One block of each run is in memory: together 24 MiB for 64 runs of
  // slices.
  std::size_t runs_at_once = 64;
};

}  // namespace runahead::recordings
