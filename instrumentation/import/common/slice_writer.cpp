#include "instrumentation/import/common/slice_writer.h"

#include <algorithm>
#include <utility>

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::size_t kRowsPerFlush = 1u << 16;

}  // namespace

SliceWriter::WrittenTrack& SliceWriter::of(TrackId track) {
  if (raw(track) >= tracks_.size()) tracks_.resize(std::size_t{raw(track)} + 1);
  return tracks_[raw(track)];
}

void SliceWriter::add(TrackId track, Slice slice) {
  const bool open = slice.end == kNeverClosed;
  if (!open && slice.end < slice.begin) {
    slice.end = slice.begin;
    ++backwards_;
  }
  WrittenTrack& written = of(track);
  const Timestamp end = open ? Timestamp::max() : slice.end;
  const std::size_t lane = place_of_slice(written.ends, slice.begin, end).lane;
  if (lane >= kMostNestedLanes) {
    ++too_deep_;
    return;
  }
  written.ends.set(lane, end);
  if (lane == written.lanes.size()) written.lanes.push_back({track, static_cast<std::uint32_t>(lane), {}});
  if (open) {
    open_.push_back({track, lane, slice});
    return;
  }
  written.lanes[lane].rows.push_back(slice);
  if (++waiting_ >= kRowsPerFlush) flush();
}

void SliceWriter::flush() {
  Batch batch;
  for (WrittenTrack& written : tracks_) {
    for (LaneRows& lane : written.lanes) {
      if (lane.rows.empty()) continue;
      batch.lanes.push_back({lane.track, lane.depth, std::exchange(lane.rows, {})});
    }
  }
  waiting_ = 0;
  trace_.append(std::move(batch));
}

void SliceWriter::finish(Timestamp end_of_trace) {
  for (OpenPlace& open : std::exchange(open_, {})) {
    open.slice.end = std::max(open.slice.begin, end_of_trace);
    open.slice.flags |= kSliceUnfinished;
    of(open.track).lanes[open.lane].rows.push_back(open.slice);
    ++unfinished_;
  }
  flush();
}

}  // namespace runahead::importers
