#include "gui/app/report.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "gui/app/report_panels.h"
#include "gui/timeline/facts.h"
#include "instrumentation/analysis/notes.h"

namespace runahead::gui {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostSlices = 40;

const char* word(samples::RunState state) {
  switch (state) {
    case samples::RunState::kRunning:
      return "running";
    case samples::RunState::kPaused:
      return "paused";
    case samples::RunState::kStopping:
      return "stopping";
    case samples::RunState::kFinished:
      return "finished";
    case samples::RunState::kFailed:
      break;
  }
  return "failed";
}

Json run_json(const PanelModel& model) {
  if (!model.run) return nullptr;
  const RunFacts& run = *model.run;
  return {{"state", word(run.state)},
          {"live", run.live()},
          {"workload", run.workload},
          {"devices", run.devices},
          {"barrier", engine::to_string(run.barrier)},
          {"steps", run.steps},
          {"ops_in_flight", run.ops_in_flight},
          {"held_by_limit", run.held_by_limit},
          {"late_ops", run.late_ops}};
}

Json choice_json(const PanelModel& model) {
  Json settings = model.choice.settings;
  return {{"workload", model.choice.workload},
          {"devices", model.choice.devices},
          {"size", model.choice.size},
          {"barrier", engine::to_string(model.choice.barrier)},
          {"endless", model.choice.endless},
          {"settings", settings},
          {"workers", model.choice.engine.cpu_workers}};
}

// Where the plot shows counters.
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

Json figures_json(const analysis::SegmentFigures& f) {
  return {{"seconds", std::chrono::duration<double>(analysis::active_time(f)).count()},
          {"steps", f.steps},
          {"steps_per_s", f.steps_per_s},
          {"blocked_ratio", f.blocked_ratio},
          {"peak_bytes", f.peak_bytes},
          {"max_run_ahead_steps", f.max_run_ahead_steps},
          {"max_run_ahead_ops", f.max_run_ahead_ops}};
}

Json range_figures_json(const analysis::SegmentFigures& f) {
  Json json = figures_json(f);
  json["execute_ns"] = ns_from(f.busy_execute);
  json["copy_ns"] = ns_from(f.busy_copy);
  json["overlap_ns"] = ns_from(f.overlap);
  return json;
}

Json strip_json(const PanelModel& model) {
  if (!model.before_after) return nullptr;
  return {{"change", model.before_after->change.label},
          {"draining", model.draining},
          {"before", figures_json(model.before_after->before)},
          {"after", figures_json(model.before_after->after)}};
}

struct Point {
  float x_px = 0, y_px = 0;
};

// Whether a click there reaches the plot: not the handle at its left edge, nor a button that floats over it.
bool reaches_plot(const PlotRect& plot, const std::vector<WidgetRect>& widgets, Point at) {
  constexpr float kMarginPx = 16;
  if (at.x_px < plot.x0_px + kMarginPx || at.x_px > plot.x1_px - kMarginPx) return false;
  return std::ranges::none_of(widgets, [&](const WidgetRect& widget) {
    return widget.x0_px - kMarginPx <= at.x_px && at.x_px < widget.x1_px + kMarginPx &&
           widget.y0_px - kMarginPx <= at.y_px && at.y_px < widget.y1_px + kMarginPx;
  });
}

// Some real slices on the screen, in pixels of the window, widest first: a click on the middle selects them.
Json slices_json(const PanelModel& model, const LayoutState& layout, const std::vector<WidgetRect>& widgets) {
  const Scene& scene = layout.view.scene;
  const PlotRect& plot = layout.plot;
  struct Shown {
    const SceneBox* box;
    float x0_px, y0_px, x1_px, y1_px;  // what the plot shows of it
    float width_px() const { return x1_px - x0_px; }
  };
  std::vector<Shown> all;
  for (const SceneBox& box : scene.boxes) {
    if (box.count != 1 || box.open) continue;
    const SceneRow& row = scene.rows[box.row];
    if (raw(row.track) >= model.trace.tracks().size()) continue;  // drawn of the trace before this one
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

// The names of the timeline, from the top, in pixels of the window.
Json rows_json(const LayoutState& layout) {
  Json rows = Json::array();
  const float names_px = layout.view.names_px;
  for (const SceneRow& row : layout.view.scene.rows) {
    if (row.label.empty()) continue;
    const float y = layout.plot.y0_px + row.y_px;
    rows.push_back({{"name", row.label},
                    {"rect", {layout.plot.x0_px - names_px, y, layout.plot.x0_px, y + row.height_px}},
                    {"indent", row.indent},
                    {"held", row.held}});
  }
  return rows;
}

Json frame_json(AppCore& core) {
  const auto part = [](const RecentCosts& costs) {
    const DebugFacts::Part p = costs.part();
    return Json{{"last_ms", p.last_ms}, {"median_ms", p.median_ms}, {"p99_ms", p.p99_ms}};
  };
  FrameTimes& times = core.frame_times();
  return {{"count", times.total.count()},       {"poll", part(times.poll)},   {"build", part(times.build)},
          {"build_own", part(times.build_own)}, {"paint", part(times.paint)}, {"total", part(times.total)}};
}

const char* dialog_word(AppCore& core) {
  if (!core.dialog()) return "";
  switch (core.dialog()->purpose) {
    case FilePurpose::kOpen:
      return "open";
    case FilePurpose::kCompare:
      return "compare";
    case FilePurpose::kSaveAs:
      return "save";
    case FilePurpose::kPicture:
      return "picture";
    case FilePurpose::kRecord:
      break;
  }
  return "record";
}

Json published_json(const PanelModel& model) {
  Json rows = Json::array();
  for (const samples::ComparedFigure& row : model.published) {
    rows.push_back({{"set", row.set},
                    {"label", row.label},
                    {"published", row.published},
                    {"here", row.here ? Json(*row.here) : Json(nullptr)},
                    {"shape_here", row.shape_here ? Json(*row.shape_here) : Json(nullptr)},
                    {"note", row.note}});
  }
  return rows;
}

Json results_json(const PanelModel& model) {
  Json rows = Json::array();
  for (const samples::ShownTable& table : model.results) {
    for (const samples::ShownRow& row : table.rows)
      rows.push_back({{"table", table.title}, {"label", row.label}, {"figures", row.figures}});
    if (!table.sentence.empty()) rows.push_back({{"table", table.title}, {"label", table.sentence}});
  }
  return rows;
}

void add_window(Json& json, AppCore& core, const PanelModel& model) {
  json["settled"] = core.settled();
  json["error"] = model.error;
  json["notice"] = model.notice;
  json["dialog"] = dialog_word(core);
  json["job"] = model.job.has_value();
  json["opened"] = model.opened.string();
  json["recording"] = model.recording.string();
  json["light"] = model.light;
  json["scale"] = model.chosen_scale;
  json["presentation"] = model.presentation;
  json["help"] = model.shows(Panel::kHelp);
  json["debug"] = model.shows(Panel::kDebug);
  json["legend"] = model.shows(Panel::kLegend);
  json["search"] = model.timeline.search;
}

void add_trace(Json& json, const PanelModel& model) {
  const trace::TraceCounts counts = model.trace.counts();
  json["trace"] = {{"slices", counts.slices},
                   {"flows", counts.flows},
                   {"counter_samples", counts.counter_samples},
                   {"bytes", model.trace.size_bytes()},
                   {"extent_ns", range_json(model.trace.extent())}};
  if (const auto store = model.trace.store()) {
    const trace::BlockStore::Stats stats = store->stats();
    json["trace"]["loaded"] = {{"bytes", stats.used_bytes},
                               {"limit_bytes", stats.limit_bytes},
                               {"loads", stats.loads},
                               {"unreadable", stats.unreadable}};
  }
  Json lost = Json::object();
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (model.trace.losses().of(cause) != 0)
      lost[std::string(trace::loss_key(cause))] = model.trace.losses().of(cause);
  }
  json["lost"] = lost;
}

Json clipped_json(const std::vector<ClippedText>& clipped) {
  Json all = Json::array();
  for (const ClippedText& text : clipped)
    all.push_back({{"words", text.words}, {"needed_px", text.needed_px}, {"room_px", text.room_px}});
  return all;
}

}  // namespace

void ReportFile::write(AppCore& core, const PanelModel& model, const LayoutState& layout,
                       const Drawn& drawn) {
  const std::vector<WidgetRect>& widgets = drawn.widgets;
  Json json{{"run", run_json(model)}, {"choice", choice_json(model)}, {"strip", strip_json(model)}};
  json["exercise"] = model.exercise != nullptr ? Json(model.exercise->number) : Json(nullptr);
  json["published"] = published_json(model);
  json["results"] = results_json(model);
  json["results_of"] = model.results_of;
  json["view_ns"] = {ns_from(model.timeline.view.begin), ns_from(model.timeline.view.end)};
  json["follow"] = model.timeline.follow;
  json["selected"] = selection_json(model);
  json["range_ns"] = range_json(model.timeline.range);
  json["range_measured"] = model.range.has_value();
  json["range_figures"] = model.range ? range_figures_json(model.range->figures) : Json(nullptr);
  add_window(json, core, model);
  add_trace(json, model);
  json["frames"] = frame_json(core);
  json["plot"] = {layout.plot.x0_px, layout.plot.y0_px, layout.plot.x1_px, layout.plot.y1_px};
  json["counters"] = counters_json(model, layout);
  const PlotRect& whole = layout.timeline;
  json["timeline_px"] = {whole.x0_px, whole.y0_px, whole.x1_px, whole.y1_px};
  json["graph"] = graph_json(model, layout.graph);
  json["query"] = query_json(model);
  json["find"] = find_json(model);
  json["notes"] = Json::array();
  for (const analysis::Note& note : analysis::notes_of(model.trace))
    json["notes"].push_back({{"at_ns", ns_from(note.at)}, {"words", note.words}});
  json["waits"] = waits_json(model);
  json["memory"] = memory_json(model);
  json["lesson"] = lesson_json(model);
  json["compare"] = compare_json(model, layout);
  json["colour_by"] = kColourKeys[static_cast<std::size_t>(model.timeline.colour_by)];
  json["arrows"] = layout.view.scene.arrows.size();
  json["flow_steps"] = model.timeline.flow_steps;
  json["gliding"] = core.gliding();
  json["rows"] = rows_json(layout);
  json["scroll_px"] = model.timeline.scroll_y_px;
  json["landing"] = layout.view.gesture.landing.has_value();
  json["slices"] = slices_json(model, layout, widgets);
  Json rects = Json::object();
  for (const WidgetRect& widget : widgets)
    rects[widget.name] = {widget.x0_px, widget.y0_px, widget.x1_px, widget.y1_px};
  json["widgets"] = rects;
  json["language"] = language_code(language());
  json["all_glyphs"] = drawn.all_glyphs;
  json["missing_glyphs"] = std::vector<std::uint32_t>(drawn.missing.begin(), drawn.missing.end());
  json["clipped"] = clipped_json(drawn.clipped);
  const std::filesystem::path part = path_.string() + ".part";
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file << json.dump(1) << "\n";
  file.close();
  std::error_code code;
  if (file) std::filesystem::rename(part, path_, code);
  written_at_ = std::chrono::steady_clock::now();
  stale_ = false;
}

}  // namespace runahead::gui
