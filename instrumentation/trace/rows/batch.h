// A Batch: what a source (the collector, an importer, the reader of recordings) hands to a Trace at once.
// Immutable once handed over. Ids in it are final: a source numbers its own tracks and strings densely
// from 0 (string 0 is the empty one), in the order of definition, over all of its batches.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "instrumentation/trace/rows/loss.h"
#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::trace {

// Rows of one lane, in order: sorted by begin, disjoint, none before the lane's last end.
struct LaneRows {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::vector<Slice> rows;
};

struct CounterSample {
  Timestamp at{};
  double value = 0;
  friend bool operator==(const CounterSample&, const CounterSample&) = default;
};
struct CounterRows {
  TrackId track = kNoTrack;
  std::vector<CounterSample> rows;  // sorted by time; of equal times the last one holds
};

using ArgValue = std::variant<std::int64_t, double, StringId>;
struct Arg {
  StringId key{};
  ArgValue value;
  friend bool operator==(const Arg&, const Arg&) = default;
};
using ArgSet = std::vector<Arg>;  // the n-th set ever handed over has ArgsId n, from 1

// A slice that has begun and not ended, as of the batch's watermark; its `end` is meaningless.
struct OpenSlice {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  Slice slice;
};

struct Batch {
  std::vector<std::string> strings;   // new ones, in order of id
  std::vector<TrackInfo> tracks;      // new ones, in order of id; also those whose facts changed (same id)
  std::vector<ArgSet> args;           // new ones, in order of id
  std::vector<LaneRows> lanes;        // at most one entry per (track, depth)
  std::vector<CounterRows> counters;  // at most one entry per track
  std::vector<Instant> instants;      // sorted by time
  std::vector<OpRow> ops;             // ops that ended, in the order of ending
  std::vector<Flow> flows;
  std::vector<Dependency> dependencies;  // those of an op side by side
  std::vector<Allocation> allocations;   // blocks given back, and those taken and held
  std::vector<OpenSlice> open_slices;    // all that are open now: replaces the list before
  std::vector<OpRow> open_ops;           // all ops enqueued and not ended: replaces the list before
  LossCounts losses;                     // since the batch before
  Timestamp watermark{};                 // everything before this has been handed over

  [[nodiscard]] bool has_rows() const {
    return !(strings.empty() && tracks.empty() && args.empty() && lanes.empty() && counters.empty() &&
             instants.empty() && ops.empty() && flows.empty() && dependencies.empty() &&
             allocations.empty() && losses.none());
  }
};

}  // namespace runahead::trace
