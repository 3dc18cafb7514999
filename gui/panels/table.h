// Lists as tables: what the panels' tables have in common.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gui/panels/ui.h"

namespace runahead::gui {

inline constexpr ImGuiTableFlags kListTable = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                              ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Sortable |
                                              ImGuiTableFlags_NoSavedSettings;

// Takes that share of the table's width.
void list_column(Text name, ImGuiTableColumnFlags flags, float weight);
// Begins a row that can be clicked, by the name `widget` + index; what is drawn next stands in its first cell.
[[nodiscard]] bool row_button(const PanelUi& ui, std::string_view widget, std::size_t index, bool chosen);
// The next cell: a number on its right, a text that ends in an ellipsis where it is too long.
void number_cell(const std::string& words);
void text_cell(const PanelUi& ui, std::string_view words);

}  // namespace runahead::gui
