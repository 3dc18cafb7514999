// Batch: the data that a source (the collector, an importer, the reader of recordings) passes to a Trace in
// one call. Immutable once passed. Ids are final: a source numbers its tracks and its strings from 0 without
// gaps, in the order of definition, over all its batches. String 0 is the empty string.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "instrumentation/trace/rows/loss.h"
#include "instrumentation/trace/rows/slice.h"
#include "instrumentation/trace/rows/track.h"

namespace runahead::trace {

// Rows of one lane, sorted by begin and disjoint. No row begins before the end of the lane's rows in earlier
// batches.
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
  std::vector<CounterSample> rows;  // sorted by time; of samples at the same time, the last applies
};

using ArgValue = std::variant<std::int64_t, double, StringId>;
struct Arg {
  StringId key{};
  ArgValue value;
  friend bool operator==(const Arg&, const Arg&) = default;
};
// The id of a set is its position among the sets of all batches, counted from 1.
using ArgSet = std::vector<Arg>;

// A slice that has begun and not ended at the batch's watermark. Its `end` has no meaning.
struct OpenSlice {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  Slice slice;
};

struct Batch {
  std::vector<std::string> strings;   // new strings, in id order
  std::vector<TrackInfo> tracks;      // new tracks, in id order; also tracks that changed (same id)
  std::vector<ArgSet> args;           // new sets, in id order
  std::vector<LaneRows> lanes;        // at most one entry per (track, depth)
  std::vector<CounterRows> counters;  // at most one entry per track
  std::vector<Instant> instants;      // sorted by time
  std::vector<OpRow> ops;             // ended ops, in the order of ending
  std::vector<Flow> flows;
  std::vector<Dependency> dependencies;  // the dependencies of an op are adjacent
  std::vector<Allocation> allocations;   // freed and live blocks of device memory
  std::vector<OpenSlice> open_slices;    // all slices open now; they replace the list of the previous batch
  // Ops enqueued and not ended, up to a limit of the source. They replace the list of the previous batch.
  std::vector<OpRow> open_ops;
  LossCounts losses;      // losses since the previous batch
  Timestamp watermark{};  // all rows before this time are in this batch or in earlier batches

  [[nodiscard]] bool has_rows() const {
    return !(strings.empty() && tracks.empty() && args.empty() && lanes.empty() && counters.empty() &&
             instants.empty() && ops.empty() && flows.empty() && dependencies.empty() &&
             allocations.empty() && losses.none());
  }
};

}  // namespace runahead::trace
