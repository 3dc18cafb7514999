#include "instrumentation/record/queue_state.h"

#include <algorithm>
#include <string>

namespace runahead::record {
namespace {

// Describes the counter of run-ahead bytes of the same device. The name of this counter resembles the name of
// the counter of run-ahead ops, which the engine names "run-ahead DEVICE".
const TrackDesc& bytes_desc(const TrackDesc& ops) {
  TrackDesc desc = ops;
  desc.name = "run-ahead bytes " + ops.device;
  desc.unit = trace::Unit::kBytes;
  desc.role = trace::CounterRole::kRunAheadBytes;
  desc.sort_order = ops.sort_order + 1;
  return intern_track(desc);
}

const TrackDesc& lives_desc(const TrackDesc& ops) {
  TrackDesc desc = ops;
  desc.kind = trace::TrackKind::kQueue;
  desc.name = "op lives " + ops.device;
  desc.unit = trace::Unit::kNone;
  desc.role = trace::CounterRole::kOther;
  desc.sort_order = ops.sort_order + 2;
  return intern_track(desc);
}

}  // namespace

QueueState::QueueState(BatchBuilder& batch, const TrackDesc& desc) : batch_(batch) {
  ops_.track = batch.track_of(desc);
  bytes_.track = batch.track_of(bytes_desc(desc));
  lives_track_ = batch.track_of(lives_desc(desc));
}

void QueueState::change(Timestamp at, std::int64_t ops, std::int64_t bytes) {
  // If the event is late, its change is recorded at the time of the last sample. So the value is correct from
  // then on, and earlier samples do not change.
  open_ops_ += ops;
  batch_.add(ops_, std::max(at, ops_.last_at), static_cast<double>(open_ops_));
  if (bytes == 0) return;
  open_bytes_ += bytes;
  batch_.add(bytes_, std::max(at, bytes_.last_at), static_cast<double>(open_bytes_));
}

std::int32_t QueueState::free_lane(Timestamp begin) {
  while (lowest_free_ < lives_.size() && lives_[lowest_free_].open) ++lowest_free_;
  for (std::size_t lane = lowest_free_; lane < lives_.size(); ++lane) {
    if (!lives_[lane].open && lives_[lane].lane.last_end <= begin) return static_cast<std::int32_t>(lane);
  }
  if (lives_.size() == kLifeLanes) return -1;
  lives_.push_back({{.track = lives_track_, .depth = static_cast<std::uint32_t>(lives_.size())}, {}, false});
  return static_cast<std::int32_t>(lives_.size() - 1);
}

std::int32_t QueueState::enter(const trace::Slice& life) {
  change(life.begin, 1, life.size_bytes);
  const std::int32_t lane = free_lane(life.begin);
  if (lane < 0) {
    ++undrawn_;
    return lane;
  }
  lives_[static_cast<std::size_t>(lane)].slice = life;
  lives_[static_cast<std::size_t>(lane)].open = true;
  return lane;
}

void QueueState::leave(const trace::Slice& life, std::int32_t lane) {
  change(life.end, -1, -life.size_bytes);
  if (lane < 0) return;
  Life& drawn = lives_[static_cast<std::size_t>(lane)];
  drawn.open = false;
  batch_.add(drawn.lane, life);
  lowest_free_ = std::min(lowest_free_, static_cast<std::size_t>(lane));
}

void QueueState::pass(const trace::Slice& life) {
  const std::int32_t lane = free_lane(life.begin);
  if (lane < 0) {
    ++undrawn_;
    return;
  }
  batch_.add(lives_[static_cast<std::size_t>(lane)].lane, life);
}

void QueueState::open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) const {
  for (const Life& life : lives_) {
    if (!life.open || life.slice.begin > watermark) continue;
    out.push_back({lives_track_, life.lane.depth, life.slice});
    out.back().slice.end = watermark;
  }
}

}  // namespace runahead::record
