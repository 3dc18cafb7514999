// The figures of a report that stand in fields of their own, by name: to be kept with a recording and read
// back.
#pragma once

#include <map>
#include <string>

#include "samples/runner.h"

namespace runahead::samples {

// "wall_s", "steps_per_s", "peak_bytes", ..., "steps", "ops", "late_ops", "max_run_ahead_steps", and of each
// category of memory its share of the peak: "peak_inputs_bytes".
[[nodiscard]] std::map<std::string, double> report_fields(const RunReport& report);
// The other way; names that are none are left out, and of the devices at the peak their sum stays.
void set_report_fields(RunReport& report, const std::map<std::string, double>& fields);

}  // namespace runahead::samples
