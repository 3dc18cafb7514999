// The parameters that all workloads have. Internal to samples.
#pragma once

#include <vector>

#include "samples/workload.h"

namespace runahead::samples {

struct CommonDefaults {
  double class_steps = 1, published_steps = 1;
  double class_frontend_us = 0, published_frontend_us = 0;
  const char* steps_help = "Steps of a run that ends";
};
// Returns the workload's own parameters, followed by the parameters steps, seed and frontend_us.
[[nodiscard]] std::vector<ParameterSpec> with_common_parameters(std::vector<ParameterSpec> own,
                                                                const CommonDefaults& common);

// A parameter for an extent (rows or columns of an array) or for a count: a whole number from 1 to `max`.
[[nodiscard]] ParameterSpec count_parameter(const char* name, const char* title, const char* help,
                                            double class_value, double published_value, double max);
// A parameter that is a switch: 0 or 1.
[[nodiscard]] ParameterSpec switch_parameter(const char* name, const char* title, const char* help,
                                             double value);

}  // namespace runahead::samples
