// The tables of a comparison, as a spreadsheet takes them. Pure: no ImGui.
#pragma once

#include <cstddef>
#include <span>

#include "gui/model/table_rows.h"
#include "instrumentation/analysis/comparison.h"

namespace runahead::gui {

// Their units stand behind their names.
[[nodiscard]] TableRows figure_rows(std::span<const analysis::FigurePair> figures);
// All columns of the listed names, whether or not there is room for them on the screen.
[[nodiscard]] TableRows name_rows(std::span<const analysis::NamePair> names,
                                  std::span<const std::size_t> listed);

}  // namespace runahead::gui
