#include "gui/panels/strip.h"

#include <algorithm>

#include "gui/panels/strip_figures.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

float text_width(ImFont* face, const std::string& t) {
  return t.empty() ? 0 : face->CalcTextSizeA(face->FontSize, FLT_MAX, 0, t.c_str()).x;
}

// A pen that writes along one baseline.
struct Line {
  const PanelUi& ui;
  ImDrawList& draw;
  float x, baseline;
  void write(ImFont* face, Colour ink, const std::string& t, float space_px) {
    if (t.empty()) return;
    const float y = baseline - face->Ascent;
    draw.AddText(face, face->FontSize, ImVec2(x, y), ImGui::GetColorU32(to_imvec(ink)), t.c_str());
    x += text_width(face, t) + ui.px(space_px);
  }
  // A shape, since few faces have the character.
  void arrow(ImFont* face, Colour ink) {
    const ImU32 c = ImGui::GetColorU32(to_imvec(ink));
    const float y = baseline - face->Ascent * 0.33f, end = x + ui.px(16), wing = ui.px(4);
    draw.AddLine(ImVec2(x, y), ImVec2(end - wing, y), c, ui.px(1.6f));
    draw.AddTriangleFilled(ImVec2(end - wing * 1.4f, y - wing), ImVec2(end - wing * 1.4f, y + wing),
                           ImVec2(end, y), c);
    x = end + ui.px(7);
  }
};

void draw_figure(const PanelUi& ui, const StripFigure& figure, ImVec2 at, float width_px, bool settling) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect(at, ImVec2(at.x + width_px, at.y + ui.px(80)), true);
  Line name{ui, draw, at.x, at.y + ui.fonts.small->Ascent};
  name.write(ui.fonts.small, ui.theme.text_dim, text(figure.name), 0);
  const float full = text_width(ui.fonts.large, figure.before) + text_width(ui.fonts.large, figure.after) +
                     ui.px(18) + text_width(ui.fonts.bold, figure.ratio) + ui.px(34);
  ImFont* const face = full <= width_px ? ui.fonts.large : ui.fonts.bold;
  Line values{ui, draw, at.x, at.y + ui.fonts.small->FontSize + ui.px(6) + ui.fonts.large->Ascent};
  if (!figure.before.empty()) {
    values.write(face, ui.theme.text_dim, figure.before, 7);
    values.arrow(face, ui.theme.text_dim);
  }
  values.write(face, settling ? mix(ui.theme.panel, ui.theme.text, 0.75f) : ui.theme.text, figure.after, 9);
  values.write(ui.fonts.body, ui.theme.marker, figure.ratio, 0);
  draw.PopClipRect();
}

std::string rests_on(const analysis::SegmentFigures& f) {
  return format_duration(f.range.duration()) + ", " + format_count(f.steps) + " " + text(Text::kStepsWord);
}

void draw_title(const PanelModel& model, const PanelUi& ui, ImVec2 at, float width_px) {
  const analysis::BeforeAfter& f = *model.before_after;
  ImGui::SetCursorScreenPos(at);
  ImGui::PushFont(ui.fonts.bold);
  ellipsis_line(ui, f.change.label.empty() ? text(Text::kStripNoChange) : f.change.label.c_str(), width_px);
  ImGui::PopFont();
  mark_widget(ui, "strip_label");
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + ui.fonts.bold->FontSize + ui.px(3)));
  ImGui::PushFont(ui.fonts.small);
  if (has_before(f)) {
    ellipsis_line(ui, std::string(text(Text::kBefore)) + ": " + rests_on(f.before), width_px, true);
    ImGui::SetCursorScreenPos(
        ImVec2(at.x, at.y + ui.fonts.bold->FontSize + ui.fonts.small->FontSize + ui.px(5)));
  }
  std::string settling;
  if (model.live() && (model.draining || still_settling(f.after))) {
    settling = std::string(" \u00b7 ") + text(model.draining ? Text::kDraining : Text::kSettling);
  }
  ellipsis_line(
      ui,
      std::string(text(has_before(f) ? Text::kAfter : Text::kSoFar)) + ": " + rests_on(f.after) + settling,
      width_px, true);
  ImGui::PopFont();
}

}  // namespace

float strip_panel_height(const PanelUi& ui) {
  return ui.fonts.bold->FontSize + 2 * ui.fonts.small->FontSize + ui.px(8);
}

void strip_panel(const PanelModel& model, const PanelUi& ui, Commands&) {
  if (!model.before_after) {
    wrapped_text(ui, text(model.trace.extent().empty() ? Text::kStripEmpty : Text::kStripNoChange), true);
    return;
  }
  const analysis::BeforeAfter& f = *model.before_after;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float title_px = std::min(width * 0.24f, ui.px(330));
  draw_title(model, ui, at, title_px - ui.px(12));
  const std::vector<StripFigure> figures = strip_figures(f);
  // Bytes and steps per second are longer than shares.
  constexpr float kShares[] = {1.15f, 1.0f, 1.35f, 1.15f};
  const float share_px = (width - title_px) / (1.15f + 1.0f + 1.35f + 1.15f);
  const bool settling = model.draining || still_settling(f.after);
  float x = at.x + title_px;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const float figure_px = share_px * kShares[i];
    ImGui::GetWindowDrawList()->AddLine(ImVec2(x, at.y), ImVec2(x, at.y + strip_panel_height(ui)),
                                        ImGui::GetColorU32(ImGuiCol_Separator));
    draw_figure(ui, figures[i], ImVec2(x + ui.px(12), at.y), figure_px - ui.px(16), settling);
    x += figure_px;
  }
}

}  // namespace runahead::gui
