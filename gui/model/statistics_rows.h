// The figures of a range and statistics by name, as a spreadsheet takes them. Pure: no ImGui.
#pragma once

#include <cstddef>
#include <span>

#include "gui/model/table_rows.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/statistics.h"

namespace runahead::gui {

// A row for each figure: its name with its unit, its value.
[[nodiscard]] TableRows range_rows(const analysis::SegmentFigures& figures);
// In the order of `listed`, which are indices of `names`.
[[nodiscard]] TableRows statistics_rows(std::span<const analysis::NameStatistics> names,
                                        std::span<const std::size_t> listed);

}  // namespace runahead::gui
