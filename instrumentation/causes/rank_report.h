// RankReport: what a trace of several ranks (trace::ranks_of()) says about them: the explanation of each
// rank, and for each collective who came last and how long each rank waited for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/causes/collectives.h"
#include "instrumentation/causes/explanation.h"
#include "instrumentation/trace/ranks.h"

namespace runahead::causes {

struct RankExplanation {
  trace::Rank rank;
  Explanation explanation;
  std::vector<Collective> collectives;  // of this rank
};

// One rank's part in a collective.
struct Arrival {
  std::size_t rank = 0;        // index into RankReport::ranks
  std::size_t collective = 0;  // index into its collectives
  Duration waited{};           // for the rank that came last
};

struct SharedCollective {
  CollectiveKind kind = CollectiveKind::kOther;
  std::string group;
  std::int64_t step = -1;         // -1: unknown
  TimeRange range;                // from the first arrival to the last end
  std::vector<Arrival> arrivals;  // by rank; at least two
  // The rank that came last. nullopt: the two last ones came within the error of the clocks.
  std::optional<std::size_t> last;
  [[nodiscard]] Duration waited() const;  // by all ranks together
};

// How much the other ranks waited for a rank, in the collectives of one step, or of the whole trace.
struct Straggling {
  std::int64_t step = -1;
  std::size_t rank = 0;
  std::uint64_t collectives = 0;  // in which it took part
  std::uint64_t came_last = 0;
  // Waiting time of all other ranks together, in the collectives in which it came last.
  Duration caused{};
  // The rank that waited longest for it, and how long; equal to `rank`: none did. Only in
  // RankReport::by_rank.
  std::size_t longest_waiting = 0;
  Duration longest{};
};

struct RankReport {
  std::vector<RankExplanation> ranks;
  std::vector<SharedCollective> collectives;  // by time
  std::vector<Straggling> by_rank;            // one for each rank
  std::vector<Straggling> by_step;            // for each step the rank that caused most waiting, if any did
  std::vector<Finding> findings;              // about ranks; those of each rank are in its explanation
  std::vector<std::string> to_record;         // what the traces lack
  [[nodiscard]] Duration waited() const;      // by all ranks, in all collectives
};

// REQUIRES: trace::ranks_of(trace) is not empty. Any thread may call it on a snapshot. The time is that of
// explain() for each rank, and of match_collectives() for each pair of ranks.
[[nodiscard]] RankReport explain_ranks(const trace::Trace& trace, const ExplainOptions& options = {});
// The same for graphs that are there already, one for each rank.
[[nodiscard]] RankReport explain_ranks(const Synchronisations& known, const ExplainOptions& options = {});

}  // namespace runahead::causes
