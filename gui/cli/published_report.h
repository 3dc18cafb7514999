// What `runahead run` says of published figures, and of the exercise that was run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "samples/runner.h"

namespace runahead::gui {

// An array of rows, all of them: where `here` is null, `note` says why.
[[nodiscard]] nlohmann::ordered_json published_json(const samples::RunReport& report);
// Sets of which nothing was measured are left out. Empty: there is none else.
[[nodiscard]] std::string published_table(const samples::RunReport& report);
// Its question, what to do and what to compare. Empty: 0, no exercise.
[[nodiscard]] std::string exercise_text(int number);

}  // namespace runahead::gui
