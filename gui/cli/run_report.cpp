#include "gui/cli/run_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "gui/cli/output.h"
#include "gui/cli/published_report.h"
#include "gui/cli/results_report.h"
#include "gui/cli/wait_report_text.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/median.h"

namespace runahead::gui {
namespace {

using samples::RunReport;
using Json = nlohmann::ordered_json;

struct RealField {
  const char* name;
  double RunReport::*member;
};
constexpr std::array kRealFields{
    RealField{"wall_s", &RunReport::wall_s},       RealField{"enqueue_s", &RunReport::enqueue_s},
    RealField{"blocked_s", &RunReport::blocked_s}, RealField{"final_wait_s", &RunReport::final_wait_s},
    RealField{"other_s", &RunReport::other_s},     RealField{"results_wait_s", &RunReport::results_wait_s},
    RealField{"steps_s", &RunReport::steps_s},     RealField{"steps_per_s", &RunReport::steps_per_s},
};
// These fields are numbers of bytes. RunReport stores them as doubles, but they are integers.
constexpr std::array kByteFields{
    RealField{"peak_bytes", &RunReport::peak_bytes},
    RealField{"end_bytes", &RunReport::end_bytes},
    RealField{"params_bytes", &RunReport::params_bytes},
    RealField{"step_bytes", &RunReport::step_bytes},
    RealField{"reserved_bytes", &RunReport::reserved_bytes},
    RealField{"rss_before_bytes", &RunReport::rss_before_bytes},
    RealField{"rss_increase_bytes", &RunReport::rss_increase_bytes},
    RealField{"max_run_ahead_bytes", &RunReport::max_run_ahead_bytes},
};
struct WholeField {
  const char* name;
  std::int64_t RunReport::*member;
};
constexpr std::array kWholeFields{
    WholeField{"steps", &RunReport::steps},
    WholeField{"ops", &RunReport::ops},
    WholeField{"bulk_members", &RunReport::bulk_members},
    WholeField{"max_run_ahead_steps", &RunReport::max_run_ahead_steps},
    WholeField{"max_run_ahead_ops", &RunReport::max_run_ahead_ops},
    WholeField{"late_ops", &RunReport::late_ops},
    WholeField{"held_by_limit", &RunReport::held_by_limit},
};

template <typename Get>
double median_of(const std::vector<FinishedRun>& runs, const Get& get) {
  std::vector<double> values;
  for (const FinishedRun& run : runs) values.push_back(get(run.report));
  return median(std::move(values));
}

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;  // JSON has no NaN
  if (value == std::floor(value) && std::abs(value) < 9e15) return static_cast<std::int64_t>(value);
  return value;
}

Json result_json(const RunReport& report) {
  Json result = Json::object();
  for (const auto& [name, value] : report.result) {
    // Unlike number(), this writes a figure as a float even if its value is an integer.
    result[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  for (const auto& [name, text] : report.result_text) result[name] = text;
  return result;
}

std::string significant(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string seconds(double s) { return format_duration(Duration{std::llround(s * 1e9)}); }

std::string parameters_text(const RunReport& report) {
  std::string text;
  for (const auto& [name, value] : report.params)
    text += (text.empty() ? "" : " ") + name + "=" + significant(value);
  return text;
}

// Returns rows such as "virtual:0: activations 240 MB, inputs 121 MB".
std::vector<std::vector<std::string>> category_rows(const RunReport& r) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [device, categories] : r.peak_by_category) {
    std::string text;
    for (const auto& [name, bytes] : categories)
      text += (text.empty() ? "" : ", ") + name + " " + format_bytes(bytes);
    rows.push_back({"    of " + device, "", text});
  }
  return rows;
}

Json devices_json(const RunReport& report) {
  Json devices = Json::array();
  for (const RunReport::Device& device : report.devices)
    devices.push_back({{"name", device.name},
                       {"simulated", device.simulated},
                       {"added", device.added},
                       {"ops", device.ops}});
  return devices;
}

// Lists the devices that the run used although the user did not request them.
std::string added_text(const RunReport& report) {
  std::string text;
  for (const RunReport::Device& device : report.devices) {
    if (device.added)
      text += device.name + (device.simulated ? ", a simulated device," : "") +
              " joined: " + report.workload + " needs two devices\n";
  }
  return text;
}

// `rate`: the rate of steps as text, or where to find it.
std::vector<std::vector<std::string>> measured_rows(const RunReport& r, const std::string& rate) {
  std::vector<std::vector<std::string>> rows{
      {"  steps", std::to_string(r.steps), rate},
      {"  ops", std::to_string(r.ops), r.late_ops > 0 ? std::to_string(r.late_ops) + " late" : ""},
      {"  wall", seconds(r.wall_s), "first enqueue to the last op's end"},
      {"  of it, enqueue", seconds(r.enqueue_s), "the frontend at work on ops"},
      {"  blocked", seconds(r.blocked_s), "waits before the last"},
      {"  final wait", seconds(r.final_wait_s), ""},
      {"  other", seconds(r.other_s), "its own work: no op is enqueued"},
      {"  peak memory", format_bytes(r.peak_bytes),
       "allocated on its devices; the model is " + format_bytes(r.params_bytes)},
      {"  memory at the end", format_bytes(r.end_bytes), ""},
      {"  a step allocates", format_bytes(r.step_bytes), ""},
      {"  process RSS", "+" + format_bytes(r.rss_increase_bytes),
       "the kernel's figure: untouched pages cost nothing"},
      {"  run-ahead",
       std::to_string(r.max_run_ahead_steps) + (r.max_run_ahead_steps == 1 ? " step" : " steps"),
       std::to_string(r.max_run_ahead_ops) + " ops, " + format_bytes(r.max_run_ahead_bytes) + " at most"},
  };
  const auto after_peak =
      std::ranges::find(rows, "  peak memory", [](const auto& row) { return row.front(); });
  const std::vector<std::vector<std::string>> categories = category_rows(r);
  rows.insert(after_peak + 1, categories.begin(), categories.end());
  return rows;
}

double seconds_between(Timestamp from, Timestamp to) {
  return std::chrono::duration<double>(to - from).count();
}

// The figures describe the steady part of the segment. If the rate of steps did not become steady, the spread
// is null, and the figures cover all time after the backlog of the previous barrier has drained.
Json segments_json(const std::vector<analysis::BarrierSegment>& segments) {
  Json out = Json::array();
  for (const analysis::BarrierSegment& segment : segments) {
    const Timestamp start = segments.front().range.begin;
    out.push_back({{"barrier", segment.barrier},
                   {"from_s", seconds_between(start, segment.range.begin)},
                   {"to_s", seconds_between(start, segment.range.end)},
                   {"drained_s", seconds_between(start, segment.drained)},
                   {"settled", segment.settled()},
                   {"steady_from_s", seconds_between(start, segment.figures.range.begin)},
                   {"steady_to_s", seconds_between(start, segment.figures.range.end)},
                   {"steps_per_s", segment.figures.steps_per_s},
                   {"steps_per_s_spread", segment.rate.settled ? Json(segment.rate.spread) : Json(nullptr)},
                   {"blocked_ratio", segment.figures.blocked_ratio},
                   {"peak_bytes", number(segment.figures.peak_bytes)},
                   {"max_run_ahead_steps", number(segment.figures.max_run_ahead_steps)},
                   {"late_ops", segment.lateness.late_slices}});
  }
  return out;
}

// Returns why the figures of the segment cannot be compared; empty: they can.
std::string doubt_words(const analysis::BarrierSegment& segment) {
  if (segment.settled()) return "";
  return segment.rate.settled ? ", host too slow for the model" : ", not settled";
}

std::string segments_text(const std::vector<analysis::BarrierSegment>& segments) {
  std::vector<std::vector<std::string>> rows;
  for (const analysis::BarrierSegment& segment : segments) {
    const double from_s = seconds_between(segments.front().range.begin, segment.range.begin);
    rows.push_back({"  from " + seconds(from_s), segment.barrier, format_rate(segment.figures.steps_per_s),
                    "blocked " + format_percent(segment.figures.blocked_ratio) + ", peak " +
                        format_bytes(segment.figures.peak_bytes) + doubt_words(segment)});
  }
  return aligned(rows, {true, true, false, true});
}

// True if the run has several parts that are measured. A rate over all of them would mix them.
bool has_several_parts(const FinishedRun& run) {
  return std::ranges::count_if(run.parts,
                               [](const PartFigures& p) { return analysis::is_measured(p.part); }) > 1;
}

// A part without steps has no rate. The preparation and the reading of results have no blocked share either.
Json parts_json(const std::vector<PartFigures>& parts) {
  Json out = Json::array();
  for (const auto& [part, figures] : parts) {
    const Timestamp start = parts.front().part.range.begin;
    const bool measured = analysis::is_measured(part);
    out.push_back({{"name", part.name},
                   {"measured", measured},
                   {"from_s", seconds_between(start, part.range.begin)},
                   {"to_s", seconds_between(start, part.range.end)},
                   {"steps", number(figures.steps)},
                   {"steps_per_s", figures.steps > 0 ? Json(figures.steps_per_s) : Json(nullptr)},
                   {"blocked_ratio", measured ? Json(figures.blocked_ratio) : Json(nullptr)},
                   {"peak_bytes", number(figures.peak_bytes)}});
  }
  return out;
}

std::string parts_text(const std::vector<PartFigures>& parts) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [part, figures] : parts) {
    const std::string blocked = "blocked " + format_percent(figures.blocked_ratio);
    rows.push_back({"  part: " + part.name, format_duration(part.range.duration()),
                    figures.steps > 0 ? format_rate(figures.steps_per_s) : "",
                    analysis::is_measured(part) ? blocked : ""});
  }
  return aligned(rows, {true, false, false, true});
}

}  // namespace

std::vector<PartFigures> figures_by_part(const trace::Trace& trace) {
  std::vector<PartFigures> out;
  for (analysis::PartOfRun& part : analysis::parts_of_run(trace)) {
    analysis::SegmentFigures figures =
        analysis::segment_figures(trace, part.range, analysis::SegmentWork::kLeftOut);
    out.push_back({std::move(part), std::move(figures)});
  }
  return out;
}

FinishedRun median_run(const std::vector<FinishedRun>& runs) {
  FinishedRun out = runs.front();
  if (runs.size() > 1) {
    out.segments.reset();
    out.parts.clear();
  }
  RunReport& report = out.report;
  const auto take_real = [&](const RealField& field) {
    report.*field.member = median_of(runs, [&](const RunReport& r) { return r.*field.member; });
  };
  std::for_each(kRealFields.begin(), kRealFields.end(), take_real);
  std::for_each(kByteFields.begin(), kByteFields.end(), take_real);
  for (const WholeField& field : kWholeFields) {
    report.*field.member = std::llround(
        median_of(runs, [&](const RunReport& r) { return static_cast<double>(r.*field.member); }));
  }
  for (auto& [name, value] : report.result) {
    value = median_of(runs, [&key = name](const RunReport& r) {
      const auto found = r.result.find(key);
      return found == r.result.end() ? 0.0 : found->second;
    });
  }
  for (std::size_t i = 1; i < runs.size(); ++i) out.lost.add(runs[i].lost);
  std::vector<analysis::WaitTotals> waits;
  for (const FinishedRun& run : runs) waits.push_back(run.waits);
  out.waits = median_waits(waits);
  return out;
}

namespace {

Json cupti_json(const GpuActivity& gpu) {
  return {{"recorded", gpu.recorded},
          {"why_not", gpu.why_not},
          {"version", gpu.version},
          {"refused", gpu.refused},
          {"clock_error_ns", ns_from(gpu.clock_error)},
          {"lost", gpu.lost}};
}

std::string cupti_text(const GpuActivity& gpu) {
  if (!gpu.recorded)
    return "the GPU's own activity is not recorded, its ops are timed by CUDA events: " + gpu.why_not + "\n";
  std::string out = "the GPU's own activity is recorded by CUPTI";
  if (gpu.clock_error > Duration{0}) out += ", its clock off by at least " + format_duration(gpu.clock_error);
  out += "\n";
  if (!gpu.refused.empty()) out += "not recorded: " + gpu.refused + "\n";
  return out;
}

}  // namespace

Json report_json(const FinishedRun& run) {
  const RunReport& report = run.report;
  Json params = Json::object();
  for (const auto& [name, value] : report.params) params[name] = number(value);
  Json out{{"workload", report.workload},     {"device", run.device},    {"simulated", run.simulated},
           {"devices", devices_json(report)}, {"engine", report.engine}, {"barrier", report.barrier},
           {"settings", report.settings},     {"params", params}};
  for (const WholeField& field : kWholeFields) out[field.name] = report.*field.member;
  for (const RealField& field : kRealFields) {
    const double value = report.*field.member;
    out[field.name] = std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  for (const RealField& field : kByteFields) out[field.name] = number(report.*field.member);
  out["peak_by_category"] = Json::object();
  for (const auto& [device, categories] : report.peak_by_category) {
    for (const auto& [name, bytes] : categories) out["peak_by_category"][device][name] = number(bytes);
  }
  out["waits"] = waits_json(run.waits);
  if (!run.parts.empty()) out["parts"] = parts_json(run.parts);
  if (run.segments) out["segments"] = segments_json(*run.segments);
  out["result"] = result_json(report);
  out["exercise"] = run.exercise == 0 ? Json(nullptr) : Json(run.exercise);
  out["published"] = published_json(report);
  out["record"] = run.recorded.empty() ? Json(nullptr) : Json(run.recorded.front().string());
  out["record_files"] = Json::array();
  for (const std::filesystem::path& file : run.recorded) out["record_files"].push_back(file.string());
  out["lost"] = losses_json(run.lost);
  if (run.gpu) out["cupti"] = cupti_json(*run.gpu);
  return out;
}

std::string files_in_words(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) return "";
  if (files.size() == 1) return files.front().string();
  return files.front().string() + " to " + files.back().filename().string() + " (" +
         std::to_string(files.size()) + " files)";
}

std::string report_text(const FinishedRun& run, std::size_t run_count) {
  const RunReport& r = run.report;
  std::string out = exercise_text(run.exercise);
  out += r.workload + " on " + r.device + ", " + r.engine + " engine, barrier " + r.barrier + "\n";
  out += added_text(r);
  if (run_count > 1) out += "medians of " + std::to_string(run_count) + " runs\n";
  const bool parts = has_several_parts(run);
  const std::string rate = parts ? "rate: see the parts below" : format_rate(r.steps_per_s);
  out += parameters_text(r) + "\n" + aligned(measured_rows(r, rate), {true, false, true});
  if (parts) out += parts_text(run.parts);
  if (r.held_by_limit > 0) {
    out += "  held back " + std::to_string(r.held_by_limit) + " times by the safety limit\n";
  }
  if (run.segments) out += segments_text(*run.segments);
  out += waits_text(run.waits);
  out += results_text(r) + published_table(r) + losses_text(run.lost);
  if (run.gpu) out += cupti_text(*run.gpu);
  if (!run.recorded.empty()) out += "recorded: " + files_in_words(run.recorded) + "\n";
  return out;
}

}  // namespace runahead::gui
