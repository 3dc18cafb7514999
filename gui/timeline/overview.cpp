#include "gui/timeline/overview.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gui/text/text.h"
#include "gui/timeline/arrange.h"
#include "gui/timeline/scene/instant_walk.h"
#include "gui/timeline/scene/time_scale.h"
#include "instrumentation/analysis/busy_time.h"
#include "instrumentation/analysis/notes.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/trace/fold.h"

namespace runahead::gui {
namespace {

using trace::Lane;
using trace::Trace;
using trace::Track;
using trace::TrackKind;

constexpr float kColumnPx = 3;
// The maximum number of columns times the number of tracks. One column of one track takes 0.3 us
// (bench_scene), so all columns of all tracks take at most 6 ms.
constexpr std::size_t kMostLookups = 20'000;
constexpr std::size_t kFewestColumns = 64;
constexpr int kMostInstantsPerColumn = 64;

Timestamp column_begin(const Overview& overview, std::size_t i) {
  return overview.columns_begin + overview.column * static_cast<std::int64_t>(i);
}

std::size_t column_of(const Overview& overview, Timestamp t) {
  const std::int64_t i = (t - overview.columns_begin) / overview.column;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(i, 0, static_cast<std::int64_t>(overview.columns.size())));
}

bool executes(const Track& track) {
  return track.info.kind == TrackKind::kWorker || track.info.kind == TrackKind::kStream;
}

// True if the columns show the busy time of this track.
bool counts(const Overview& overview, const Track& track) {
  if (!overview.of_threads) return executes(track);
  return track.info.kind == TrackKind::kThread || track.info.kind == TrackKind::kAsync;
}

// Works like add_busy(), but for a lane whose rows are in a file: the busy time of a run (several slices) is
// spread evenly over the columns that the run covers.
void add_busy_from_file(const Lane& lane, std::size_t first, Overview& out, std::vector<trace::Run>& runs,
                        std::vector<float>& busy) {
  const TimeRange range{column_begin(out, first), column_begin(out, out.columns.size())};
  fold_lane(lane, range, static_cast<int>(out.columns.size() - first), 1, runs);
  const auto column_ns = static_cast<float>(out.column.count());
  for (const trace::Run& run : runs) {
    out.coarse = out.coarse || run.coarse;
    const Timestamp end = std::max(run.end, run.begin + Duration{1});
    const float share =
        std::min(1.0f, static_cast<float>(run.busy.count()) / static_cast<float>(ns_from(end - run.begin)));
    for (std::size_t i = std::max(first, column_of(out, run.begin)); i < out.columns.size(); ++i) {
      const Timestamp from = std::max(column_begin(out, i), run.begin);
      const Timestamp to = std::min(column_begin(out, i) + out.column, end);
      if (to <= from) break;
      busy[i] += share * static_cast<float>(ns_from(to - from)) / column_ns;
    }
  }
}

// For each column i from `first` on, computes the share of the column's time in which the lane has a slice,
// and adds this share to shares[i]. O(columns * log n).
void add_busy(const Lane& lane, std::size_t first, const Overview& out, std::vector<float>& shares) {
  if (lane.empty() || first >= out.columns.size()) return;
  Timestamp from = column_begin(out, first);
  std::uint64_t row = lane.first_row_ending_after(from);
  const auto reached = [&](std::uint64_t r, Timestamp t) {
    return r < lane.end_row() ? std::max(Duration{0}, t - lane.begin(r)) : Duration{0};
  };
  Duration partial = reached(row, from);
  for (std::size_t i = first; i < out.columns.size(); ++i) {
    const Timestamp to = std::min(from + out.column, out.extent.end);
    const std::uint64_t next = lane.first_row_ending_after(to, row);
    const Duration next_partial = reached(next, to);
    const Duration busy = lane.busy(row, next) + next_partial - partial;
    const auto span = static_cast<float>(std::max<std::int64_t>(1, ns_from(to - from)));
    shares[i] += std::clamp(static_cast<float>(ns_from(busy)) / span, 0.0f, 1.0f);
    row = next;
    partial = next_partial;
    from = to;
  }
}

// True if the track's first lane has slices that are no work of the device. Lanes whose rows are in a file
// are not checked: the check could read many of their blocks.
bool has_annotations(const Track& track) {
  const Lane& lane = track.lanes[0];
  if (lane.in_file()) return false;
  return lane.next_of_kinds(~analysis::kDeviceWork, lane.first_row(), lane.end_row()) < lane.end_row();
}

// Works like add_busy(), for the work in all lanes of a device's track. O(rows of the track).
void add_work(const Track& track, std::size_t first, const Overview& out, std::vector<float>& shares) {
  std::vector<const Lane*> lanes;
  for (const Lane& lane : track.lanes) lanes.push_back(&lane);
  const TimeRange range{column_begin(out, first), out.extent.end};
  const auto column_ns = static_cast<float>(out.column.count());
  for (const TimeRange& busy : analysis::busy_ranges(lanes, analysis::kDeviceWork, range)) {
    for (std::size_t i = column_of(out, busy.begin); i < out.columns.size(); ++i) {
      const Timestamp from = std::max(column_begin(out, i), busy.begin);
      const Timestamp to = std::min(column_begin(out, i) + out.column, busy.end);
      if (to <= from) break;
      shares[i] += static_cast<float>(ns_from(to - from)) / column_ns;
    }
  }
}

// Adds the waits of a frontend to the columns from `first` on. Slices shorter than a column are folded into
// runs. A run counts as a wait if the longest slice of the run is a wait. Each column is folded separately.
// Otherwise the start of a run would depend on all runs before it, and the value of a column would depend on
// `first`. O(columns * log n).
void add_blocked(const Lane& lane, std::size_t first, Overview& out, std::vector<trace::Run>& runs) {
  if (lane.empty()) return;
  const auto span = static_cast<float>(out.column.count());
  for (std::size_t i = first; i < out.columns.size(); ++i) {
    const TimeRange range{column_begin(out, i), column_begin(out, i) + out.column};
    fold_lane(lane, range, 1, 1, runs);
    for (const trace::Run& run : runs) {
      out.coarse = out.coarse || run.coarse;
      if (run.longest.kind != trace::SliceKind::kWait) continue;
      const Duration covered = std::min(run.end, range.end) - std::max(run.begin, range.begin);
      if (covered <= Duration{0}) continue;
      const auto length = static_cast<float>(std::max<std::int64_t>(1, ns_from(run.end - run.begin)));
      const float share = static_cast<float>(ns_from(run.busy)) / length;
      out.columns[i].blocked += static_cast<float>(ns_from(covered)) / span * share;
    }
  }
}

void add_markers(const Trace& trace, const TimeScale& scale, Overview& out) {
  out.marker_x_px.clear();
  trace::InstantReader instants(trace.instants());
  const ColumnWalk walk{
      .scale = scale, .most_in_column = kMostInstantsPerColumn, .tracks = marker_bits(trace)};
  walk_columns(instants, walk, [&](const std::optional<trace::Instant>& instant, double at_x) {
    out.coarse = out.coarse || !instant;
    if (!instant || raw(instant->track) >= trace.tracks().size()) return;
    const auto x = static_cast<float>(std::floor(at_x));
    if (!is_marker(trace, *instant)) return;
    if (out.marker_x_px.empty() || out.marker_x_px.back() != x) out.marker_x_px.push_back(x);
  });
  out.note_x_px.clear();
  for (const analysis::Note& note : analysis::notes_of(trace)) {
    if (scale.view.contains(note.at))
      out.note_x_px.push_back(static_cast<float>(std::floor(scale.x_from_time(note.at))));
  }
}

// Returns the length of a column. It is the smallest power of two, in nanoseconds, with which `most` columns
// cover the extent, even if the extent begins inside a column.
Duration column_for(TimeRange extent, std::size_t most) {
  const auto least =
      static_cast<std::uint64_t>(ns_from(extent.duration())) / std::max<std::size_t>(1, most - 1) + 1;
  return Duration{static_cast<std::int64_t>(std::bit_ceil(least))};
}

Timestamp floor_to(Timestamp t, Duration step) {
  const std::int64_t rest = ns_from(t) % step.count();
  return t - Duration{rest < 0 ? rest + step.count() : rest};
}

void start_anew(const Trace& trace, float width_px, Overview& out) {
  out.trace_identity = trace.identity();
  out.width_px = width_px;
  out.columns.clear();
  out.end_rows.clear();
}

// Stores the index of the last row of each lane. Returns the start time of the earliest new row.
Timestamp take_new_rows(const Trace& trace, Timestamp known_until, Overview& out) {
  Timestamp earliest = known_until;
  out.end_rows.resize(trace.tracks().size());
  for (std::size_t t = 0; t < out.end_rows.size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (!counts(out, track) && track.info.kind != TrackKind::kFrontend) continue;
    out.end_rows[t].resize(track.lanes.size(), 0);
    for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
      const Lane& lane = track.lanes[depth];
      const std::uint64_t first_new = std::max(out.end_rows[t][depth], lane.first_row());
      if (first_new < lane.end_row()) earliest = std::min(earliest, lane.begin(first_new));
      out.end_rows[t][depth] = lane.end_row();
    }
  }
  return earliest;
}

// Sets the length and the start of the columns for the current extent. If the length has not changed,
// existing columns keep their values. Otherwise all columns are removed.
void lay_columns(std::size_t most, Overview& out) {
  const Duration column = column_for(out.extent, most);
  const Timestamp begin = floor_to(out.extent.begin, column);
  const bool stay = column == out.column && begin >= out.columns_begin && !out.columns.empty();
  if (stay) {
    const auto gone =
        std::min(out.columns.size(), static_cast<std::size_t>((begin - out.columns_begin) / column));
    out.columns.erase(out.columns.begin(), out.columns.begin() + static_cast<std::ptrdiff_t>(gone));
  } else {
    out.columns.clear();
  }
  out.column = column;
  out.columns_begin = begin;
}

// For workers and streams, the column shows the mean of their busy times. For threads, it shows the busy time
// of the busiest thread. A program may have a hundred threads of which only one works at a time, and the mean
// of a hundred threads would be close to zero.
void add_track(float busy, const Overview& overview, OverviewColumn& column) {
  if (overview.of_threads) {
    column.busy = std::max(column.busy, busy);
  } else {
    column.busy += busy / static_cast<float>(overview.executing_tracks);
  }
}

// Computes the columns that are new, and recomputes all columns at or after `dirty_from`, because new rows of
// the trace touch these columns.
void compute_columns(const Trace& trace, const TimelineState& state, Timestamp dirty_from, Overview& out) {
  const std::size_t known = out.columns.size();
  const auto count =
      static_cast<std::size_t>((out.extent.end - out.columns_begin - Duration{1}) / out.column) + 1;
  out.columns.resize(count);
  const std::size_t first = std::min({known, column_of(out, dirty_from), count - 1});
  std::fill(out.columns.begin() + static_cast<std::ptrdiff_t>(first), out.columns.end(), OverviewColumn{});
  std::vector<trace::Run> runs;
  std::vector<float> busy(count);
  out.coarse = false;
  for (const Track& track : trace.tracks()) {
    if (!is_shown(trace, state, track.info.id)) continue;
    if (counts(out, track) && !track.lanes.empty()) {
      const Lane& lane = track.lanes[0];
      std::ranges::fill(busy, 0.0f);
      if (!out.of_threads && has_annotations(track)) {
        add_work(track, first, out, busy);
      } else {
        lane.in_file() ? add_busy_from_file(lane, first, out, runs, busy) : add_busy(lane, first, out, busy);
      }
      for (std::size_t i = first; i < count; ++i) add_track(busy[i], out, out.columns[i]);
    }
    if (track.info.kind != TrackKind::kFrontend) continue;
    for (const Lane& lane : track.lanes) add_blocked(lane, first, out, runs);
  }
  for (std::size_t i = first; i < count; ++i) {
    out.columns[i].busy = std::min(out.columns[i].busy, 1.0f);
    out.columns[i].blocked = std::min(out.columns[i].blocked, 1.0f);
  }
}

bool same_choice(const TimelineState& state, const Overview& out) {
  return out.hidden == state.hidden && out.pinned == state.pinned;
}

void bring_columns_up_to_date(const Trace& trace, const TimelineState& state, float width_px, float scale,
                              Overview& out) {
  const auto tracks = trace.tracks();
  const bool of_threads = std::none_of(tracks.begin(), tracks.end(), executes);
  if (out.of_threads != of_threads) start_anew(trace, width_px, out);
  out.of_threads = of_threads;
  const auto executing =
      static_cast<std::size_t>(std::count_if(tracks.begin(), tracks.end(), [&](const Track& track) {
        return counts(out, track) && is_shown(trace, state, track.info.id);
      }));
  if (out.trace_identity != trace.identity() || out.width_px != width_px ||
      out.executing_tracks != executing || !same_choice(state, out))
    start_anew(trace, width_px, out);
  out.hidden = state.hidden;
  out.pinned = state.pinned;
  out.executing_tracks = executing;
  const Timestamp known_until = out.columns.empty() ? trace.extent().begin : out.extent.end;
  out.extent = trace.extent();
  out.trace_version = trace.version();
  const Timestamp dirty_from = take_new_rows(trace, known_until, out);
  const auto wanted = static_cast<std::size_t>(std::max(2.0f, width_px / (kColumnPx * scale)));
  const std::size_t most = std::max(kFewestColumns, kMostLookups / std::max<std::size_t>(1, executing));
  lay_columns(std::min(wanted, most), out);
  compute_columns(trace, state, dirty_from, out);
  const TimeScale time_scale{out.extent, width_px};
  out.columns_x_px = static_cast<float>(time_scale.x_from_time(out.columns_begin));
  out.column_px = static_cast<float>(time_scale.x_from_duration(out.column));
  add_markers(trace, time_scale, out);
  if (trace.store() != nullptr) out.loads = trace.store()->stats().loads;
}

// Places the frame of the view, and the parts of the run.
void place_regions(const TimelineState& state, Overview& out) {
  const TimeScale scale{out.extent, out.width_px};
  const auto x = [&](Timestamp t) {
    return static_cast<float>(std::clamp(scale.x_from_time(t), 0.0, static_cast<double>(out.width_px)));
  };
  out.view_px = {x(state.view.begin), x(state.view.end)};
  out.part_px.clear();
  for (const std::size_t i : parts_to_draw(state.parts, scale)) {
    const analysis::PartOfRun& part = state.parts[i];
    const Timestamp end = part.last ? out.extent.end : part.range.end;
    out.part_px.push_back({x(part.range.begin), x(end), analysis::is_measured(part), translated(part.name)});
  }
}

// True if columns that are coarse (see Overview::coarse) should be computed again: since the last
// computation, enough blocks were loaded, or all requested blocks were loaded.
bool could_be_finer(const Trace& trace, const Overview& out) {
  constexpr std::uint64_t kEnoughLoads = 256;
  if (!out.coarse || trace.store() == nullptr) return false;
  const trace::BlockStore::Stats stats = trace.store()->stats();
  const std::uint64_t since = stats.loads - out.loads;
  return since >= kEnoughLoads || (since > 0 && stats.wanted == 0);
}

}  // namespace

void update_overview(const Trace& trace, const TimelineState& state, float width_px, float scale,
                     Overview& out) {
  const bool same = out.trace_identity == trace.identity() && out.trace_version == trace.version() &&
                    out.width_px == width_px && same_choice(state, out);
  // The extent is checked only if the trace has changed, because the check examines every lane.
  if (!same && (trace.extent().empty() || width_px < 1)) {
    out = Overview{.width_px = width_px, .view_px = {0, width_px}};
    return;
  }
  if (same && could_be_finer(trace, out)) out.columns.clear();
  if (!same || out.columns.empty()) bring_columns_up_to_date(trace, state, width_px, scale, out);
  place_regions(state, out);
}

TimeRange view_from_overview(const Overview& overview, TimeRange view, float x_px) {
  if (overview.extent.empty() || overview.width_px < 1) return view;
  const Timestamp centre = TimeScale{overview.extent, overview.width_px}.time_from_x(x_px);
  const Timestamp begin = centre - view.duration() / 2;
  return {begin, begin + view.duration()};
}

}  // namespace runahead::gui
