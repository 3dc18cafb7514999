#include "samples/report_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "samples/formula.h"
#include "samples/report_fields.h"
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
    Field{"other_s", &RunReport::other_s},
    Field{"results_wait_s", &RunReport::results_wait_s},
    Field{"steps_s", &RunReport::steps_s},
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

struct Count {
  std::string_view name;
  std::int64_t RunReport::*member;
};
constexpr std::array kCounts{
    Count{"steps", &RunReport::steps},
    Count{"ops", &RunReport::ops},
    Count{"bulk_members", &RunReport::bulk_members},
    Count{"late_ops", &RunReport::late_ops},
    Count{"held_by_limit", &RunReport::held_by_limit},
    Count{"max_run_ahead_steps", &RunReport::max_run_ahead_steps},
    Count{"max_run_ahead_ops", &RunReport::max_run_ahead_ops},
};

std::optional<double> found_in(const std::map<std::string, double>& figures, std::string_view name) {
  const auto found = figures.find(std::string(name));
  return found != figures.end() ? std::optional(found->second) : std::nullopt;
}

constexpr std::string_view kPeakOf = "peak_", kBytes = "_bytes";

// The memory category in a name: "inputs" for "peak_inputs_bytes". Empty for other names.
std::string_view category_in(std::string_view name) {
  if (!name.starts_with(kPeakOf) || !name.ends_with(kBytes) || name.size() <= kPeakOf.size() + kBytes.size())
    return {};
  return name.substr(kPeakOf.size(), name.size() - kPeakOf.size() - kBytes.size());
}

// Returns the sum over all devices of the bytes in the memory category that `name` contains. Each device
// counts with the bytes at the moment of its own peak.
std::optional<double> peak_of_category(const RunReport& run, std::string_view name) {
  const std::string category(category_in(name));
  if (category.empty()) return std::nullopt;
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
  for (const Count& count : kCounts) {
    if (count.name == name) return static_cast<double>(run.*count.member);
  }
  for (const Field& field : kFields) {
    if (field.name == name) return run.*field.member;
  }
  if (const std::optional<double> parameter = found_in(run.params, name)) return parameter;
  return peak_of_category(run, name);
}

std::map<std::string, double> report_fields(const RunReport& report) {
  std::map<std::string, double> fields;
  for (const Field& field : kFields) fields[std::string(field.name)] = report.*field.member;
  for (const Count& count : kCounts)
    fields[std::string(count.name)] = static_cast<double>(report.*count.member);
  for (const auto& [device, categories] : report.peak_by_category) {
    for (const auto& [category, bytes] : categories)
      fields[std::string(kPeakOf) + category + std::string(kBytes)] += bytes;
  }
  return fields;
}

void set_report_fields(RunReport& report, const std::map<std::string, double>& fields) {
  for (const auto& [name, value] : fields) {
    const auto of_name = [&name](const auto& one) { return one.name == name; };
    if (const auto field = std::ranges::find_if(kFields, of_name); field != kFields.end()) {
      report.*field->member = value;
    } else if (const auto count = std::ranges::find_if(kCounts, of_name); count != kCounts.end()) {
      report.*count->member = std::llround(value);
    } else if (const std::string_view category = category_in(name); !category.empty()) {
      report.peak_by_category[report.device][std::string(category)] = value;
    }
  }
}

std::optional<double> figure_from(const RunReport& run, std::string_view formula) {
  return evaluate(formula, [&run](std::string_view name) { return figure_of(run, name); });
}

}  // namespace runahead::samples
