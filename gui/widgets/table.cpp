#include "gui/widgets/table.h"

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

namespace {

ButtonLook copy_look(bool enabled) {
  return {.label = text(Text::kCopyTable), .enabled = enabled, .hint = text(Text::kCopyTableHint)};
}
ButtonLook save_look(bool enabled) {
  return {.icon = Icon::kSave, .enabled = enabled, .hint = text(Text::kSaveTableHint)};
}
float gap(const PanelUi& ui) { return ui.px(4); }

}  // namespace

void table_buttons(const PanelUi& ui, const std::string& widget, const char* name, const MakeRows& rows,
                   Commands& out) {
  const bool any = rows != nullptr;
  if (tool_button(ui, (widget + ":copy").c_str(), copy_look(any)) && any) {
    const TableRows table = rows();
    ImGui::SetClipboardText(tab_separated(table).c_str());
    out.push_back(Tell{filled(Text::kTableCopied, {std::to_string(table.size() - 1)})});
  }
  ImGui::SameLine(0, gap(ui));
  if (tool_button(ui, (widget + ":save").c_str(), save_look(any)) && any)
    out.push_back(SaveTable{name, rows()});
}

float table_buttons_width(const PanelUi& ui) {
  return tool_button_width(ui, copy_look(true)) + gap(ui) + tool_button_width(ui, save_look(true));
}

void range_checkbox(const PanelModel& model, const PanelUi& ui, const std::string& panel, bool& in_range) {
  if (!model.timeline.range) {
    in_range = false;
    return;
  }
  ImGui::Checkbox(text(Text::kFindInRange), &in_range);
  mark_widget(ui, panel + ":in_range");
  ImGui::SameLine();
}

float list_end_width(const PanelUi& ui) {
  return tool_button_width(ui, {.icon = Icon::kClose}) + table_buttons_width(ui) + ui.px(8);
}

void list_end(const PanelUi& ui, const PanelModule& panel, const char* table, Text close_hint,
              const MakeRows& rows, Commands& out) {
  const std::string widget(panel.id());
  ImGui::SameLine(
      std::max(ImGui::GetWindowContentRegionMax().x - list_end_width(ui), ImGui::GetCursorPosX()));
  table_buttons(ui, widget, table, rows, out);
  ImGui::SameLine();
  if (tool_button(ui, (widget + ":close").c_str(), {.icon = Icon::kClose, .hint = text(close_hint)}))
    out.push_back(TogglePanel{panel.id()});
}

}  // namespace runahead::gui
