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

std::string ns_cell(Duration duration) { return std::to_string(duration.count()); }

std::string ns_header(Text name) { return std::string(text(name)) + " (ns)"; }

std::string tab_separated(const TableRows& rows) {
  std::string words;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) words += '\t';
      for (const char c : row[i]) words += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    }
    words += '\n';
  }
  return words;
}

namespace {
ButtonLook copy_look() { return {.label = text(Text::kCopyTable), .hint = text(Text::kCopyTableHint)}; }
}  // namespace

void copy_table_button(const PanelUi& ui, const char* widget, const std::function<TableRows()>& rows,
                       Commands& out) {
  if (!tool_button(ui, widget, copy_look())) return;
  const TableRows table = rows();
  ImGui::SetClipboardText(tab_separated(table).c_str());
  out.push_back(Tell{filled(Text::kTableCopied, {std::to_string(table.size() - 1)})});
}

float copy_table_button_width(const PanelUi& ui) { return tool_button_width(ui, copy_look()); }

}  // namespace runahead::gui
