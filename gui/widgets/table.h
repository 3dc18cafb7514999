// Functions that the tables of several panels share.
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

// Declares a column. `weight` is the column's share of the table's width.
void list_column(Text name, ImGuiTableColumnFlags flags, float weight);
// Begins a row that can be clicked; its name is `widget` + index. Returns true when clicked. The next item
// that is drawn is in the first cell of this row.
[[nodiscard]] bool row_button(const PanelUi& ui, std::string_view widget, std::size_t index, bool chosen);
// Draws the next cell: a number aligned right, or a text shortened with an ellipsis.
void number_cell(const std::string& words);
void text_cell(const PanelUi& ui, std::string_view words);

// Call after drawing the header of the current table. `answer` is the number of the result that the table
// shows. Sorts the rows again if this number has changed, or if the user has selected another column or
// direction. comes_before(a, b, column) compares two rows by the selected column.
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

// Draws two buttons, `widget`:copy and `widget`:save. The first button copies the table to the clipboard. The
// second button asks for a file name and saves the table. A pressed button calls `rows` to get the table. If
// `rows` is nullptr, there is no table, and the buttons are disabled. `name` says what the table shows; it is
// used in the proposed file name.
using MakeRows = std::function<TableRows()>;
void table_buttons(const PanelUi& ui, const std::string& widget, const char* name, const MakeRows& rows,
                   Commands& out);
[[nodiscard]] float table_buttons_width(const PanelUi& ui);

// Draws the checkbox "In the range", which limits a table to the measured range. If there is no measured
// range, draws nothing and sets `in_range` to false.
void range_checkbox(const PanelModel& model, const PanelUi& ui, const std::string& panel, bool& in_range);
// Draws the right end of the line above a list: the table's buttons, and a button that closes the panel.
// list_end_width() returns the width of these buttons.
[[nodiscard]] float list_end_width(const PanelUi& ui);
void list_end(const PanelUi& ui, const PanelModule& panel, const char* table, Text close_hint,
              const MakeRows& rows, Commands& out);

}  // namespace runahead::gui
