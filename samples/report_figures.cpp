#include "samples/report_figures.h"

#include <array>
#include <map>
#include <string>

#include "samples/formula.h"
#include "samples/runner.h"

namespace runahead::samples {

namespace {

struct Field {
  std::string_view name;
  double RunReport::*member;
};
constexpr std::array kFields{
    Field{"wall_s", &RunReport::wall_s},
    Field{"enqueue_s", &RunReport::enqueue_s},
    Field{"blocked_s", &RunReport::blocked_s},
    Field{"final_wait_s", &RunReport::final_wait_s},
    Field{"steps_per_s", &RunReport::steps_per_s},
    Field{"peak_bytes", &RunReport::peak_bytes},
    Field{"end_bytes", &RunReport::end_bytes},
    Field{"reserved_bytes", &RunReport::reserved_bytes},
    Field{"params_bytes", &RunReport::params_bytes},
    Field{"step_bytes", &RunReport::step_bytes},
    Field{"rss_before_bytes", &RunReport::rss_before_bytes},
    Field{"rss_increase_bytes", &RunReport::rss_increase_bytes},
    Field{"max_run_ahead_bytes", &RunReport::max_run_ahead_bytes},
};

std::optional<double> found_in(const std::map<std::string, double>& figures, std::string_view name) {
  const auto found = figures.find(std::string(name));
  return found != figures.end() ? std::optional(found->second) : std::nullopt;
}

// "peak_inputs_bytes": of what was live at the devices' peaks, what was of that category.
std::optional<double> peak_of_category(const RunReport& run, std::string_view name) {
  constexpr std::string_view kBegin = "peak_", kEnd = "_bytes";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd) || name.size() <= kBegin.size() + kEnd.size())
    return std::nullopt;
  const std::string category(name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size()));
  double bytes = 0;
  for (const auto& [device, categories] : run.peak_by_category) {
    const auto found = categories.find(category);
    if (found != categories.end()) bytes += found->second;
  }
  return bytes;
}

}  // namespace

std::optional<double> figure_of(const RunReport& run, std::string_view name) {
  if (const std::optional<double> result = found_in(run.result, name)) return result;
  if (name == "steps") return static_cast<double>(run.steps);
  if (name == "ops") return static_cast<double>(run.ops);
  for (const Field& field : kFields) {
    if (field.name == name) return run.*field.member;
  }
  if (const std::optional<double> parameter = found_in(run.params, name)) return parameter;
  return peak_of_category(run, name);
}

std::optional<double> figure_from(const RunReport& run, std::string_view formula) {
  return evaluate(formula, [&run](std::string_view name) { return figure_of(run, name); });
}

}  // namespace runahead::samples
