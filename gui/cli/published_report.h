// The output of `runahead run` for published figures and for the exercise.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "samples/runner.h"

namespace runahead::gui {

// An array of all rows. If `here` is null, `note` says why.
[[nodiscard]] nlohmann::ordered_json published_json(const samples::RunReport& report);
// Omits sets without measurements. Empty: there are no others.
[[nodiscard]] std::string published_table(const samples::RunReport& report);
// Its question, what to do and what to compare. Empty for 0: no exercise.
[[nodiscard]] std::string exercise_text(int number);

}  // namespace runahead::gui
