#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/model.h"
#include "gui/panels/strip/strip_figures.h"
#include "gui/panels/strip/strip_panel.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

float text_width(ImFont* face, const std::string& t) {
  return t.empty() ? 0 : face->CalcTextSizeA(face->FontSize, FLT_MAX, 0, t.c_str()).x;
}

// Draws texts and arrows from left to right, on one baseline.
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
  // The arrow is drawn as a shape, because few fonts have the character.
  void arrow(ImFont* face, Colour ink) {
    const ImU32 c = ImGui::GetColorU32(to_imvec(ink));
    const float y = baseline - face->Ascent * 0.33f, end = x + ui.px(16), wing = ui.px(4);
    draw.AddLine(ImVec2(x, y), ImVec2(end - wing, y), c, ui.px(1.6f));
    draw.AddTriangleFilled(ImVec2(end - wing * 1.4f, y - wing), ImVec2(end - wing * 1.4f, y + wing),
                           ImVec2(end, y), c);
    x = end + ui.px(7);
  }
};

// The style of the figures. All figures have the same style, so that none dominates.
struct FigureLook {
  ImFont* face = nullptr;
  bool ratio = true, before = true;
};

// Returns a ratio with its spread: "x0.66 ± 3 %".
std::string ratio_with_spread(const StripFigure& figure) {
  return figure.ratio.empty() || figure.spread.empty() ? figure.ratio : figure.ratio + " " + figure.spread;
}

float figure_width(const PanelUi& ui, const StripFigure& figure, const FigureLook& look) {
  float width = text_width(look.face, figure.after);
  if (look.before && !figure.before.empty()) width += text_width(look.face, figure.before) + ui.px(30);
  if (look.ratio && !figure.ratio.empty())
    width += text_width(ui.fonts.body, ratio_with_spread(figure)) + ui.px(9);
  return width;
}

// Returns the largest style in which every figure fits.
FigureLook look_for(const PanelUi& ui, const std::vector<StripFigure>& figures,
                    const std::vector<float>& widths_px) {
  const FigureLook looks[] = {
      {ui.fonts.large}, {ui.fonts.bold}, {ui.fonts.bold, false}, {ui.fonts.small, false}};
  for (const FigureLook& look : looks) {
    bool fits = true;
    for (std::size_t i = 0; i < figures.size(); ++i)
      fits = fits && figure_width(ui, figures[i], look) <= widths_px[i];
    if (fits) return look;
  }
  return {ui.fonts.small, false, false};
}

float figures_height(const PanelUi& ui) {
  return ui.fonts.bold->FontSize + 2 * ui.fonts.small->FontSize + ui.px(8);
}

// Adds the tooltip of a figure. `hint_alone`: the words for a figure that has no value before the change.
void figure_hint(const PanelUi& ui, const StripFigure& figure, ImVec2 at, float width_px, Text hint_alone) {
  ImGui::SetCursorScreenPos(at);
  ImGui::PushID(&figure);
  ImGui::InvisibleButton("##figure", ImVec2(std::max(width_px, 1.0f), figures_height(ui)));
  ImGui::PopID();
  const std::string hint = figure.before.empty() ? filled(hint_alone, {name_of(figure), figure.after})
                                                 : filled(Text::kHintBeforeAfter,
                                                          {text(figure.name), figure.before, figure.after});
  tooltip(ui, figure.ratio.empty() ? hint : hint + ", " + ratio_with_spread(figure));
}

// How reliable the figures are. The figures are grey while one side (the time before or after the barrier
// change) has no steady part yet, because their ratio is then not final.
struct Certainty {
  bool grey = false;
  std::string word;   // why the figures are grey: "draining backlog"; empty: not grey
  bool grows = true;  // false: the figures are final
};

void draw_figure(const PanelUi& ui, const StripFigure& figure, const FigureLook& look, ImVec2 at,
                 float width_px, const Certainty& certainty) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  figure_hint(ui, figure, at, width_px, certainty.grows ? Text::kHintSoFar : Text::kHintWhole);
  Line name{ui, draw, at.x, at.y + ui.fonts.small->Ascent};
  ImGui::PushFont(ui.fonts.small);
  note_fit(ui, text(figure.name), width_px);  // without the subject, which may be shortened
  ImGui::PopFont();
  name.write(ui.fonts.small, ui.theme.text_dim, shortened(ui.fonts.small, name_of(figure), width_px), 3);
  const float left_px = at.x + width_px - name.x;
  if (!certainty.word.empty() && !figure.ratio.empty() && left_px > 0)
    name.write(ui.fonts.small, ui.theme.text_dim,
               shortened(ui.fonts.small, "\u00b7 " + certainty.word, left_px), 0);
  Line values{ui, draw, at.x, at.y + ui.fonts.small->FontSize + ui.px(6) + ui.fonts.large->Ascent};
  if (look.before && !figure.before.empty()) {
    values.write(look.face, ui.theme.text_dim, figure.before, 7);
    values.arrow(look.face, ui.theme.text_dim);
  }
  values.write(look.face, certainty.grey ? mix(ui.theme.panel, ui.theme.text, 0.75f) : ui.theme.text,
               figure.after, 9);
  if (look.ratio)
    values.write(ui.fonts.body, certainty.grey ? ui.theme.text_dim : ui.theme.marker,
                 ratio_with_spread(figure), 0);
}

Certainty certainty_of(const PanelModel& model) {
  const FigureFacts& facts = model.figures;
  std::optional<Text> why = phase_word(facts, facts.after.phase, model.live());
  if (!why && has_before(*facts.before_after)) why = phase_word(facts, facts.before.phase, false);
  return {why.has_value(), why ? text(*why) : "", true};
}

std::string rests_on(const analysis::SegmentFigures& f) {
  return format_duration(analysis::active_time(f)) + ", " + format_count(f.steps) + " " +
         text(Text::kStepsWord);
}

void draw_title(const PanelModel& model, const PanelUi& ui, ImVec2 at, float width_px) {
  const analysis::BeforeAfter& f = *model.figures.before_after;
  ImGui::SetCursorScreenPos(at);
  ImGui::PushFont(ui.fonts.bold);
  ellipsis_line(ui, f.change.label.empty() ? text(Text::kStripNoChange) : translated(f.change.label),
                width_px);
  ImGui::PopFont();
  mark_widget(ui, "strip_label");
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + ui.fonts.bold->FontSize + ui.px(3)));
  ImGui::PushFont(ui.fonts.small);
  const auto line = [&](Text side, const analysis::SegmentFigures& figures, std::optional<Text> word) {
    const std::string end = word ? std::string(" \u00b7 ") + text(*word) : std::string();
    ellipsis_line(ui, std::string(text(side)) + ": " + rests_on(figures) + end, width_px, true);
  };
  if (has_before(f)) {
    line(Text::kBefore, f.before, phase_word(model.figures, model.figures.before.phase, false));
    ImGui::SetCursorScreenPos(
        ImVec2(at.x, at.y + ui.fonts.bold->FontSize + ui.fonts.small->FontSize + ui.px(5)));
  }
  line(has_before(f) ? Text::kAfter : Text::kSoFar, f.after,
       phase_word(model.figures, model.figures.after.phase, model.live()));
  ImGui::PopFont();
}

// The figures of a strip as drawn, from left to right.
struct FigureRow {
  std::vector<StripFigure> figures;
  std::vector<float> shares;  // for each figure its share of the width
  Certainty certainty;
};

FigureRow compared_row(const PanelModel& model) {
  // Bytes and steps per second need more room than percentages.
  return {strip_figures(model.figures), {1.15f, 1.0f, 1.35f, 1.15f}, certainty_of(model)};
}

FigureRow summary_row(const analysis::TraceSummary& summary) {
  FigureRow row{summary_figures(summary), {}, {.grows = false}};
  row.shares.assign(row.figures.size(), 1.0f);
  return row;
}

void draw_figures(const FigureRow& row, const PanelUi& ui, ImVec2 at, float width_px) {
  const float share_px = width_px / std::accumulate(row.shares.begin(), row.shares.end(), 0.0f);
  const float left_px = ui.px(12), right_px = ui.px(6);
  std::vector<float> widths_px;
  for (const float share : row.shares) widths_px.push_back(share_px * share - left_px - right_px);
  const FigureLook look = look_for(ui, row.figures, widths_px);
  float x = at.x;
  for (std::size_t i = 0; i < row.figures.size(); ++i) {
    ImGui::GetWindowDrawList()->AddLine(ImVec2(x, at.y), ImVec2(x, at.y + figures_height(ui)),
                                        ImGui::GetColorU32(ImGuiCol_Separator));
    draw_figure(ui, row.figures[i], look, ImVec2(x + left_px, at.y), widths_px[i], row.certainty);
    x += widths_px[i] + left_px + right_px;
  }
}

// Draws the title of the summary, and the name of the file below it.
void draw_summary_title(const PanelModel& model, const PanelUi& ui, ImVec2 at, float width_px) {
  ImGui::SetCursorScreenPos(at);
  ImGui::PushFont(ui.fonts.bold);
  ellipsis_line(ui, text(Text::kWholeTrace), width_px);
  ImGui::PopFont();
  mark_widget(ui, "strip_label");
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + ui.fonts.bold->FontSize + ui.px(3)));
  ImGui::PushFont(ui.fonts.small);
  ellipsis_line(ui, model.files.opened.filename().string(), width_px, true);
  ImGui::PopFont();
}

// If the strip is at least this wide, it has a title at the left. Otherwise the figures need its complete
// width.
constexpr float kRoomForTitlePx = 640;

template <typename DrawTitle>
void draw_strip(const FigureRow& row, const PanelUi& ui, DrawTitle draw) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool titled = width >= ui.px(kRoomForTitlePx);
  const float title_px = titled ? std::min(width * 0.24f, ui.px(330)) : 0;
  if (titled) draw(at, title_px - ui.px(12));
  draw_figures(row, ui, ImVec2(at.x + title_px, at.y), width - title_px);
}

}  // namespace

float panel_height(const StripPanel&, const PanelModel&, const PanelUi& ui, float) {
  return figures_height(ui) + ui.px(18);
}

void paint_panel(StripPanel&, const PanelModel& model, const PanelUi& ui, Commands&) {
  if (model.files.trace_mode && !model.trace.extent().empty()) {
    if (!model.figures.summary) return wrapped_text(ui, text(Text::kMeasuring), true);
    return draw_strip(summary_row(*model.figures.summary), ui,
                      [&](ImVec2 at, float px) { draw_summary_title(model, ui, at, px); });
  }
  if (!model.figures.before_after) {
    wrapped_text(ui, text(model.trace.extent().empty() ? Text::kStripEmpty : Text::kStripNoChange), true);
    return;
  }
  draw_strip(compared_row(model), ui, [&](ImVec2 at, float px) { draw_title(model, ui, at, px); });
}

}  // namespace runahead::gui
