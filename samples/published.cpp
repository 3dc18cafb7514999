#include "samples/published.h"

#include <cmath>
#include <cstdio>

#include "instrumentation/base/format.h"
#include "samples/report_figures.h"
#include "samples/runner.h"

namespace runahead::samples {

namespace {

constexpr const char* kNotMeasured = "Needs a run that has ended, with a fixed number of steps.";
constexpr const char* kOtherDevice = "The run with this figure was on another device.";

bool matches(const RunCondition& condition, const RunReport& run) {
  return condition.matches == nullptr || condition.matches(run);
}

// Looks for the newest run that measured `figure`, and sets `here` of `out` to the measured value. If there
// is no such run, sets `note` of `out` to the reason.
void look_up(const PublishedFigure& figure, bool over_devices, std::span<const RunReport> runs,
             ComparedFigure& out) {
  if (figure.here.empty()) {
    out.note = figure.absent;
    return;
  }
  if (runs.empty()) return;
  out.note = figure.condition.sentence;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (!matches(figure.condition, *run)) continue;
    const bool same_device = over_devices || run->device == runs.back().device;
    out.here = same_device ? figure_from(*run, figure.here) : std::nullopt;
    out.note = out.here ? "" : (same_device ? kNotMeasured : kOtherDevice);
    if (out.here) return;
  }
}

void compare_shape(const ComparedFigure& base, ComparedFigure& out) {
  out.against = base.label;
  if (base.published > 0) out.shape_published = out.published / base.published;
  if (out.here && base.here && *base.here > 0) out.shape_here = *out.here / *base.here;
}

}  // namespace

RunCondition without_a_wait() {
  return {[](const RunReport& run) { return run.barrier == "none"; }, "Needs a run with barrier none."};
}

RunCondition with_a_wait() {
  return {[](const RunReport& run) {
            return run.barrier != "none" && run.barrier.find(':') == std::string::npos;
          },
          "Needs a run with a wait in every step, such as barrier wait_to_read."};
}

std::vector<ComparedFigure> compare_published(const std::vector<PublishedSet>& sets,
                                              std::span<const RunReport> runs) {
  std::vector<ComparedFigure> compared;
  for (const PublishedSet& set : sets) {
    const std::size_t base = compared.size();
    for (const PublishedFigure& figure : set.figures) {
      ComparedFigure out{.set = set.title,
                         .label = figure.label,
                         .unit = figure.unit,
                         .formula = figure.here,
                         .published = figure.value};
      look_up(figure, set.over_devices, runs, out);
      if (figure.unit == "x") {
        out.shape_published = figure.value;
        out.shape_here = out.here;
      } else if (compared.size() > base && !figure.here.empty()) {
        compare_shape(compared[base], out);
      }
      compared.push_back(std::move(out));
    }
  }
  return compared;
}

std::string published_text(double value, const std::string& unit) {
  if (unit == "x") return format_ratio(value);
  char text[48];
  std::snprintf(text, sizeof text, "%.8g", value);
  return unit.empty() ? text : std::string(text) + " " + unit;
}

std::string here_text(double value, const std::string& unit) {
  if (unit == "x") return format_ratio(value);
  if (unit == "s") return format_duration(Duration{std::llround(value * 1e9)});
  char text[48];
  std::snprintf(text, sizeof text, "%.3g", value);
  return unit.empty() ? text : std::string(text) + " " + unit;
}

}  // namespace runahead::samples
