// The output of `runahead run` for published figures and for the exercise.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "samples/runner.h"

namespace runahead::gui {

// Returns an array of all rows. If `here` is null in a row, `note` says why.
[[nodiscard]] nlohmann::ordered_json published_json(const samples::RunReport& report);
// Returns the published figures next to the figures of this run, without the sets that this run did not
// measure. Empty: it measured none.
[[nodiscard]] std::string published_table(const samples::RunReport& report);
// Returns the exercise's question, what to do and what to compare. Empty for number 0, which is no exercise.
[[nodiscard]] std::string exercise_text(int number);

}  // namespace runahead::gui
