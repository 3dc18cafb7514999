#include "gui/panels/table.h"

namespace runahead::gui {

void list_column(Text name, ImGuiTableColumnFlags flags, float weight) {
  ImGui::TableSetupColumn(text(name), flags | ImGuiTableColumnFlags_WidthStretch, weight);
}

bool row_button(const PanelUi& ui, std::string_view widget, std::size_t index, bool chosen) {
  ImGui::TableNextRow();
  ImGui::TableSetColumnIndex(0);
  const bool clicked = ImGui::Selectable(("##row" + std::to_string(index)).c_str(), chosen,
                                         ImGuiSelectableFlags_SpanAllColumns);
  mark_widget(ui, std::string(widget) + std::to_string(index));
  ImGui::SameLine(0, 0);
  return clicked;
}

void number_cell(const std::string& words) {
  ImGui::TableNextColumn();
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(words.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  text_line(words);
}

void text_cell(const PanelUi& ui, std::string_view words) {
  ImGui::TableNextColumn();
  ellipsis_line(ui, words, ImGui::GetContentRegionAvail().x);
}

}  // namespace runahead::gui
