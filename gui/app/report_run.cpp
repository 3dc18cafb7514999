#include <nlohmann/json.hpp>

#include "gui/answers/strip_figures.h"
#include "gui/app/report_parts.h"

namespace runahead::gui {

using Json = nlohmann::json;

namespace {

const char* word(analysis::Phase phase) {
  switch (phase) {
    case analysis::Phase::kWarmingUp:
      return "warming_up";
    case analysis::Phase::kDraining:
      return "draining";
    case analysis::Phase::kSettling:
      return "settling";
    case analysis::Phase::kSettled:
      return "settled";
  }
  return "";
}

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

double seconds_from(Duration d) { return std::chrono::duration<double>(d).count(); }

Json figures_json(const analysis::SegmentFigures& f) {
  return {{"seconds", seconds_from(analysis::active_time(f))},
          {"steps", f.steps},
          {"steps_per_s", f.steps_per_s},
          {"blocked_ratio", f.blocked_ratio},
          {"peak_bytes", f.peak_bytes},
          {"max_run_ahead_steps", f.max_run_ahead_steps},
          {"max_run_ahead_ops", f.max_run_ahead_ops}};
}

Json run_json(const PanelModel& model) {
  if (!model.run) return nullptr;
  const RunFacts& run = *model.run;
  return {{"state", word(run.state)},
          {"live", run.live()},
          {"workload", run.workload},
          {"devices", run.devices},
          {"barrier", to_string(run.barrier)},
          {"steps", run.steps},
          {"ops_in_flight", run.ops_in_flight},
          {"held_by_limit", run.held_by_limit},
          {"late_ops", run.late_ops}};
}

Json choice_json(const PanelModel& model) {
  Json settings = model.start.choice.settings;
  return {{"workload", model.start.choice.workload},
          {"devices", model.start.choice.devices},
          {"size", model.start.choice.size},
          {"barrier", to_string(model.start.choice.barrier)},
          {"endless", model.start.choice.endless},
          {"settings", settings},
          {"workers", model.start.choice.engine.cpu_workers}};
}

Json summary_json(const analysis::TraceSummary& summary) {
  Json devices = Json::array();
  for (const analysis::DeviceBusy& device : summary.devices)
    devices.push_back({{"device", device.device}, {"busy_s", seconds_from(device.busy)}});
  Json out = {{"length_s", seconds_from(summary.length)},
              {"steps", summary.steps},
              {"median_step_s", seconds_from(summary.median_step)},
              {"shortest_step_s", seconds_from(summary.shortest_step)},
              {"longest_step_s", seconds_from(summary.longest_step)},
              {"devices", devices}};
  if (summary.blocked) out["blocked_s"] = seconds_from(summary.blocked->blocked);
  if (summary.peak) out["peak_bytes"] = summary.peak->bytes;
  return out;
}

Json answers_json(const PanelModel& model) {
  Json lines = Json::array();
  for (const StripAnswer& answer : strip_answers(model.figures, model.grows()))
    lines.push_back({{"words", answer.words}, {"note", answer.note}, {"final", answer.final}});
  return lines;
}

Json curves_json(const PanelModel& model) {
  if (!model.figures.curves) return nullptr;
  Json points = Json::array();
  for (const analysis::CurvePoint& point : model.figures.curves->points) {
    points.push_back({{"begin_ns", ns_from(point.begin - Timestamp{})},
                      {"steps_per_s", point.steps_per_s ? Json(*point.steps_per_s) : Json(nullptr)},
                      {"live_bytes", point.live_bytes}});
  }
  return {{"points", points}, {"changes", model.figures.curves->changes.size()}};
}

Json strip_json(const PanelModel& model) {
  if (!model.files.compares)
    return model.figures.summary ? Json{{"summary", summary_json(*model.figures.summary)}} : Json(nullptr);
  if (!model.figures.before_after) return nullptr;
  return {{"change", model.figures.before_after->change.label},
          {"part", model.figures.part},
          {"title", strip_title(model.figures)},
          {"before_phase", word(model.figures.before.phase)},
          {"after_phase", word(model.figures.after.phase)},
          {"late", model.figures.late},
          {"before_spread", model.figures.before.spread},
          {"after_spread", model.figures.after.spread},
          {"before", figures_json(model.figures.before_after->before)},
          {"after", figures_json(model.figures.before_after->after)},
          {"answers", answers_json(model)},
          {"curves", curves_json(model)}};
}

Json published_json(const PanelModel& model) {
  Json rows = Json::array();
  for (const samples::ComparedFigure& row : model.start.published) {
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
  for (const samples::ShownTable& table : model.start.results) {
    for (const samples::ShownRow& row : table.rows)
      rows.push_back({{"table", table.title}, {"label", row.label}, {"figures", row.figures}});
    if (!table.sentence.empty()) rows.push_back({{"table", table.title}, {"label", table.sentence}});
  }
  return rows;
}

Json range_figures_json(const analysis::SegmentFigures& f) {
  Json json = figures_json(f);
  json["execute_ns"] = ns_from(f.busy_execute);
  json["copy_ns"] = ns_from(f.busy_copy);
  json["overlap_ns"] = ns_from(f.overlap);
  return json;
}

Json forecasts_json(const ForecastFacts& forecasts) {
  Json barriers = Json::object();
  for (const predict::PolicyForecast& one : forecasts.barriers)
    barriers[to_string(one.policy)] = {{"steps_per_s", one.steps_per_s}, {"peak_bytes", one.peak_bytes}};
  return {{"barriers", barriers},
          {"why_none", forecasts.why_none},
          {"answers", forecasts.answers},
          {"cost_ms", forecasts.cost_ms},
          {"most_cost_ms", forecasts.most_cost_ms}};
}

}  // namespace

void add_run(Json& json, const PanelModel& model) {
  json["run"] = run_json(model);
  json["choice"] = choice_json(model);
  json["strip"] = strip_json(model);
  json["forecasts"] = forecasts_json(model.forecasts);
  json["exercise"] = model.start.exercise != nullptr ? Json(model.start.exercise->number) : Json(nullptr);
  json["published"] = published_json(model);
  json["results"] = results_json(model);
  json["results_of"] = model.start.results_of;
  json["range_measured"] = model.figures.range.has_value();
  json["range_figures"] =
      model.figures.range ? range_figures_json(model.figures.range->figures) : Json(nullptr);
}

}  // namespace runahead::gui
