// Lists as tables: what the panels' tables have in common.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/panels/commands.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

inline constexpr ImGuiTableFlags kListTable = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                              ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Sortable |
                                              ImGuiTableFlags_NoSavedSettings;

// Takes that share of the table's width.
void list_column(Text name, ImGuiTableColumnFlags flags, float weight);
// Begins a row that can be clicked, by the name `widget` + index; what is drawn next stands in its first
// cell.
[[nodiscard]] bool row_button(const PanelUi& ui, std::string_view widget, std::size_t index, bool chosen);
// The next cell: a number on its right, a text that ends in an ellipsis where it is too long.
void number_cell(const std::string& words);
void text_cell(const PanelUi& ui, std::string_view words);

// A table as a spreadsheet takes it from the clipboard: a line a row, tabs between the cells; tabs and line
// ends within a cell become spaces. The first row is the header.
using TableRows = std::vector<std::vector<std::string>>;
[[nodiscard]] std::string tab_separated(const TableRows& rows);
// A button that puts the table on the clipboard; `rows` is called when it is pressed.
void copy_table_button(const PanelUi& ui, const char* widget, const std::function<TableRows()>& rows,
                       Commands& out);
[[nodiscard]] float copy_table_button_width(const PanelUi& ui);

}  // namespace runahead::gui
