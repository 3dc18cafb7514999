// Makes recordings of many lanes and counters. The writer is given little memory. Only a few lanes and
// counters are busy.
#pragma once

#include <filesystem>

#include "instrumentation/recording/sealer_limits.h"

namespace runahead::testing {

struct ManyLanes {
  int lanes = 60, counters = 40;  // each has a separate track; every eighth is busy
  int groups = 80;
  recordings::SealerLimits limits{.slice_bytes = 256u << 10, .sample_bytes = 64u << 10, .runs_at_once = 2};
};

// Writes random rows, made from the test's seed. A failure aborts the program (RUNAHEAD_CHECK).
void write_many_lanes(const ManyLanes& wanted, const std::filesystem::path& path);

}  // namespace runahead::testing
