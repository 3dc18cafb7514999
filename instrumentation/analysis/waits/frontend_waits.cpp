#include "instrumentation/analysis/waits/frontend_waits.h"

#include <algorithm>
#include <utility>

#include "instrumentation/analysis/busy_time.h"
#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/analysis/waits/wait_walk.h"

namespace runahead::analysis {
namespace {

using trace::Lane;
using trace::OpenSlice;
using trace::SliceKind;
using trace::Trace;
using trace::Track;

// Finds the op that released a wait. The constructor builds an index of all kExecuteToWait flows, which is
// used for all waits.
class Releases {
 public:
  explicit Releases(const Trace& trace) {
    for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
      const trace::Flow flow = trace.flow(i);
      if (flow.kind == trace::FlowKind::kExecuteToWait)
        rows_.push_back({{flow.to_track, flow.to_time}, flow.op});
    }
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const Row& a, const Row& b) { return a.first < b.first; });
  }
  [[nodiscard]] OpId of(const Wait& wait) const {
    const End end{wait.track, wait.slice.end};
    const auto found = std::lower_bound(rows_.begin(), rows_.end(), end,
                                        [](const Row& row, const End& key) { return row.first < key; });
    return found != rows_.end() && found->first == end ? found->second : kNoOp;
  }

 private:
  using End = std::pair<TrackId, Timestamp>;
  using Row = std::pair<End, OpId>;
  std::vector<Row> rows_;
};

bool is_within(const Ranges& outer, const trace::Slice& slice) {
  const auto after = std::upper_bound(outer.begin(), outer.end(), slice.begin,
                                      [](Timestamp t, const TimeRange& range) { return t < range.begin; });
  return after != outer.begin() && slice.end <= std::prev(after)->end;
}

Ranges united(const Ranges& ranges, const std::vector<Wait>& waits) {
  Ranges all = ranges;
  for (const Wait& wait : waits) all.push_back({wait.slice.begin, wait.slice.end});
  std::inplace_merge(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(ranges.size()), all.end(),
                     [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  Ranges out;
  for (const TimeRange& range : all) add_range(out, range);
  return out;
}

// True if the wait overlaps the half-open range. A wait of length zero overlaps no range, so it counts in the
// range in which it begins.
bool is_in(const trace::Slice& slice, TimeRange range) {
  return range.contains(slice.begin) || TimeRange{slice.begin, slice.end}.overlaps(range);
}

void take_lane(const Lane& lane, TrackId track, TimeRange range, std::vector<Wait>& out) {
  constexpr trace::SliceKinds kWaits = trace::kinds_of(SliceKind::kWait);
  const std::uint64_t last = lane.first_row_beginning_from(range.end);
  const std::uint64_t first = lane.first_row_ending_after(range.begin - Duration{1});
  each_of_kinds(lane, kWaits, first, last, [&](const trace::Slice& slice) {
    if (is_in(slice, range)) out.push_back({slice, track, false});
  });
}

// Returns the waits of one track in the range. A wait nested in another wait is omitted.
std::vector<Wait> waits_of(const Trace& trace, const Track& track, TimeRange range) {
  std::vector<Wait> out;
  Ranges outer;
  std::uint32_t depth = 0;
  std::size_t depths = track.lanes.size();
  for (const OpenSlice& open : trace.open_slices()) {
    if (open.track == track.info.id) depths = std::max<std::size_t>(depths, open.depth + 1);
  }
  for (; depth < depths; ++depth) {
    std::vector<Wait> found;
    if (depth < track.lanes.size()) take_lane(track.lanes[depth], track.info.id, range, found);
    for (const OpenSlice& open : trace.open_slices()) {
      if (open.track != track.info.id || open.depth != depth || open.slice.kind != SliceKind::kWait) continue;
      Wait wait{open.slice, open.track, true};
      wait.slice.end = std::max(wait.slice.begin, trace.watermark());
      if (is_in(wait.slice, range)) found.push_back(wait);
    }
    for (const Wait& wait : found) {
      if (!is_within(outer, wait.slice)) out.push_back(wait);
    }
    outer = united(outer, found);
  }
  return out;
}

// In a trace of another tool, a thread (kThread) may also wait: it synchronises with a device.
bool may_wait(trace::TrackKind kind) {
  return kind == trace::TrackKind::kFrontend || kind == trace::TrackKind::kThread;
}

}  // namespace

void each_frontend_wait(const Trace& trace, TimeRange range, const WaitReasonOptions& options,
                        const std::function<void(const Wait&, const WaitReason&)>& found) {
  const OpChain ops(trace);
  const Releases releases(trace);
  const ReleasedBy released_by = [&](const Wait& wait) { return releases.of(wait); };
  for (const Track& track : trace.tracks()) {
    if (!may_wait(track.info.kind)) continue;
    for (const Wait& wait : waits_of(trace, track, range))
      found(wait, walk_wait(trace, ops, wait, range, released_by, options));
  }
}

}  // namespace runahead::analysis
