#include "gui/timeline/overview.h"

#include <algorithm>
#include <cmath>

#include "gui/timeline/time_scale.h"
#include "instrumentation/trace/fold.h"

namespace runahead::gui {
namespace {

using trace::Lane;
using trace::Trace;
using trace::Track;
using trace::TrackKind;

constexpr float kColumnPx = 3;
constexpr std::size_t kMostLookups = 20'000;  // columns * tracks: 0.3 us each (bench_scene), so 6 ms at most
constexpr std::size_t kFewestColumns = 64;
constexpr int kMostInstantsPerColumn = 64;

bool executes(const Track& track) {
  return track.info.kind == TrackKind::kWorker || track.info.kind == TrackKind::kStream;
}

// How long the lane's slices cover each column. O(columns * log n).
void add_busy(const Lane& lane, const TimeScale& scale, std::vector<OverviewColumn>& columns, float share) {
  if (lane.empty()) return;
  const double column_px = scale.width_px / static_cast<double>(columns.size());
  std::uint64_t row = lane.first_row_ending_after(scale.view.begin);
  const auto reached = [&](std::uint64_t r, Timestamp t) {
    return r < lane.end_row() ? std::max(Duration{0}, t - lane.begin(r)) : Duration{0};
  };
  Timestamp from = scale.view.begin;
  Duration partial = reached(row, from);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Timestamp to = scale.time_from_x(column_px * static_cast<double>(i + 1));
    const std::uint64_t next = lane.first_row_ending_after(to);
    const Duration next_partial = reached(next, to);
    const Duration busy = lane.busy(row, next) + next_partial - partial;
    const auto span = static_cast<float>(std::max<std::int64_t>(1, ns_from(to - from)));
    columns[i].busy += share * std::clamp(static_cast<float>(ns_from(busy)) / span, 0.0f, 1.0f);
    row = next;
    partial = next_partial;
    from = to;
  }
}

// Waits of a frontend; a run of short slices counts as what its longest one is.
void add_blocked(const Lane& lane, const TimeScale& scale, std::vector<OverviewColumn>& columns,
                 std::vector<trace::Run>& runs) {
  if (lane.empty()) return;
  const int column_count = static_cast<int>(columns.size());
  fold_lane(lane, scale.view, column_count, 1, runs);
  const TimeScale by_column{scale.view, static_cast<double>(column_count)};
  for (const trace::Run& run : runs) {
    if (lane.slice(run.longest_row).kind != trace::SliceKind::kWait) continue;
    const double x0 = std::max(0.0, by_column.x_from_time(run.begin));
    const double x1 = std::min<double>(column_count, by_column.x_from_time(run.end));
    const double span = static_cast<double>(std::max<std::int64_t>(1, ns_from(run.end - run.begin)));
    const auto ink = static_cast<float>(static_cast<double>(ns_from(run.busy)) / span);
    for (int i = static_cast<int>(x0); i < column_count && i < x1; ++i) {
      const double covered = std::min<double>(i + 1, x1) - std::max<double>(i, x0);
      columns[static_cast<std::size_t>(i)].blocked += static_cast<float>(covered) * ink;
    }
  }
}

void add_markers(const Trace& trace, const TimeScale& scale, std::vector<float>& out) {
  double column = -1;
  int in_column = 0;
  for (std::uint64_t i = trace.first_instant_from(scale.view.begin); i < trace.instant_count();) {
    const trace::Instant instant = trace.instant(i);
    const double x = std::floor(scale.x_from_time(instant.at));
    in_column = x == column ? in_column + 1 : 1;
    column = x;
    ++i;
    if (in_column >= kMostInstantsPerColumn)
      i = std::max(i, trace.first_instant_from(scale.time_from_x(x + 1)));
    if (raw(instant.track) >= trace.tracks().size()) continue;
    if (trace.track(instant.track).info.kind != TrackKind::kMarkers) continue;
    if (out.empty() || out.back() != static_cast<float>(x)) out.push_back(static_cast<float>(x));
  }
}

}  // namespace

void build_overview(const Trace& trace, const TimelineState& state, float width_px, float scale,
                    Overview& out) {
  out.extent = trace.extent();
  out.width_px = width_px;
  out.trace_version = trace.version();
  out.columns.clear();
  out.marker_x_px.clear();
  out.view_px = {0, width_px};
  if (out.extent.empty() || width_px < 1) return;
  const auto tracks = trace.tracks();
  const auto executing = static_cast<std::size_t>(std::count_if(tracks.begin(), tracks.end(), executes));
  const std::size_t wanted = static_cast<std::size_t>(std::max(1.0f, width_px / (kColumnPx * scale)));
  const std::size_t most = std::max(kFewestColumns, kMostLookups / std::max<std::size_t>(1, executing));
  out.columns.assign(std::min(wanted, most), {});
  out.column_px = width_px / static_cast<float>(out.columns.size());
  const TimeScale time_scale{out.extent, width_px};
  std::vector<trace::Run> runs;
  for (const Track& track : tracks) {
    if (executes(track) && !track.lanes.empty()) {
      add_busy(track.lanes[0], time_scale, out.columns, 1.0f / static_cast<float>(executing));
    }
    if (track.info.kind != TrackKind::kFrontend) continue;
    for (const Lane& lane : track.lanes) add_blocked(lane, time_scale, out.columns, runs);
  }
  for (OverviewColumn& column : out.columns) {
    column.busy = std::min(column.busy, 1.0f);
    column.blocked = std::min(column.blocked, 1.0f);
  }
  add_markers(trace, time_scale, out.marker_x_px);
  frame_overview(state, out);
}

void frame_overview(const TimelineState& state, Overview& out) {
  if (out.extent.empty() || out.width_px < 1) return;
  const TimeScale scale{out.extent, out.width_px};
  const auto x = [&](Timestamp t) {
    return static_cast<float>(std::clamp(scale.x_from_time(t), 0.0, static_cast<double>(out.width_px)));
  };
  out.view_px = {x(state.view.begin), x(state.view.end)};
}

TimeRange view_from_overview(const Overview& overview, TimeRange view, float x_px) {
  if (overview.extent.empty() || overview.width_px < 1) return view;
  const Timestamp centre = TimeScale{overview.extent, overview.width_px}.time_from_x(x_px);
  const Timestamp begin = centre - view.duration() / 2;
  return {begin, begin + view.duration()};
}

}  // namespace runahead::gui
