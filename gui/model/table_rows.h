// Tables in a form for spreadsheets, for the clipboard or a file. Also the order of table rows, and tables
// that several panels share: the figures of a range, and statistics by name. No ImGui.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gui/text/text.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/statistics.h"
#include "instrumentation/analysis/timeline/area_statistics.h"
#include "instrumentation/base/time.h"

namespace runahead::gui {

// The first row is the header. Figures that are integers (such as ns and bytes) are not rounded; the header
// names their unit.
using TableRows = std::vector<std::vector<std::string>>;

[[nodiscard]] std::string ns_cell(Duration duration);
[[nodiscard]] std::string ns_header(const std::string& name);
[[nodiscard]] std::string ns_header(Text name);
// Returns `value` as text with at most 12 significant digits, and no more than needed: "0.71", "123456789".
[[nodiscard]] std::string value_cell(double value);

// Returns a text with one line for each row and tabs between the cells. Tabs and line ends within a cell
// become spaces.
[[nodiscard]] std::string tab_separated(const TableRows& rows);

// The order of the rows in a list. The user selects it in the table's header.
struct ListOrder {
  std::vector<std::size_t> rows;
  std::uint64_t answer = 0;  // number of the answer that was sorted
};

// Returns one row for each figure: the name of the figure with its unit, and its value.
[[nodiscard]] TableRows range_rows(const analysis::SegmentFigures& figures);
// Returns one row for each name in `listed`, which contains indices into `names`.
[[nodiscard]] TableRows statistics_rows(std::span<const analysis::NameStatistics> names,
                                        std::span<const std::size_t> listed);
// Returns one row for each name of a selected area.
[[nodiscard]] TableRows area_name_rows(const analysis::AreaStatistics& area);
// Returns one row for each counter of a selected area, with the counter's unit.
[[nodiscard]] TableRows area_counter_rows(const trace::Trace& trace, const analysis::AreaStatistics& area);

}  // namespace runahead::gui
