// SealerLimits: memory limits of a writer, so that its memory does not grow with the recording.
#pragma once

#include <cstddef>

namespace runahead::recordings {

struct SealerLimits {
  // Memory limit for the slices that wait to form chunks, and for the bins (levels of detail) that are not
  // written yet.
  std::size_t slice_bytes = std::size_t{128} << 20;
  // memory limit for the samples of counters that wait to form chunks
  std::size_t sample_bytes = std::size_t{64} << 20;
  // a merge reads at most this many runs at once, 2 or more. One block of each run is in memory: together 24
  // MiB for 64 runs of slices.
  std::size_t runs_at_once = 64;
};

}  // namespace runahead::recordings
