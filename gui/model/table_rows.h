// A table of a panel as a spreadsheet takes it: from the clipboard, or from a file; and the order of its
// rows. No ImGui.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/text/text.h"
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

}  // namespace runahead::gui
