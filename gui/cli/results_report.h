// The workload's own results in the output of `runahead run`: the tables that the window shows.
#pragma once

#include <string>

#include "samples/runner.h"

namespace runahead::gui {

// Returns the tables as text. Empty: there are no results.
[[nodiscard]] std::string results_text(const samples::RunReport& report);

}  // namespace runahead::gui
