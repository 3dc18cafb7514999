// The tables of a comparison in a form for spreadsheets. Pure: no ImGui.
#pragma once

#include <cstddef>
#include <span>

#include "gui/model/table_rows.h"
#include "instrumentation/analysis/comparison.h"

namespace runahead::gui {

// Returns one row for each figure. The unit follows the name of the figure.
[[nodiscard]] TableRows figure_rows(std::span<const analysis::FigurePair> figures);
// Returns one row for each listed name. The rows have all columns, even those that do not fit on the screen.
[[nodiscard]] TableRows name_rows(std::span<const analysis::NamePair> names,
                                  std::span<const std::size_t> listed);

}  // namespace runahead::gui
