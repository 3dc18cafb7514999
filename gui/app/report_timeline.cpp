#include <algorithm>
#include <nlohmann/json.hpp>

#include "gui/app/report_parts.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kMostSlices = 40;

struct Point {
  float x_px = 0, y_px = 0;
};

// True if a click at this point reaches the plot. False: the handle at the left edge or a button over the
// plot would take the click.
bool reaches_plot(const PlotRect& plot, const std::vector<WidgetRect>& widgets, Point at) {
  constexpr float kMarginPx = 16;
  if (at.x_px < plot.x0_px + kMarginPx || at.x_px > plot.x1_px - kMarginPx) return false;
  return std::ranges::none_of(widgets, [&](const WidgetRect& widget) {
    return widget.x0_px - kMarginPx <= at.x_px && at.x_px < widget.x1_px + kMarginPx &&
           widget.y0_px - kMarginPx <= at.y_px && at.y_px < widget.y1_px + kMarginPx;
  });
}

Json selection_json(const PanelModel& model) {
  const std::optional<SliceRef>& ref = model.timeline.selected;
  if (!ref) return nullptr;
  Json json{{"track", track_label(model.trace, ref->track)},
            {"depth", ref->depth},
            {"row", ref->row},
            {"open", ref->open}};
  if (const std::optional<trace::Slice> slice = find_slice(model.trace, *ref)) {
    json["name"] = model.trace.string(slice->name);
    json["op"] = op_number(slice->op);
  }
  return json;
}

// Returns the positions of counters in the plot.
Json counters_json(const PanelModel& model, const LayoutState& layout) {
  Json counters = Json::array();
  for (const SceneCounter& counter : layout.view.scene.counters) {
    const SceneRow& row = layout.view.scene.rows[counter.row];
    if (raw(row.track) >= model.trace.tracks().size()) continue;
    counters.push_back({{"name", model.trace.track(row.track).info.name},
                        {"y0_px", layout.plot.y0_px + row.y_px},
                        {"y1_px", layout.plot.y0_px + row.y_px + row.height_px}});
  }
  return counters;
}

// Lists the parts of the run in the view, with the rectangles of their regions in window pixels.
Json parts_json(const PanelModel& model, const LayoutState& layout) {
  Json parts = Json::array();
  const PlotRect& plot = layout.plot;
  for (const ScenePart& part : layout.view.scene.parts) {
    if (part.index >= model.timeline.parts.size()) continue;  // the scene is of the previous trace
    const analysis::PartOfRun& of = model.timeline.parts[part.index];
    parts.push_back({{"name", of.name},
                     {"label", part.label},
                     {"range_ns", range_json(range_now(model.trace, of))},
                     {"chosen", part.chosen},
                     {"rect",
                      {plot.x0_px + part.x0_px, plot.y0_px - layout.view.parts_px, plot.x0_px + part.x1_px,
                       plot.y0_px}}});
  }
  return parts;
}

// Lists the widest slices on the screen, widest first, with their rectangles in window pixels. A click on the
// middle of a listed slice selects that slice. Open slices, and boxes that stand for several slices, are
// omitted.
Json slices_json(const PanelModel& model, const LayoutState& layout, const std::vector<WidgetRect>& widgets) {
  const Scene& scene = layout.view.scene;
  const PlotRect& plot = layout.plot;
  struct Shown {
    const SceneBox* box;
    float x0_px, y0_px, x1_px, y1_px;  // the visible part of the slice
    float width_px() const { return x1_px - x0_px; }
  };
  std::vector<Shown> all;
  for (const SceneBox& box : scene.boxes) {
    if (box.count != 1 || box.open) continue;
    const SceneRow& row = scene.rows[box.row];
    if (raw(row.track) >= model.trace.tracks().size()) continue;  // the row belongs to the previous trace
    const Shown shown{&box, std::max(plot.x0_px + box.x0_px, plot.x0_px), plot.y0_px + row.y_px,
                      std::min(plot.x0_px + box.x1_px, plot.x1_px), plot.y0_px + row.y_px + row.height_px};
    if (shown.width_px() < 6 || shown.y0_px < plot.y0_px || shown.y1_px > plot.y1_px) continue;
    const Point middle{(shown.x0_px + shown.x1_px) / 2, (shown.y0_px + shown.y1_px) / 2};
    if (reaches_plot(plot, widgets, middle)) all.push_back(shown);
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Shown::width_px);
  if (all.size() > kMostSlices) all.resize(kMostSlices);
  Json slices = Json::array();
  for (const Shown& shown : all) {
    slices.push_back({{"rect", {shown.x0_px, shown.y0_px, shown.x1_px, shown.y1_px}},
                      {"track", track_label(model.trace, scene.rows[shown.box->row].track)},
                      {"row", shown.box->slice.row},
                      {"depth", shown.box->slice.depth}});
  }
  return slices;
}

// Returns the frames of the selected area, in window pixels.
Json area_frames_json(const LayoutState& layout) {
  Json frames = Json::array();
  const PlotRect& plot = layout.plot;
  for (const SceneFrame& frame : layout.view.scene.area)
    frames.push_back({plot.x0_px + frame.x0_px, plot.y0_px + frame.y0_px, plot.x0_px + frame.x1_px,
                      plot.y0_px + frame.y1_px});
  return frames;
}

// Lists the idle gaps on the screen that are drawn alone and that a click reaches, with the part of their
// rectangle that is in the plot, in window pixels. A click on its middle selects the gap.
Json idle_json(const PanelModel& model, const LayoutState& layout, const std::vector<WidgetRect>& widgets) {
  Json gaps = Json::array();
  const Scene& scene = layout.view.scene;
  const PlotRect& plot = layout.plot;
  const CauseMarks* const marks = model.timeline.causes.get();
  for (const SceneIdle& idle : scene.idle) {
    if (marks == nullptr || idle.run.count != 1 || idle.device >= marks->devices.size()) continue;
    const auto rows = std::ranges::find(scene.idle_rows, idle.device, &SceneIdleRows::device);
    if (rows == scene.idle_rows.end()) continue;
    const float x0 = plot.x0_px + std::max(0.0f, idle.x0_px), y0 = plot.y0_px + rows->y0_px;
    const float x1 = std::min(plot.x1_px, plot.x0_px + idle.x1_px), y1 = plot.y0_px + rows->y1_px;
    if (y1 > plot.y1_px || !reaches_plot(plot, widgets, {(x0 + x1) / 2, (y0 + y1) / 2})) continue;
    gaps.push_back({{"device", marks->devices[idle.device].name},
                    {"label", idle.label},
                    {"range_ns", range_json(idle.run.range)},
                    {"rect", {x0, y0, x1, y1}}});
  }
  return gaps;
}

// Returns how many boxes of the timeline the search has dimmed.
std::size_t dimmed_boxes(const Scene& scene) {
  return static_cast<std::size_t>(std::ranges::count_if(
      scene.boxes, [](const SceneBox& box) { return box.found && *box.found < box.count; }));
}

}  // namespace

Json range_json(const std::optional<TimeRange>& range) {
  if (!range) return nullptr;
  return {ns_from(range->begin), ns_from(range->end)};
}

Json rows_json(const TimelineView& view, const PlotRect& plot) {
  Json rows = Json::array();
  for (const SceneRow& row : view.scene.rows) {
    if (row.label.empty()) continue;
    const float y = plot.y0_px + row.y_px;
    rows.push_back({{"name", row.label},
                    {"rect", {plot.x0_px - view.names_px, y, plot.x0_px, y + row.height_px}},
                    {"indent", row.indent},
                    {"held", row.held},
                    {"folded", row.folded}});
  }
  return rows;
}

Json lower_json(const CompareFacts& compare, const LayoutState& layout) {
  if (compare.b_trace == nullptr) return nullptr;
  const PlotRect& plot = layout.lower_plot;
  const TimelineState& state = *compare.b_timeline;
  Json json{{"view_ns", {ns_from(state.view.begin), ns_from(state.view.end)}},
            {"range_ns", range_json(state.range)},
            {"rows", rows_json(layout.lower, plot)},
            {"plot", {plot.x0_px, plot.y0_px, plot.x1_px, plot.y1_px}},
            {"selected", nullptr}};
  if (state.selected) {
    json["selected"] = {{"track", track_label(*compare.b_trace, state.selected->track)},
                        {"row", state.selected->row}};
    if (const auto slice = find_slice(*compare.b_trace, *state.selected))
      json["selected"]["name"] = compare.b_trace->string(slice->name);
  }
  return json;
}

void add_timeline(Json& json, const PanelModel& model, const LayoutState& layout,
                  const std::vector<WidgetRect>& widgets) {
  const TimelineState& state = model.timeline;
  const PlotRect &plot = layout.plot, &whole = layout.timeline;
  json["view_ns"] = range_json(state.view);
  json["follow"] = state.follow;
  json["selected"] = selection_json(model);
  json["range_ns"] = range_json(state.range);
  json["plot"] = {plot.x0_px, plot.y0_px, plot.x1_px, plot.y1_px};
  json["counters"] = counters_json(model, layout);
  json["parts"] = parts_json(model, layout);
  json["timeline_px"] = {whole.x0_px, whole.y0_px, whole.x1_px, whole.y1_px};
  json["colour_by"] = kColourKeys[static_cast<std::size_t>(state.colour_by)];
  json["arrows"] = layout.view.scene.arrows.size();
  json["flow_steps"] = state.flow_steps;
  json["rows"] = rows_json(layout.view, plot);
  json["scroll_px"] = state.scroll_y_px;
  json["landing"] = layout.view.gesture.landing.has_value();
  json["area_frames"] = area_frames_json(layout);
  json["dimmed_boxes"] = dimmed_boxes(layout.view.scene);
  json["idle_gaps"] = idle_json(model, layout, widgets);
  json["path_lines"] = layout.view.scene.path.size();
  json["slices"] = slices_json(model, layout, widgets);
}

}  // namespace runahead::gui
