// What `runahead run` says of a workload's own results: its tables, as the window shows them.
#pragma once

#include <string>

#include "samples/runner.h"

namespace runahead::gui {

// Empty: there is none.
[[nodiscard]] std::string results_text(const samples::RunReport& report);

}  // namespace runahead::gui
