// SliceWriter: gives lanes to slices that come in the order of time, and passes them to a Trace as they come.
// So an import needs no memory for the slices of a whole track. Lanes are given as by nest_slices()
// (nesting.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "instrumentation/import/common/lane_ends.h"
#include "instrumentation/import/common/nesting.h"
#include "instrumentation/trace/rows/batch.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// REQUIRES: nothing else adds slices to the tracks that this object gets.
class SliceWriter {
 public:
  explicit SliceWriter(Trace& trace) : trace_(trace) {}  // must outlive this

  // Adds a slice. If its end is kNeverClosed, the slice continues to the end of the trace. If it ends before
  // it begins, its length becomes zero. REQUIRES: the track is defined, and no earlier slice of the track
  // begins later. Of equal begins, a longer slice should come first: otherwise it gets a lane below the
  // shorter one.
  void add(TrackId track, Slice slice);

  // Passes all slices to the trace. Call it once, at the end. Slices that were never closed end at
  // `end_of_trace`.
  void finish(Timestamp end_of_trace);

  // Adds how many slices were never closed, ended before they began, or would need more lanes than a track
  // has.
  [[nodiscard]] std::uint64_t unfinished() const { return unfinished_; }
  [[nodiscard]] std::uint64_t backwards() const { return backwards_; }
  [[nodiscard]] std::uint64_t too_deep() const { return too_deep_; }

 private:
  struct WrittenTrack {
    LaneEnds ends;
    std::vector<LaneRows> lanes;  // index: depth; rows that the trace does not have yet
  };
  struct OpenPlace {
    TrackId track = kNoTrack;
    std::size_t lane = 0;
    Slice slice;
  };
  [[nodiscard]] WrittenTrack& of(TrackId track);
  void flush();

  Trace& trace_;
  std::vector<WrittenTrack> tracks_;  // index: id
  std::vector<OpenPlace> open_;       // slices that were never closed; each keeps its lane for itself
  std::size_t waiting_ = 0;           // rows that the trace does not have yet
  std::uint64_t unfinished_ = 0, backwards_ = 0, too_deep_ = 0;
};

}  // namespace runahead::importers
