// Lists as tables: what the panels' tables have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "gui/model/panel.h"
#include "gui/model/table_rows.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

inline constexpr ImGuiTableFlags kListTable = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                              ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_PadOuterX |
                                              ImGuiTableFlags_Sortable | ImGuiTableFlags_NoSavedSettings;

// Takes that share of the table's width.
void list_column(Text name, ImGuiTableColumnFlags flags, float weight);
// Begins a row that can be clicked, by the name `widget` + index; what is drawn next stands in its first
// cell.
[[nodiscard]] bool row_button(const PanelUi& ui, std::string_view widget, std::size_t index, bool chosen);
// The next cell: a number on its right, a text that ends in an ellipsis where it is too long.
void number_cell(const std::string& words);
void text_cell(const PanelUi& ui, std::string_view words);

// For the table that is being drawn, after its header. Sorts anew for another answer, or when another column
// is asked for. comes_before(a, b, column): of two rows, by that column.
template <typename Row, typename ComesBefore>
void put_in_order(ListOrder& order, std::uint64_t answer, const std::vector<Row>& rows,
                  const ComesBefore& comes_before) {
  ImGuiTableSortSpecs* const sort = ImGui::TableGetSortSpecs();
  const bool asked = sort != nullptr && sort->SpecsCount > 0;
  if (order.answer == answer && (!asked || !sort->SpecsDirty)) return;
  order.answer = answer;
  order.rows.resize(rows.size());
  std::iota(order.rows.begin(), order.rows.end(), std::size_t{0});
  if (!asked) return;
  sort->SpecsDirty = false;
  const bool down = sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  const int column = sort->Specs[0].ColumnIndex;
  std::ranges::stable_sort(order.rows, [&](std::size_t a, std::size_t b) {
    return down ? comes_before(rows[b], rows[a], column) : comes_before(rows[a], rows[b], column);
  });
}

// Two buttons, `widget`:copy and `widget`:save: the table goes to the clipboard, or to a file whose name is
// asked for. `rows` is called when one is pressed; nullptr: there is nothing to copy. `name`: what the table
// is of, in the file's name that is proposed.
using MakeRows = std::function<TableRows()>;
void table_buttons(const PanelUi& ui, const std::string& widget, const char* name, const MakeRows& rows,
                   Commands& out);
[[nodiscard]] float table_buttons_width(const PanelUi& ui);

// "In the range": while a range is measured; without one `in_range` is false.
void range_checkbox(const PanelModel& model, const PanelUi& ui, const std::string& panel, bool& in_range);
// The end of the line: the table's buttons, and one that closes the panel. list_end_width(): what they take.
[[nodiscard]] float list_end_width(const PanelUi& ui);
void list_end(const PanelUi& ui, const PanelModule& panel, const char* table, Text close_hint,
              const MakeRows& rows, Commands& out);

}  // namespace runahead::gui
