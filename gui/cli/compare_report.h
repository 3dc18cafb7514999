// What `runahead compare` writes: a comparison as text, as JSON, as comma-separated values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "instrumentation/analysis/comparison.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

struct ComparedFiles {
  std::string a, b;                               // as they were named
  std::optional<analysis::BarrierChange> change;  // that lies between the two, where one does
};

[[nodiscard]] std::string comparison_text(const ComparedFiles& files, const analysis::Comparison& comparison);
[[nodiscard]] nlohmann::ordered_json comparison_json(const ComparedFiles& files,
                                                     const analysis::Comparison& comparison);
// One value a line: table (figures, names), name, kind, figure, unit, a, b, ratio, no_ratio.
[[nodiscard]] std::string comparison_csv(const analysis::Comparison& comparison);

}  // namespace runahead::gui
