// SealerLimits: memory limits of a writer, so that its memory does not grow with the recording.
#pragma once

#include <cstddef>

namespace runahead::recordings {

struct SealerLimits {
  // Rows of lanes that wait to form chunks, and their levels of detail.
  std::size_t slice_bytes = std::size_t{128} << 20;
  std::size_t sample_bytes = std::size_t{64} << 20;  // of counters
  // runs in a merge, with a block of each in memory: 32 MiB for slices; 2 or more
  std::size_t runs_at_once = 64;
};

}  // namespace runahead::recordings
