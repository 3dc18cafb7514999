// join_ranks(): the programs of the ranks of a distributed run as one Program, in which ranks wait for one
// another. A collective that waits for all ranks becomes two ops on the stream of each rank:
//
//   arrival   takes no time, and depends on what the collective depended on
//   transfer  depends on the arrivals of all ranks, and takes the time from the last arrival to the end
//
//   recording    rank 0  [ collective: waits | transfers ]     prediction with a faster rank 1
//                rank 1  [ slow kernel      ][ transfers ]     rank 0  [   ][ transfers ]
//                                                              rank 1  [   ][ transfers ]
//
// Steps are those of the first rank. Internal to predict.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "instrumentation/predict/read_program.h"
#include "instrumentation/trace/ranks.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

struct RankToJoin {
  trace::Rank rank;
  RunToReplay run;
  std::vector<Timestamp> begins;                             // of each op, in the joined trace
  std::map<std::pair<TrackId, Timestamp>, OpIndex> op_at{};  // by stream and begin
};

// REQUIRES: `ranks` are those of `trace`, in their order, at least one. O(n log n), and
// causes::explain_ranks().
[[nodiscard]] RunToReplay join_ranks(const trace::Trace& trace, const std::vector<RankToJoin>& ranks);

}  // namespace runahead::predict
