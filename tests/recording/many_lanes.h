// Recordings of many lanes and counters, few of them busy, by a writer that may keep little of them.
#pragma once

#include <filesystem>

#include "instrumentation/recording/sealer_limits.h"

namespace runahead::testing {

struct ManyLanes {
  int lanes = 60, counters = 40;  // a track each; every eighth is busy
  int groups = 80;
  recordings::SealerLimits limits{.slice_bytes = 256u << 10, .sample_bytes = 64u << 10, .runs_at_once = 2};
};

// At random from the test's seed. Checks that it worked.
void write_many_lanes(const ManyLanes& wanted, const std::filesystem::path& path);

}  // namespace runahead::testing
