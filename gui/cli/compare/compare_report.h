// The output of `runahead compare`: a comparison as text, as JSON, or as comma-separated values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gui/cli/compare/compared_files.h"
#include "gui/cli/terminal/screen_text.h"
#include "instrumentation/analysis/comparison.h"

namespace runahead::gui {

// A sentence for each side that has no settled figures (analysis::AroundChange).
[[nodiscard]] std::vector<std::string> not_settled_sentences(const ComparedFiles& files);

// Ratios of figures that are clearly better or worse in B have a colour: times that operations take, the
// rates of steps and ops, blocked time and memory. Other figures are neither better nor worse.
[[nodiscard]] ScreenText comparison_text(const ComparedFiles& files, const analysis::Comparison& comparison,
                                         const TextScreen& screen);
[[nodiscard]] nlohmann::ordered_json comparison_json(const ComparedFiles& files,
                                                     const analysis::Comparison& comparison);
// Returns a table with one value per line. Columns: table ("figures" or "names"), name, kind, figure, unit,
// a, b, ratio, no_ratio.
[[nodiscard]] std::string comparison_csv(const analysis::Comparison& comparison);

}  // namespace runahead::gui
