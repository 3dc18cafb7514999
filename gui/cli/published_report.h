// The output of `runahead run` for published figures and for the exercise.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "samples/runner.h"

namespace runahead::gui {

// Returns an array of all rows. If `here` is null in a row, `note` says why.
[[nodiscard]] nlohmann::ordered_json published_json(const samples::RunReport& report);
// Returns a table of published figures next to the figures of this run. Sets that this run did not measure
// are omitted. Empty: the run measured no set.
[[nodiscard]] std::string published_table(const samples::RunReport& report);
// Returns the exercise's question, its instructions and what to compare. Empty for number 0, which is no
// exercise.
[[nodiscard]] std::string exercise_text(int number);

}  // namespace runahead::gui
