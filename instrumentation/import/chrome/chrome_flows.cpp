#include "instrumentation/import/chrome/chrome_flows.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

namespace runahead::importers {
using namespace trace;
namespace {

auto key_of(const FlowPoint& point) { return std::tie(point.category, point.name, point.id); }

bool is_held(const Track& track, Timestamp t) {
  return std::any_of(track.lanes.begin(), track.lanes.end(), [t](const Lane& lane) {
    // The slices of a lane do not overlap. So only the first slice that ends at t or later can contain t.
    // This slice contains t if it begins at t or earlier.
    const std::uint64_t row = lane.first_row_ending_after(t - Duration{1});
    return row < lane.end_row() && lane.begin(row) <= t;
  });
}

std::optional<Timestamp> next_begin(const Track& track, Timestamp t) {
  std::optional<Timestamp> next;
  for (const Lane& lane : track.lanes) {
    const std::uint64_t row = lane.first_row_beginning_from(t);
    if (row < lane.end_row() && (!next || lane.begin(row) < *next)) next = lane.begin(row);
  }
  return next;
}

// Returns the time at which a flow's point (a start, step or end) binds to a slice; nullopt: it binds to no
// slice.
std::optional<Timestamp> bound(const Trace& trace, const FlowPoint& point) {
  if (point.track == kNoTrack) return std::nullopt;
  const Track& track = trace.track(point.track);
  if (point.phase == FlowPoint::Phase::kEnd && !point.binds_to_enclosing) return next_begin(track, point.at);
  if (is_held(track, point.at)) return point.at;
  return std::nullopt;
}

class FlowMatcher {
 public:
  FlowMatcher(const Trace& trace, LossCounts& losses) : trace_(trace), losses_(losses) {}

  // Makes the arrows between `points`, which all have the same key and are sorted by time.
  void match(std::span<const FlowPoint> points) {
    start_ = nullptr;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const FlowPoint& point = points[i];
      if (point.phase == FlowPoint::Phase::kStart) {
        if (&point != start_) begin(&point);
        continue;
      }
      if (start_ == nullptr) begin_late(points.subspan(i));
      end(point);
      if (point.phase == FlowPoint::Phase::kStep) {
        start_ = &point;
        // A flow may end with a step, so a step that no arrow leaves is not counted as a loss.
        followed_ = true;
      }
    }
    drop_start();
  }

  std::vector<Flow> take() {
    const auto earlier = [](const Flow& a, const Flow& b) { return a.from_time < b.from_time; };
    std::stable_sort(flows_.begin(), flows_.end(), earlier);
    return std::move(flows_);
  }

 private:
  void lose() { losses_.add(LossCause::kUnboundFlow); }

  void drop_start() {
    if (start_ != nullptr && !followed_) lose();
    start_ = nullptr;
  }
  void begin(const FlowPoint* start) {
    drop_start();
    start_ = start;
    followed_ = false;
  }
  // Called for a step or end (`from[0]`) without an earlier start. Looks for the missing start in the points
  // that follow. If the id is unique, the start may have any later time; otherwise it must have the same
  // time.
  void begin_late(std::span<const FlowPoint> from) {
    for (const FlowPoint& point : from) {
      if (point.at != from[0].at && !from[0].unique_id) return;
      if (point.phase == FlowPoint::Phase::kStart) return begin(&point);
    }
  }

  void end(const FlowPoint& point) {
    if (start_ == nullptr) return lose();
    followed_ = true;
    const auto from = bound(trace_, *start_), to = bound(trace_, point);
    if (!from || !to) return lose();
    flows_.push_back({start_->kind, start_->track, point.track, *from, *to, kNoOp, start_->flow_name});
  }

  const Trace& trace_;
  LossCounts& losses_;
  std::vector<Flow> flows_;
  const FlowPoint* start_ = nullptr;
  bool followed_ = false;
};

}  // namespace

std::vector<Flow> match_flows(const Trace& trace, std::vector<FlowPoint> points, LossCounts& losses) {
  std::stable_sort(points.begin(), points.end(), [](const FlowPoint& a, const FlowPoint& b) {
    const auto one = key_of(a), other = key_of(b);
    return one != other ? one < other : a.at < b.at;
  });
  FlowMatcher matcher(trace, losses);
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first + 1;
    while (last < points.size() && key_of(points[last]) == key_of(points[first])) ++last;
    matcher.match(std::span(points).subspan(first, last - first));
    first = last;
  }
  return matcher.take();
}

}  // namespace runahead::importers
