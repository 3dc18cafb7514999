// The parts of the output of `runahead run` about published figures and about the exercise.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "samples/runner.h"

namespace runahead::gui {

// Returns an array with one object for each published figure of the workload. In each object, `here` is the
// figure of this run. If `here` is null, `note` says why this run has no such figure.
[[nodiscard]] nlohmann::ordered_json published_json(const samples::RunReport& report);
// Returns a table of published figures next to the figures of this run. Sets of figures that this run did not
// measure are omitted. Empty: the run measured none of the sets.
[[nodiscard]] std::string published_table(const samples::RunReport& report);
// Returns the exercise's title, its steps and what to compare. Empty for number 0, which means "no exercise".
[[nodiscard]] std::string exercise_text(int number);

}  // namespace runahead::gui
