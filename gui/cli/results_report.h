// The workload's own results in the output of `runahead run`: the same tables as in the window.
#pragma once

#include <string>

#include "samples/runner.h"

namespace runahead::gui {

// Returns the tables as text. Empty: there are no results.
[[nodiscard]] std::string results_text(const samples::RunReport& report);

}  // namespace runahead::gui
