// Recordings of several sources of instants. Each source passes its instants in order, but some sources are
// late.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "instrumentation/recording/sealer_limits.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::testing {

// Each source has `rounds` rounds of `rows` instants. Instants of a round are `step_ns` apart (0: all at the
// same time). Round n of a source is in group n + rounds_late of that source.
struct LateSources {
  std::vector<std::int64_t> rounds_late;  // by source
  std::int64_t rounds = 20, rows = 300;
  std::int64_t step_ns = 10;
};

// Group `number`, sorted by time. Group 0 also defines the names, and one track for each source.
[[nodiscard]] trace::Batch group_of(const LateSources& sources, std::int64_t number);
// Writes all groups and finishes the file. A failure is a CHECK.
void write_late_instants(const LateSources& sources, const std::filesystem::path& path);

// Each group begins before all groups that were written before it, so there are as many runs as groups. In
// time, a group overlaps half of the group that was written before it. Ten instants share each time.
struct Backwards {
  std::int64_t groups = 100, rows = 100;
  recordings::SealerLimits limits;
};
void write_backwards(const Backwards& wanted, const std::filesystem::path& path);

}  // namespace runahead::testing
