// Makes recordings with several sources of instants. Each source delivers its instants in order, but some
// sources deliver them a few groups too late. A group is a batch that the writer writes at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "instrumentation/recording/sealer_limits.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::testing {

// A source delivers its instants in `rounds` portions, called rounds. Each round has `rows` instants. Within
// a round, the time between two instants is `step_ns` (0: all instants have the same time). Round n of source
// s is written in group n + rounds_late[s].
struct LateSources {
  std::vector<std::int64_t> rounds_late;  // one entry for each source
  std::int64_t rounds = 20, rows = 300;
  std::int64_t step_ns = 10;
};

// Group `number`, sorted by time. Group 0 also defines the names, and one track for each source.
[[nodiscard]] trace::Batch group_of(const LateSources& sources, std::int64_t number);
// Writes all groups and finishes the file. A failure aborts the program (RUNAHEAD_CHECK).
void write_late_instants(const LateSources& sources, const std::filesystem::path& path);

// Each group begins earlier than all groups that were written before it. Therefore the writer has to merge as
// many runs (sequences of rows sorted by time) as there are groups. The time range of a group overlaps half
// of the previous group's time range. In each group, each time occurs in up to ten instants.
struct Backwards {
  std::int64_t groups = 100, rows = 100;
  recordings::SealerLimits limits;
};
void write_backwards(const Backwards& wanted, const std::filesystem::path& path);

}  // namespace runahead::testing
