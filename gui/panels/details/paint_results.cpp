#include "gui/panels/details/paint_results.h"

#include <algorithm>

namespace runahead::gui {

namespace {

using samples::ShownRow;
using samples::ShownTable;

// Shares of the column's width. One figure stands beside its label, two stand under it.
constexpr float kOneFigureAt = 0.62f;
constexpr float kTwoFiguresAt = 0.16f, kSecondFigureAt = 0.58f;

void figure_at(const PanelUi& ui, const std::string& figure, float left, float right, bool dim = false) {
  const float room = right - left - ui.px(4);
  const float width = std::min(room, ImGui::CalcTextSize(figure.c_str()).x);
  ImGui::SetCursorPosX(right - width);
  ellipsis_line(ui, figure, room, dim);
}

void two_figures(const PanelUi& ui, const std::vector<std::string>& figures, bool dim) {
  const float width = ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX();
  const float middle = left + width * kSecondFigureAt;
  const auto shown = [&](std::size_t i) {
    return i < figures.size() && !figures[i].empty() ? translated(figures[i])
                                                     : std::string(text(Text::kNoFigure));
  };
  // A heading has no label before it.
  figure_at(ui, shown(0), dim ? left : left + width * kTwoFiguresAt, middle, dim);
  ImGui::SameLine();
  figure_at(ui, shown(1), middle, left + width, dim);
}

void one_figure(const PanelUi& ui, const ShownRow& row) {
  const float width = ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX();
  const float top = ImGui::GetCursorPosY();
  ImGui::BeginGroup();
  dim_line(ui, in_lines(translated(row.label), width * kOneFigureAt));
  ImGui::EndGroup();
  tooltip(ui, translated(row.hint));
  const float below = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(top);
  figure_at(ui, translated(row.figures.front()), left + width * kOneFigureAt, left + width);
  tooltip(ui, translated(row.hint));
  ImGui::SetCursorPosY(std::max(below, ImGui::GetCursorPosY()));
}

void result_table(const PanelUi& ui, const ShownTable& table) {
  if (!table.title.empty()) {
    bold_wrapped(ui, translated(table.title));
  }
  const bool beside = table.columns.size() > 1;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(8), ui.px(2)));
  if (beside) {
    const float width = ImGui::GetContentRegionAvail().x;
    note_fit(ui, translated(table.columns[0]), width * kSecondFigureAt - ui.px(4));
    note_fit(ui, translated(table.columns[1]), width * (1 - kSecondFigureAt) - ui.px(4));
    two_figures(ui, table.columns, true);
  }
  for (const ShownRow& row : table.rows) {
    if (!beside) {
      one_figure(ui, row);
      continue;
    }
    wrapped_text(ui, translated(row.label), true);
    tooltip(ui, translated(row.hint));
    two_figures(ui, row.figures, false);
  }
  if (!table.sentence.empty()) wrapped_text(ui, translated(table.sentence));
  ImGui::PopStyleVar();
  ImGui::Dummy(ImVec2(0, ui.px(2)));
}

}  // namespace

void run_results(const PanelModel& model, const PanelUi& ui) {
  if (model.start.results.empty()) return;
  heading(ui, text(Text::kResults));
  mark_widget(ui, "results");
  wrapped_text(ui, model.start.results_of, true);
  for (const ShownTable& table : model.start.results) result_table(ui, table);
  ImGui::Dummy(ImVec2(0, ui.px(8)));
}

}  // namespace runahead::gui
