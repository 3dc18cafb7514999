#include <algorithm>
#include <utility>

#include "gui/text/text.h"
#include "gui/timeline/area.h"
#include "gui/timeline/rows.h"
#include "gui/timeline/scene/scene.h"
#include "gui/timeline/scene_builder.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {
namespace {

using internal::SceneBuilder;

// The maximum number of blocks of samples that are read to draw all counters of one scene. At 3 us per block
// this takes about 2 ms.
constexpr int kMostCounterBlocks = 700;
// The maximum number of blocks that are requested for all counters of one scene. A block that is not in
// memory is requested from the loader, which reads it from the file. To load this many blocks takes about 0.5
// s on the loader's thread; to request them takes about 0.5 ms in build_scene().
constexpr int kMostMissingBlocks = 4096;

void clear(Scene& out) {
  out.content_height_px = 0;
  out.held_px = 0;
  out.rows.clear();
  out.boxes.clear();
  out.counters.clear();
  out.counters_refine = false;
  out.arrows.clear();
  out.idle.clear();
  out.idle_rows.clear();
  out.path.clear();
  out.path_steps.clear();
  out.instants.clear();
  out.markers.clear();
  out.ticks.clear();
  out.parts.clear();
  out.compared.clear();
  out.range_px.reset();
  out.area.clear();
  out.peak.reset();
  out.time_px.reset();
}

void add_visible_rows(SceneBuilder& builder) {
  for (const SceneRow& row : builder.all_rows) {
    const float held_px = builder.out.held_px;
    const bool held = is_held(row, held_px);
    const float y = screen_y(row, held_px, builder.state.scroll_y_px);
    if (y + row.height_px <= (held ? 0 : held_px) || y >= builder.out.size.height_px) continue;
    builder.out.rows.push_back(row);
    builder.out.rows.back().y_px = y;
    builder.out.rows.back().held = held;
  }
}

void fill_rows(SceneBuilder& builder) {
  for (std::uint32_t row = 0; row < builder.out.rows.size(); ++row) {
    const SceneRow& scene_row = builder.out.rows[row];
    switch (scene_row.kind) {
      case SceneRow::Kind::kGroupHeader:
        if (scene_row.folded) internal::add_folded_group(builder, row);
        break;
      case SceneRow::Kind::kCounter:
        internal::add_counter(builder, row);
        break;
      case SceneRow::Kind::kQueue:
        if (!scene_row.folded) internal::add_lane_row(builder, row);
        break;
      case SceneRow::Kind::kLane:
        internal::add_lane_row(builder, row);
        break;
      case SceneRow::Kind::kMore:
        break;
    }
  }
}

// Returns the x positions of the range's ends, cut off outside the plot; nullopt: the range is not in the
// view.
std::optional<std::pair<float, float>> ends_px(const std::optional<TimeRange>& range,
                                               const TimeScale& scale) {
  if (!range || range->empty() || !range->overlaps(scale.view)) return std::nullopt;
  const auto clamp = [&](Timestamp t) {
    return static_cast<float>(
        std::clamp(scale.x_from_time(t), -internal::kOverhangPx, scale.width_px + internal::kOverhangPx));
  };
  return std::pair(clamp(range->begin), clamp(range->end));
}

// Adds a frame for each group of neighbouring visible rows of the selected area.
void add_area(const TimelineState& state, const TimeScale& scale, Scene& out) {
  if (!state.area) return;
  const auto ends = ends_px(state.area->content.range, scale);
  if (!ends) return;
  bool open = false;  // true: the row before belongs to the last frame
  for (const SceneRow& row : out.rows) {
    const bool inside = is_in_area(*state.area, row);
    if (inside && (!open || out.area.back().held != row.held))
      out.area.push_back({ends->first, ends->second, row.y_px, row.y_px, row.held});
    if (inside) out.area.back().y1_px = row.y_px + row.height_px;
    open = inside;
  }
}

// Adds the time of the memory report (a line through all rows), and the mark of the peak.
void add_moments(const SceneBuilder& builder) {
  const TimelineState& state = builder.state;
  const auto x_of = [&](Timestamp t) { return static_cast<float>(builder.scale.x_from_time(t)); };
  if (state.moment && builder.scale.view.contains(*state.moment)) builder.out.time_px = x_of(*state.moment);
  if (!state.peak || !builder.scale.view.contains(state.peak->at)) return;
  for (std::uint32_t row = 0; row < builder.out.rows.size(); ++row) {
    const SceneRow& scene_row = builder.out.rows[row];
    if (scene_row.kind != SceneRow::Kind::kCounter || scene_row.track != state.peak->counter) continue;
    builder.out.peak = ScenePeak{row, x_of(state.peak->at), text(Text::kTimelinePeak)};
  }
}

std::vector<trace::OpenSlice> sorted_open_slices(const trace::Trace& trace) {
  std::vector<trace::OpenSlice> open(trace.open_slices().begin(), trace.open_slices().end());
  std::stable_sort(open.begin(), open.end(), [](const trace::OpenSlice& a, const trace::OpenSlice& b) {
    return std::pair(a.track, a.depth) < std::pair(b.track, b.depth);
  });
  return open;
}

}  // namespace

void build_scene(const trace::Trace& trace, const TimelineState& state, const SceneSize& size, Scene& out) {
  std::vector<SceneCounter> counters_before = std::move(out.counters);
  clear(out);
  out.view = state.view;
  out.size = size;
  if (state.view.empty() || size.width_px < 1 || size.height_px < 1) return;
  SceneBuilder builder{.trace = trace,
                       .state = state,
                       .scale = {state.view, size.width_px},
                       .interface_scale = size.scale,
                       .advance = size.text.value_or(TextAdvance::average(size.scale)),
                       .open = sorted_open_slices(trace),
                       .counters_before = std::move(counters_before),
                       .counter_budget = {.blocks = kMostCounterBlocks, .missing = kMostMissingBlocks},
                       .out = out};
  if (state.selected) {
    const auto slice = find_slice(trace, *state.selected);
    if (slice) builder.selected_op = slice->op;
    if (state.awaited && state.awaited->call == *state.selected) builder.awaited = &*state.awaited;
  }
  out.content_height_px = build_rows(trace, state, size.scale, builder.all_rows);
  out.held_px = held_height(builder.all_rows, size.height_px, size.scale);
  add_visible_rows(builder);
  fill_rows(builder);
  out.counters_refine = builder.counter_budget.spent;
  internal::add_emphasis(builder);
  internal::add_causes(builder);
  internal::add_arrows(builder);
  internal::add_instants(builder);
  internal::add_parts(builder);
  internal::add_compared(builder);
  out.range_px = ends_px(state.range, builder.scale);
  add_area(state, builder.scale, out);
  add_moments(builder);
  build_ticks(builder.scale, size.scale, out.ticks);
}

}  // namespace runahead::gui
