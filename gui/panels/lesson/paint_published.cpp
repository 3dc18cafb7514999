#include <algorithm>

#include "gui/panels/lesson/paint_lesson.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

// Each line has three columns: label, published figure, and figure measured here. These constants say where
// the second and the third column begin, as shares of the line's width.
constexpr float kPublishedAt = 0.40f, kHereAt = 0.73f;

struct Cells {
  std::string label, published, here, hint;
};

void cells_line(const PanelUi& ui, const Cells& cells, bool dim_label) {
  const float width = ImGui::GetContentRegionAvail().x, left = ImGui::GetCursorPosX();
  const float gap = ui.px(3);
  ellipsis_line(ui, cells.label, width * kPublishedAt - gap, dim_label);
  tooltip(ui, cells.hint);
  ImGui::SameLine(left + width * kPublishedAt);
  ellipsis_line(ui, cells.published, width * (kHereAt - kPublishedAt) - gap);
  ImGui::SameLine(left + width * kHereAt);
  ellipsis_line(ui, cells.here, width * (1 - kHereAt));
  tooltip(ui, cells.hint);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? format_ratio(*ratio) : text(Text::kNoFigure);
}

void figure_lines(const samples::ComparedFigure& row, const PanelUi& ui) {
  const std::string label = translated(row.label);
  std::string hint = label;
  if (!row.note.empty()) hint += "\n" + translated(row.note);
  if (!row.formula.empty()) hint += "\n" + std::string(text(Text::kHere)) + ": " + row.formula;
  cells_line(ui,
             {label, samples::published_text(row.published, row.unit),
              row.here ? samples::here_text(*row.here, row.unit) : text(Text::kNoFigure), hint},
             false);
  if (row.against.empty() || !row.shape_published) return;
  ImGui::PushFont(ui.fonts.bold);
  cells_line(ui,
             {text(Text::kShape), ratio_text(row.shape_published), ratio_text(row.shape_here),
              label + " / " + translated(row.against)},
             true);
  ImGui::PopFont();
}

}  // namespace

void published_figures(const PanelModel& model, const PanelUi& ui) {
  if (model.start.published.empty()) return;
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  heading(ui, text(Text::kPublishedAndHere));
  mark_widget(ui, "published");
  tooltip(ui, text(Text::kShapeHint));
  ImGui::PushFont(ui.fonts.small);
  ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(ui.theme.text_dim));
  const float width = ImGui::GetContentRegionAvail().x;
  note_fit(ui, text(Text::kPublished), width * (kHereAt - kPublishedAt) - ui.px(3));
  note_fit(ui, text(Text::kHere), width * (1 - kHereAt));
  cells_line(ui, {"", text(Text::kPublished), text(Text::kHere), ""}, true);
  ImGui::PopStyleColor();
  ImGui::PopFont();
  std::string set;
  for (const samples::ComparedFigure& row : model.start.published) {
    if (row.set != set) small_dim_line(ui, translated(row.set));
    set = row.set;
    figure_lines(row, ui);
  }
  const bool measured = std::ranges::any_of(
      model.start.published, [](const samples::ComparedFigure& row) { return row.here.has_value(); });
  if (!measured)
    wrapped_text(ui, text(model.start.choice.endless ? Text::kMeasureUntick : Text::kMeasureRun), true);
}

}  // namespace runahead::gui
