// Recordings of sources that hand over instants at different times, each its own in their order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "instrumentation/recording/sealer_limits.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::testing {

// Of every source `rounds` rounds of `rows` instants, those of a round `step_ns` apart (0: all at one
// moment). A source's n-th round is handed over in the (n + its rounds_late)-th group.
struct LateSources {
  std::vector<std::int64_t> rounds_late;  // by source
  std::int64_t rounds = 20, rows = 300;
  std::int64_t step_ns = 10;
};

// The group of that number, by time. The first defines the tracks, one for each source, and names.
[[nodiscard]] trace::Batch group_of(const LateSources& sources, std::int64_t number);
// All groups, finished. Checks that it worked.
void write_late_instants(const LateSources& sources, const std::filesystem::path& path);

// Groups of which each begins before all that were handed over before it: as many runs as groups. A group
// reaches into the one handed over before it by half, and ten instants share a moment.
struct Backwards {
  std::int64_t groups = 100, rows = 100;
  recordings::SealerLimits limits;
};
void write_backwards(const Backwards& wanted, const std::filesystem::path& path);

}  // namespace runahead::testing
