// rank_changes(): what would help most. It predicts a list of changes of a run, and sorts them by their gain:
//
//   op:NAME=0.5       the ops or kernels of the names with the largest busy time
//   sync:PLACE=drop   the synchronisations that blocked longest (traces of other tools)
//   pinned=1          copies of pageable memory
//   frontend=0.5
//   loading=ahead     slices that load data
//   graph=1           launches of each step as a graph (traces of other tools)
//   streams=2         a second stream of each device: at most (runs of our engine)
//   workers=N+1       one worker of device cpu more
//   alloc=execute, order=oldest, and each other barrier (runs of our engine)
//
// A change that cannot be applied, or gains less than 0.1 % of the rate and saves less than 1 % of the peak
// memory, is left out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/predict/forecast.h"
#include "instrumentation/predict/prediction.h"

namespace runahead::predict {

enum class CandidateKind : std::uint8_t {
  kFasterOp,
  kDroppedSync,
  kPinnedCopies,
  kFasterFrontend,
  kMoreWorkers,
  kLaterAllocation,
  kOldestFirst,
  kOtherBarrier,
  kMoreStreams,
  kGraph,
  kLoadingAhead,
};
// "op", "sync", "pinned", "frontend", "workers", "alloc", "order", "barrier", "streams", "graph", "loading".
[[nodiscard]] std::string_view key_of(CandidateKind kind);

struct Candidate {
  std::vector<Change> changes;  // at least one
  CandidateKind kind{};
  double steps_per_s = 0;
  Interval interval;  // of steps_per_s
  // predicted / unchanged - 1, of steps_per_s; low and high are those of the interval.
  double gain = 0, gain_low = 0, gain_high = 0;
  // The sum over the devices, and its change: predicted / unchanged - 1. 0: memory is not known.
  std::int64_t peak_bytes = 0;
  double peak_change = 0;
};

// "barrier=none", or several changes with a space between them.
[[nodiscard]] std::string joined(const std::vector<Change>& changes);

struct RankOptions {
  std::size_t most_names = 12, most_places = 12;
  // The most ops and events that are simulated, over all changes: 5 s on a usual machine. A large program has
  // fewer candidates, and only the first of them have an interval of their own; the others have that of the
  // unchanged run.
  std::uint64_t most_simulated = 150'000'000;
  // Called with the part that is done, 0..1. false: cancel.
  std::function<bool(double)> progress;
};

// The figures of the unchanged run, with which those of changes are compared.
[[nodiscard]] RunFigures base_figures(const Replay& replay);

// The figures of one prediction, with its interval. `program` is that of the replay with the changes, and
// `outcome` its simulation. It simulates the program Replay::group_count() times. If the replay is_recent(),
// they are settled figures (forecast.h).
[[nodiscard]] Candidate figures_of(const Replay& replay, std::vector<Change> changes, const Program& program,
                                   const Outcome& outcome);

// Sorted by gain, the largest first. Empty if it was cancelled. Any thread.
[[nodiscard]] std::vector<Candidate> rank_changes(const Replay& replay, const RankOptions& options = {});

}  // namespace runahead::predict
