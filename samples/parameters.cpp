#include "samples/parameters.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <utility>

namespace runahead::samples {

namespace {

std::string number_text(double value) {
  char room[32];
  std::snprintf(room, sizeof room, "%.15g", value);
  return room;
}

std::string names_of(const WorkloadSpec& spec) {
  std::string names;
  for (const ParameterSpec& parameter : spec.parameters)
    names += (names.empty() ? "" : ", ") + parameter.name;
  return names + ", size";
}

const ParameterSpec* find(const WorkloadSpec& spec, std::string_view name) {
  for (const ParameterSpec& parameter : spec.parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

Result<double> parse_value(const ParameterSpec& parameter, const std::string& text) {
  const std::string what = "parameter '" + parameter.name + "': '" + text + "' ";
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !std::isfinite(value)) {
    return Error{what + "is not a number; give one from " + number_text(parameter.min) + " to " +
                 number_text(parameter.max)};
  }
  if (parameter.integer && value != std::floor(value)) return Error{what + "is not a whole number"};
  if (value < parameter.min || value > parameter.max) {
    return Error{what + "is out of range; give " + number_text(parameter.min) + " to " +
                 number_text(parameter.max)};
  }
  return value;
}

}  // namespace

Result<Parameters> make_parameters(const WorkloadSpec& spec, std::string_view size,
                                   const std::map<std::string, std::string>& settings) {
  if (size != "class" && size != "published") {
    return Error{"unknown size '" + std::string(size) + "'; there are: class, published"};
  }
  Parameters parameters;
  for (const ParameterSpec& parameter : spec.parameters) {
    parameters[parameter.name] = size == "class" ? parameter.class_value : parameter.published_value;
  }
  for (const auto& [name, text] : settings) {
    const ParameterSpec* parameter = find(spec, name);
    if (parameter == nullptr) {
      return Error{"unknown parameter '" + name + "' of " + spec.name + "; there are: " + names_of(spec)};
    }
    const Result<double> value = parse_value(*parameter, text);
    if (!value.ok()) return value.error();
    parameters[name] = *value;
  }
  return parameters;
}

std::vector<ParameterSpec> with_common_parameters(std::vector<ParameterSpec> own,
                                                  const CommonDefaults& common) {
  own.push_back({"steps", "Steps in a run", common.steps_help, common.class_steps, common.published_steps, 1,
                 1e7, true});
  own.push_back({"seed", "Random seed", "Seed of the random numbers", 1, 1, 0, 4294967295.0, true});
  own.push_back({"frontend_us", "Cost per op, \u00b5s",
                 "Cost per op of the frontend's language (such as Python), in us", common.class_frontend_us,
                 common.published_frontend_us, 0, 1e6, false});
  return own;
}

ParameterSpec count_parameter(const char* name, const char* title, const char* help, double class_value,
                              double published_value, double max) {
  return {name, title, help, class_value, published_value, 1, max, true};
}

ParameterSpec switch_parameter(const char* name, const char* title, const char* help, double value) {
  return {name, title, help, value, value, 0, 1, true};
}

}  // namespace runahead::samples
