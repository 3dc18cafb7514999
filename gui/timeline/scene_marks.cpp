// Builds counters, arrows, instants and markers.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "gui/text/text.h"
#include "gui/timeline/flow_chain.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/rows.h"
#include "gui/timeline/scene/counter_columns.h"
#include "gui/timeline/scene/instant_walk.h"
#include "gui/timeline/scene/values.h"
#include "gui/timeline/scene_builder.h"
#include "gui/timeline/selection_facts.h"
#include "instrumentation/analysis/notes.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/trace/fold.h"

namespace runahead::gui::internal {
namespace {

// The ends of arrows are clamped to this distance from the plot. It is large, so that an arrow that leaves
// the screen keeps its direction.
constexpr float kFarPx = 20000;
constexpr int kMostInstantsPerPixel = 64;  // if a pixel column has more instants, the rest is skipped
// How many instants before the view are searched for the marker that applies at the left edge. Blocks of
// instants without a marker do not count.
constexpr std::uint64_t kMostEarlierInstants = 2048;
// Of the wait points of a track, at most one is drawn in a cell of this width.
constexpr float kWaitPointCellPx = 12;
constexpr float kNarrowestMarkerLabelPx = 24;

std::optional<float> row_centre(const SceneBuilder& builder, const SliceRef& ref) {
  const auto index = row_of(builder.trace, builder.all_rows, ref.track, ref.depth);
  if (!index) return std::nullopt;
  const SceneRow& row = builder.all_rows[*index];
  const float held_px = builder.out.held_px;
  const float centre = screen_y(row, held_px, builder.state.scroll_y_px) + row.height_px / 2;
  // If the row has scrolled behind the held rows (pinned rows that do not scroll), the arrow ends at the
  // lower edge of the held rows.
  return is_held(row, held_px) || held_px <= 0 ? centre : std::max(centre, held_px);
}

float arrow_x(const SceneBuilder& builder, Timestamp t) {
  return static_cast<float>(
      std::clamp(builder.scale.x_from_time(t), -double{kFarPx}, builder.scale.width_px + kFarPx));
}

// Caches the y position of each lane at which an arrow begins or ends, because many arrows connect the same
// few lanes.
class RowCentres {
 public:
  explicit RowCentres(const SceneBuilder& builder) : builder_(builder) {}
  std::optional<float> of(const SliceRef& ref) {
    const auto [it, fresh] = known_.try_emplace({ref.track, ref.depth});
    if (fresh) it->second = row_centre(builder_, ref);
    return it->second;
  }

 private:
  const SceneBuilder& builder_;
  std::map<std::pair<TrackId, std::uint32_t>, std::optional<float>> known_;
};

void add_arrow(SceneBuilder& builder, const ChainFlow& one, RowCentres& centres) {
  constexpr float kBendPx = 200;  // the curve of an arrow may extend this far beyond the arrow's ends
  const trace::Flow& flow = one.flow;
  const float x0 = arrow_x(builder, flow.from_time), x1 = arrow_x(builder, flow.to_time);
  const float beyond = kBendPx * builder.interface_scale;
  const bool far = std::max(x0, x1) < -beyond || std::min(x0, x1) > builder.scale.width_px + beyond;
  if (far && one.step > 1) return;
  const auto y0 = centres.of(one.from), y1 = centres.of(one.to);
  if (y0 && y1) builder.out.arrows.push_back({x0, *y0, x1, *y1, flow.kind, one.step});
}

// An arrow from the end of the work that the selected call waited for to the end of the call. In traces of
// other tools this is no flow.
void add_awaited(SceneBuilder& builder, RowCentres& centres) {
  if (builder.awaited == nullptr) return;
  const auto [call, work, inferred] = *builder.awaited;
  const auto from = find_slice(builder.trace, work), to = find_slice(builder.trace, call);
  const auto y0 = centres.of(work), y1 = centres.of(call);
  if (!from || !to || !y0 || !y1) return;
  builder.out.arrows.push_back({arrow_x(builder, from->end), *y0, arrow_x(builder, to->end), *y1,
                                trace::FlowKind::kExecuteToWait, inferred ? 2u : 1u});
}

// A marker with its full name. The name is shortened to a label later, when the position of the next marker
// is known.
struct NamedMarker {
  SceneMarker marker;
  std::string name;
};

// Adds the markers. The room for a label ends at the next marker's line. The label of the last marker before
// the view is at the left edge.
void take_markers(SceneBuilder& builder, std::vector<NamedMarker>&& found) {
  std::ranges::stable_sort(found, {}, [](const NamedMarker& one) { return one.marker.x_px; });
  auto& markers = builder.out.markers;
  for (NamedMarker& one : found) markers.push_back(std::move(one.marker));
  const float pad = 2 * kLabelPadPx * builder.interface_scale;
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const float left = std::max(markers[i].x_px, 0.0f);
    const float right =
        i + 1 < markers.size() ? markers[i + 1].x_px : static_cast<float>(builder.scale.width_px);
    const float room = right - left - pad;
    if (room < kNarrowestMarkerLabelPx * builder.interface_scale) continue;
    markers[i].label = fit_text(translated(found[i].name), room, builder.advance);
  }
}

// Adds the last marker before the view, such as a barrier change. The marker's line is not in the view, but
// the marker still applies at the left edge, so its label is shown there.
void add_earlier_marker(SceneBuilder& builder, trace::InstantReader& instants,
                        std::vector<NamedMarker>& found) {
  const trace::Trace& trace = builder.trace;
  const trace::TrackBits of_markers = marker_bits(trace);
  std::uint64_t end = instants.first_from(builder.scale.view.begin);
  for (std::uint64_t seen = 0; seen < kMostEarlierInstants; ++seen) {
    end = instants.end_of_tracks(of_markers, end);
    if (end == 0) return;
    const std::optional<trace::Instant> instant = instants.instant_if_here(--end);
    if (!instant || raw(instant->track) >= trace.tracks().size()) continue;
    if (!is_marker(trace, *instant)) continue;
    found.push_back({{arrow_x(builder, instant->at), {}}, std::string(trace.string(instant->name))});
    return;
  }
}

// Adds the instants that are no markers, if their track has a row. Steps may be very short, so most wait
// points are found to be in the same cell as the one before, without a look at their name and row.
class InstantMarks {
 public:
  explicit InstantMarks(SceneBuilder& builder)
      : builder_(builder), cell_px_(kWaitPointCellPx * builder.interface_scale) {}
  void add(const trace::Instant& instant, float x) {
    const trace::Trace& trace = builder_.trace;
    if (raw(instant.track) >= trace.tracks().size()) return;
    const WaitPoint here{instant.track, instant.name, std::floor(x / cell_px_)};
    if (std::ranges::find(last_, here) != last_.end() ||
        trace.track(instant.track).info.kind == trace::TrackKind::kMarkers)
      return;
    const auto& rows = builder_.out.rows;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const SceneRow& r) {
      return r.track == instant.track && r.depth == 0;
    });
    if (row == rows.end()) return;
    const std::string_view name = trace.string(instant.name);
    const bool wait_point = name == trace::kWaitPoint;
    if (wait_point) {
      std::erase_if(last_, [&](const WaitPoint& one) { return one.track == here.track; });
      last_.push_back(here);
    }
    builder_.out.instants.push_back({static_cast<std::uint32_t>(row - rows.begin()), x,
                                     wait_point ? text(Text::kTimelineWaitPoint) : std::string(name),
                                     wait_point});
  }

 private:
  struct WaitPoint {
    TrackId track = kNoTrack;
    StringId name{};
    float cell = 0;  // cells are kWaitPointCellPx wide
    friend bool operator==(const WaitPoint&, const WaitPoint&) = default;
  };
  SceneBuilder& builder_;
  const float cell_px_;
  std::vector<WaitPoint> last_;  // the last one that was added of each track; there are few frontends
};

void add_markers_in_view(SceneBuilder& builder, trace::InstantReader& instants,
                         std::vector<NamedMarker>& markers) {
  const trace::Trace& trace = builder.trace;
  const ColumnWalk walk{
      .scale = builder.scale, .most_in_column = kMostInstantsPerPixel, .tracks = marker_bits(trace)};
  walk_columns(instants, walk, [&](const std::optional<trace::Instant>& instant, double x) {
    if (!instant || raw(instant->track) >= trace.tracks().size() || !is_marker(trace, *instant)) return;
    markers.push_back({{static_cast<float>(x), {}}, std::string(trace.string(instant->name))});
  });
}

// Returns the minimum and the maximum of all columns; nullopt: there are no columns.
std::optional<trace::CounterSeries::Extremes> seen_in(const std::vector<trace::CounterColumn>& columns) {
  trace::GrowingExtremes seen;
  for (const trace::CounterColumn& column : columns) seen.add({column.min, column.max});
  if (seen.empty()) return std::nullopt;
  return trace::CounterSeries::Extremes{seen.min, seen.max};
}

// Returns the counter's value at `end`. If the view has no columns, it is either before the first sample,
// where the counter has no value, or after the last sample, where the counter keeps its last value. In both
// cases no block has to be read from the file.
std::optional<double> value_at_end(const trace::CounterSeries& series, const SceneCounter& counter,
                                   Timestamp end) {
  if (!counter.columns.empty()) return counter.columns.back().last;
  if (series.empty() || series.last_at() > end) return std::nullopt;
  return series.sample(series.end_row() - 1).value;
}

// Sets the ends of the counter's axis. The axis contains 0 and all values of the complete trace. Therefore a
// value has the same height in every view. If the user chose that the axis fits the view, it contains 0 and
// the values in the view.
void set_axis(const trace::CounterSeries& series, trace::CounterSeries::Extremes seen,
              SceneCounter& counter) {
  trace::GrowingExtremes all{seen.min, seen.max};
  if (!counter.fits_view) all.add(series.all_extremes());
  counter.axis_min = all.min < 0 ? -round_up(-all.min) : 0;
  counter.axis_max = round_up(all.max);
}

std::optional<double> level_before(const TimelineState& state, TrackId track) {
  const auto level = std::ranges::find(state.levels_before, track, &TimelineState::Level::counter);
  return level != state.levels_before.end() ? std::optional(level->value) : std::nullopt;
}

}  // namespace

void add_counter(SceneBuilder& builder, std::uint32_t row) {
  const trace::Track& track = builder.trace.track(builder.out.rows[row].track);
  const TimeRange view = builder.scale.view;
  // A counter keeps its value until the next sample. After the watermark, new samples may still arrive, so
  // the columns end there.
  const Timestamp end = std::min(view.end, std::max(builder.trace.extent().end, builder.trace.watermark()));
  SceneCounter counter{
      .row = row,
      .fits_view = std::ranges::find(builder.state.fitted, track.info.id) != builder.state.fitted.end(),
      .level_before = level_before(builder.state, track.info.id)};
  if (end > view.begin) {
    fill_counter_columns(builder.trace, track.info.id, builder.scale, end, builder.counters_before,
                         builder.counter_budget, counter);
  }
  const auto seen = seen_in(counter.columns);
  const auto now = value_at_end(track.counter, counter, end);
  if (now) counter.now_label = format_value(track.info.unit, *now);
  if (seen) {
    counter.min_label =
        std::string(text(Text::kTimelineMin)) + " " + format_value(track.info.unit, seen->min);
    counter.max_label =
        std::string(text(Text::kTimelineMax)) + " " + format_value(track.info.unit, seen->max);
    set_axis(track.counter, *seen, counter);
  }
  builder.out.counters.push_back(std::move(counter));
}

void add_arrows(SceneBuilder& builder) {
  update_flow_chain(builder.trace, builder.state, builder.out.flow_chain);
  if (!builder.state.selected) return;
  RowCentres centres(builder);
  for (const ChainFlow& one : builder.out.flow_chain.flows) add_arrow(builder, one, centres);
  add_awaited(builder, centres);
}

void add_instants(SceneBuilder& builder) {
  trace::InstantReader instants(builder.trace.instants());
  std::vector<NamedMarker> markers;
  add_earlier_marker(builder, instants, markers);
  // Markers are few, and the other instants of their pixel column must not hide them.
  add_markers_in_view(builder, instants, markers);
  const ColumnWalk walk{.scale = builder.scale, .most_in_column = kMostInstantsPerPixel};
  InstantMarks marks(builder);
  walk_columns(instants, walk, [&](const std::optional<trace::Instant>& instant, double x) {
    if (instant) marks.add(*instant, static_cast<float>(x));
  });
  for (const analysis::Note& note : analysis::notes_of(builder.trace)) {
    if (builder.scale.view.contains(note.at))
      markers.push_back({{.x_px = arrow_x(builder, note.at), .note = true}, note.words});
  }
  take_markers(builder, std::move(markers));
}

}  // namespace runahead::gui::internal
