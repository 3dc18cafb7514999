#include "instrumentation/record/async_track.h"

#include <algorithm>

namespace runahead::record {
namespace {

// A stream runs one op or a few ops at the same time. If more ops than this seem to run, the ends of some ops
// were lost. Then the oldest ops are closed as unfinished.
constexpr std::size_t kMostRunning = 64;

}  // namespace

void AsyncTrack::begin(const trace::Slice& slice) {
  const bool known = std::any_of(running_.begin(), running_.end(),
                                 [&](const Running& running) { return running.slice.op == slice.op; });
  if (!known) running_.push_back({slice, {}});
}

void AsyncTrack::place() {
  const auto earlier = [](const trace::Slice& a, const trace::Slice& b) { return a.begin < b.begin; };
  if (!std::is_sorted(waiting_.begin(), waiting_.end(), earlier)) {
    std::stable_sort(waiting_.begin(), waiting_.end(), earlier);
  }
  const Timestamp placed_before = latest_begin_;
  for (const trace::Slice& slice : waiting_) {
    if (slice.end < placed_before) batch_.lose(trace::LossCause::kLateRow);
    place_one(slice);
    latest_begin_ = std::max(latest_begin_, slice.begin);
  }
  waiting_.clear();
  while (running_.size() > kMostRunning) close_oldest(latest_begin_);
  for (Running& running : running_) {
    if (!running.lane) running.lane = free_lane(running.slice.begin, timestamp_from_ns(INT64_MAX));
  }
}

void AsyncTrack::place_one(const trace::Slice& slice) {
  const std::optional<std::size_t> own = end_running(slice.op);
  const bool fits = own && lanes_[*own].last_end <= slice.begin;
  batch_.add(lanes_[fits ? *own : free_lane(slice.begin, slice.end)], slice);
}

std::optional<std::size_t> AsyncTrack::end_running(OpId op) {
  if (op == kNoOp) return std::nullopt;
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&](const Running& running) { return running.slice.op == op; });
  if (found == running_.end()) return std::nullopt;
  const std::optional<std::size_t> lane = found->lane;
  running_.erase(found);
  return lane;
}

std::size_t AsyncTrack::free_lane(Timestamp begin, Timestamp end) {
  const auto held = [&](std::size_t lane) {
    return std::any_of(running_.begin(), running_.end(), [&](const Running& running) {
      return running.lane == lane && running.slice.begin < end;
    });
  };
  std::size_t lane = 0;
  while (lane < lanes_.size() && (lanes_[lane].last_end > begin || held(lane))) ++lane;
  if (lane == lanes_.size()) lanes_.push_back({.track = id_, .depth = static_cast<std::uint32_t>(lane)});
  return lane;
}

void AsyncTrack::close_all(Timestamp at) {
  place();
  while (!running_.empty()) close_oldest(at);
}

void AsyncTrack::close_oldest(Timestamp at) {
  Running oldest = running_.front();
  running_.erase(running_.begin());
  oldest.slice.end = std::max(oldest.slice.begin, at);
  oldest.slice.flags |= trace::kSliceUnfinished;
  batch_.lose(trace::LossCause::kUnfinishedSlice);
  const bool fits = oldest.lane && lanes_[*oldest.lane].last_end <= oldest.slice.begin;
  batch_.add(lanes_[fits ? *oldest.lane : free_lane(oldest.slice.begin, oldest.slice.end)], oldest.slice);
}

void AsyncTrack::open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) const {
  for (const Running& running : running_) {
    if (!running.lane || running.slice.begin > watermark) continue;
    out.push_back({id_, static_cast<std::uint32_t>(*running.lane), running.slice});
    out.back().slice.end = watermark;
  }
}

std::optional<Timestamp> AsyncTrack::copying_since() const {
  std::optional<Timestamp> since;
  for (const Running& running : running_) {
    if (!is_copy(running.slice.kind)) continue;
    if (!since || running.slice.begin < *since) since = running.slice.begin;
  }
  return since;
}

}  // namespace runahead::record
