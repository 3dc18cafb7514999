#include "instrumentation/record/async_track.h"

#include <algorithm>

namespace runahead::record {
namespace {

// A stream runs one op or a few ops at the same time. If more ops than this seem to run, the ends of some ops
// were lost. Then the oldest ops are closed as unfinished.
constexpr std::size_t kMostRunning = 64;

}  // namespace

void AsyncTrack::begin(const trace::Slice& slice) {
  const bool known = std::any_of(running_.begin(), running_.end(), [&](const Running& running) {
    return running.row == 0 && running.slice.op == slice.op;
  });
  if (!known) running_.push_back({slice, {}});
}

void AsyncTrack::place() {
  const auto earlier = [](const Waiting& a, const Waiting& b) {
    return a.slice.begin != b.slice.begin ? a.slice.begin < b.slice.begin : a.slice.end > b.slice.end;
  };
  if (!std::is_sorted(waiting_.begin(), waiting_.end(), earlier)) {
    std::stable_sort(waiting_.begin(), waiting_.end(), earlier);
  }
  const Timestamp placed_before = latest_begin_;
  for (const Waiting& waiting : waiting_) {
    place_rows(waiting.slice.begin);
    // A row that was shown as running is not late: its lane was kept for it.
    if (waiting.slice.end < placed_before && waiting.row == 0) batch_.lose(trace::LossCause::kLateRow);
    place_one(waiting);
    latest_begin_ = std::max(latest_begin_, waiting.slice.begin);
  }
  waiting_.clear();
  place_rows(timestamp_from_ns(INT64_MAX));
  while (running_.size() > kMostRunning && running_.front().row == 0) close_oldest(latest_begin_);
  for (Running& running : running_) {
    if (!running.lane) running.lane = free_lane(running.slice.begin, timestamp_from_ns(INT64_MAX));
  }
}

void AsyncTrack::place_rows(Timestamp until) {
  const auto is_next = [until](const Running& running) {
    return running.row != 0 && !running.lane && running.slice.begin <= until;
  };
  std::vector<Running*> rows;
  for (Running& running : running_) {
    if (is_next(running)) rows.push_back(&running);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Running* a, const Running* b) { return a->slice.begin < b->slice.begin; });
  for (Running* const row : rows) row->lane = free_lane(row->slice.begin, timestamp_from_ns(INT64_MAX));
}

void AsyncTrack::place_one(const Waiting& waiting) {
  const trace::Slice& slice = waiting.slice;
  const std::optional<std::size_t> own = end_running(slice.op, waiting.row);
  const bool fits = own && lanes_[*own].last_end <= slice.begin;
  batch_.add(lanes_[fits ? *own : free_lane(slice.begin, slice.end)], slice);
}

std::optional<std::size_t> AsyncTrack::end_running(OpId op, std::uint64_t row) {
  if (op == kNoOp && row == 0) return std::nullopt;
  const auto found = std::find_if(running_.begin(), running_.end(), [&](const Running& running) {
    return row != 0 ? running.row == row : running.row == 0 && running.slice.op == op;
  });
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
