// The output of `runahead compare`: a comparison as text, as JSON, or as comma-separated values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "instrumentation/analysis/comparison.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

struct ComparedFiles {
  std::string a, b;                               // names as given by the user
  std::optional<analysis::BarrierChange> change;  // the change between A and B, if there is one
};

[[nodiscard]] std::string comparison_text(const ComparedFiles& files, const analysis::Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json comparison_json(const ComparedFiles& files,
                                                     const analysis::Comparison& comparison);
// Returns a table with one value per line. Columns: table (figures, names), name, kind, figure, unit, a, b,
// ratio, no_ratio.
[[nodiscard]] std::string comparison_csv(const analysis::Comparison& comparison);

}  // namespace runahead::gui
