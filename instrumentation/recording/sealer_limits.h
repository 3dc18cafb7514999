// SealerLimits: what a writer keeps at most, so that its memory does not grow with what it writes.
#pragma once

#include <cstddef>

namespace runahead::recordings {

struct SealerLimits {
  std::size_t slice_bytes = std::size_t{128}
                            << 20;  // rows of lanes on their way to pieces, and their digests
  std::size_t sample_bytes = std::size_t{64} << 20;  // of counters
  std::size_t runs_at_once = 64;  // in a merge, a block of each: 32 MiB of so many, of slices; 2 or more
};

}  // namespace runahead::recordings
