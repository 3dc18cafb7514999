// Tables as a spreadsheet takes them, from the clipboard or from a file; the order of their rows; and those
// that several panels have: the figures of a range, statistics by name. No ImGui.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gui/text/text.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/statistics.h"
#include "instrumentation/base/time.h"

namespace runahead::gui {

// The first row is the header. Figures are whole numbers of the unit that the header names, not rounded.
using TableRows = std::vector<std::vector<std::string>>;

[[nodiscard]] std::string ns_cell(Duration duration);
[[nodiscard]] std::string ns_header(const std::string& name);
[[nodiscard]] std::string ns_header(Text name);
// With all of its digits, as far as a reader needs them: "0.71", "123456789".
[[nodiscard]] std::string value_cell(double value);

// A line a row, tabs between the cells; tabs and line ends within a cell become spaces.
[[nodiscard]] std::string tab_separated(const TableRows& rows);

// The order in which the rows of an answer are listed, as the table's header asks.
struct ListOrder {
  std::vector<std::size_t> rows;
  std::uint64_t answer = 0;  // of the answer of that number
};

// A row for each figure: its name with its unit, its value.
[[nodiscard]] TableRows range_rows(const analysis::SegmentFigures& figures);
// In the order of `listed`, which are indices of `names`.
[[nodiscard]] TableRows statistics_rows(std::span<const analysis::NameStatistics> names,
                                        std::span<const std::size_t> listed);

}  // namespace runahead::gui
