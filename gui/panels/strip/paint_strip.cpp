#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "gui/answers/strip_figures.h"
#include "gui/model/model.h"
#include "gui/panels/strip/paint_parts.h"
#include "gui/panels/strip/strip_panel.h"
#include "gui/widgets/ui.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

// The style of the figures. All figures have the same style, so that no figure dominates.
struct FigureLook {
  ImFont* face = nullptr;
  bool ratio = true, before = true, above_curve = false;
};

// Returns the figure's ratio (after / before) with its spread, the uncertainty of the ratio: "x0.66 ± 3 %".
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

// True if the figure's note has a line of its own, between the values and the curve, because it does not fit
// beside the values.
bool note_below(const PanelUi& ui, const StripFigure& figure, const FigureLook& look, float width_px) {
  if (figure.note.empty() || !look.above_curve) return false;
  return figure_width(ui, figure, look) + ui.px(6) + text_width(ui.fonts.small, figure.note) > width_px;
}

// Draws the figure's note beside or below its values. `values` is at the end of the values.
void draw_note(const PanelUi& ui, const StripFigure& figure, const FigureLook& look, StripLine values,
               float left_px, float width_px) {
  if (figure.note.empty()) return;
  if (note_below(ui, figure, look, width_px)) {
    values.x = left_px;
    values.baseline += ui.fonts.small->FontSize + ui.px(1);
  }
  const float room_px = left_px + width_px - values.x;
  if (room_px > 0)
    values.write(ui.fonts.small, ui.theme.text_dim, shortened(ui.fonts.small, figure.note, room_px), 0);
}

// Returns the largest style in which every figure fits into its width. Above a curve there is too little
// height for the large font, so that font is not tried.
FigureLook look_for(const PanelUi& ui, const std::vector<StripFigure>& figures,
                    const std::vector<float>& widths_px, bool above_curve) {
  const FigureLook looks[] = {
      {ui.fonts.large}, {ui.fonts.bold}, {ui.fonts.bold, false}, {ui.fonts.small, false}};
  for (FigureLook look : looks) {
    if (above_curve && look.face == ui.fonts.large) continue;
    look.above_curve = above_curve;
    bool fits = true;
    for (std::size_t i = 0; i < figures.size(); ++i)
      fits = fits && figure_width(ui, figures[i], look) <= widths_px[i];
    if (fits) return look;
  }
  return {ui.fonts.small, false, false, above_curve};
}

float figures_height(const PanelUi& ui) {
  return ui.fonts.bold->FontSize + 2 * ui.fonts.small->FontSize + ui.px(8);
}

// The height of the strip if it shows answers and curves.
float answer_strip_height(const PanelUi& ui) {
  return ui.fonts.bold->FontSize + ui.px(3) + answers_height(ui);
}

// Adds a tooltip to the figure. `hint_alone`: the tooltip's text if the figure has no value before the
// change.
void figure_hint(const PanelUi& ui, const StripFigure& figure, ImVec2 at, ImVec2 size, Text hint_alone) {
  ImGui::SetCursorScreenPos(at);
  ImGui::PushID(&figure);
  ImGui::InvisibleButton("##figure", ImVec2(std::max(size.x, 1.0f), size.y));
  ImGui::PopID();
  const std::string hint = figure.before.empty() ? filled(hint_alone, {name_of(figure), figure.after})
                                                 : filled(Text::kHintBeforeAfter,
                                                          {text(figure.name), figure.before, figure.after});
  const std::string more = figure.ratio.empty() ? hint : hint + ", " + ratio_with_spread(figure);
  const std::string hints = figure.name == Text::kPeakMemory ? text(Text::kPeakOfAllDevices) : figure.hint;
  tooltip(ui, hints.empty() ? more : more + "\n" + hints);
}

// How reliable the figures are. The figures are grey while one side (the time before or after the barrier
// change) has no steady rate of steps yet, because the ratio of the two sides is then not final.
struct Certainty {
  bool grey = false;
  std::string word;   // why the figures are grey: "draining backlog"; empty: not grey
  bool grows = true;  // false: the figures are final
};

void draw_figure(const PanelUi& ui, const StripFigure& figure, const FigureLook& look, ImVec2 at,
                 float width_px, const Certainty& certainty, float height_px) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  figure_hint(ui, figure, at, ImVec2(width_px, height_px),
              certainty.grows ? Text::kHintSoFar : Text::kHintWhole);
  StripLine name{ui, draw, at.x, at.y + ui.fonts.small->Ascent};
  ImGui::PushFont(ui.fonts.small);
  // Reports the figure's name as clipped if it does not fit. The subject after the name ("gpu 0") is not
  // checked, because the subject may be shortened.
  note_fit(ui, text(figure.name), width_px);
  ImGui::PopFont();
  name.write(ui.fonts.small, ui.theme.text_dim, shortened(ui.fonts.small, name_of(figure), width_px), 3);
  const float left_px = at.x + width_px - name.x;
  if (!certainty.word.empty() && !figure.ratio.empty() && left_px > 0)
    name.write(ui.fonts.small, ui.theme.text_dim,
               shortened(ui.fonts.small, "\u00b7 " + certainty.word, left_px), 0);
  // If no curve is drawn below, this gap depends on the font, so that the values have the same baseline in
  // every font.
  const float gap_px = look.above_curve ? ui.px(2) : ui.px(6) + ui.fonts.large->Ascent - look.face->Ascent;
  StripLine values{ui, draw, at.x, at.y + ui.fonts.small->FontSize + gap_px + look.face->Ascent};
  if (look.before && !figure.before.empty()) {
    values.write(look.face, ui.theme.text_dim, figure.before, 7);
    values.arrow(look.face, ui.theme.text_dim);
  }
  values.write(look.face, certainty.grey ? mix(ui.theme.panel, ui.theme.text, 0.75f) : ui.theme.text,
               figure.after, figure.note.empty() ? 9 : 6);
  if (look.ratio)
    values.write(ui.fonts.body, certainty.grey ? ui.theme.text_dim : ui.theme.marker,
                 ratio_with_spread(figure), 6);
  draw_note(ui, figure, look, values, at.x, width_px);
}

Certainty certainty_of(const PanelModel& model) {
  const std::optional<Text> why = doubt(model.figures, model.grows());
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
  ellipsis_line(ui, strip_title(model.figures), width_px);
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
       phase_word(model.figures, model.figures.after.phase, model.grows()));
  ImGui::PopFont();
}

// Draws the label of the barrier change and, on the same line, the durations and numbers of steps from which
// the figures are computed.
void draw_answer_title(const PanelModel& model, const PanelUi& ui, ImVec2 at, float width_px) {
  const analysis::BeforeAfter& f = *model.figures.before_after;
  const std::string label = strip_title(model.figures);
  ImGui::SetCursorScreenPos(at);
  ImGui::PushFont(ui.fonts.bold);
  ellipsis_line(ui, label, width_px);
  ImGui::PopFont();
  mark_widget(ui, "strip_label");
  const float used_px = text_width(ui.fonts.bold, label) + ui.px(14);
  if (width_px - used_px < ui.px(60)) return;
  std::string rests =
      std::string(text(has_before(f) ? Text::kAfter : Text::kSoFar)) + ": " + rests_on(f.after);
  if (has_before(f)) rests = std::string(text(Text::kBefore)) + ": " + rests_on(f.before) + "   " + rests;
  ImGui::SetCursorScreenPos(ImVec2(at.x + used_px, at.y + ui.fonts.bold->Ascent - ui.fonts.small->Ascent));
  ImGui::PushFont(ui.fonts.small);
  ellipsis_line(ui, rests, width_px - used_px, true);
  ImGui::PopFont();
}

// The figures of the strip, and how to draw them from left to right.
struct FigureRow {
  std::vector<StripFigure> figures;
  std::vector<float> shares;  // index: figure; value: its part of the width, relative to the others
  Certainty certainty;
  const CurveFacts* curves = nullptr;  // drawn below the figures; nullptr: no curves
  float height_px = 0;
};

// The shares of the width differ, because bytes and steps per second need more room than percentages.
std::vector<float> shares_of(const std::vector<StripFigure>& figures, float of_bytes, float of_numbers) {
  std::vector<float> shares;
  for (const StripFigure& figure : figures) {
    shares.push_back(figure.name == Text::kPeakMemory ? of_bytes
                     : figure.name == Text::kBlocked  ? 1.0f
                                                      : of_numbers);
  }
  return shares;
}

FigureRow compared_row(const PanelModel& model, const PanelUi& ui) {
  FigureRow row{.figures = strip_figures(model.figures),
                .certainty = certainty_of(model),
                .height_px = figures_height(ui)};
  row.shares = shares_of(row.figures, 1.35f, 1.15f);
  return row;
}

// Returns the row of figures beside the answers. The row has curves, but no ratios, because the answers
// already show the changes.
FigureRow curve_row(const PanelModel& model, const PanelUi& ui) {
  FigureRow row{.figures = strip_figures(model.figures),
                .certainty = certainty_of(model),
                .curves = model.figures.curves.get(),
                .height_px = answer_strip_height(ui)};
  row.shares = shares_of(row.figures, 1.2f, 1.0f);
  row.certainty.word.clear();
  for (StripFigure& figure : row.figures) figure.ratio.clear();
  return row;
}

FigureRow summary_row(const analysis::TraceSummary& summary, const PanelUi& ui) {
  FigureRow row{
      .figures = summary_figures(summary), .certainty = {.grows = false}, .height_px = figures_height(ui)};
  row.shares.assign(row.figures.size(), 1.0f);
  return row;
}

// Returns the value of the figure at a point of its curve.
std::optional<double> value_of(Text figure, const analysis::CurvePoint& point) {
  switch (figure) {
    case Text::kStepsPerSecond:
      return point.steps_per_s;
    case Text::kBlocked:
      return point.blocked_ratio;
    case Text::kPeakMemory:
      return point.live_bytes;
    case Text::kRunAheadSteps:
      return point.run_ahead_steps;
    case Text::kRunAheadOps:
      return point.run_ahead_ops;
    default:
      return std::nullopt;
  }
}

// Draws the figure's curve into the height that is left below the figure.
void draw_curve_below(const FigureRow& row, const StripFigure& shown, const FigureLook& look,
                      const PanelUi& ui, ImVec2 at, float width_px) {
  const Text figure = shown.name;
  float used_px = ui.fonts.small->FontSize + ui.px(8) + look.face->FontSize;
  if (note_below(ui, shown, look, width_px)) used_px += ui.fonts.small->FontSize;
  const StripCurve curve{*row.curves,
                         [figure](const analysis::CurvePoint& point) { return value_of(figure, point); },
                         figure == Text::kBlocked ? 1.0 : 0.0};
  draw_curve(ui, curve, ImVec2(at.x, at.y + used_px), ImVec2(width_px, row.height_px - used_px));
}

void draw_figures(const FigureRow& row, const PanelUi& ui, ImVec2 at, float width_px) {
  if (row.figures.empty()) return;
  const float share_px = width_px / std::accumulate(row.shares.begin(), row.shares.end(), 0.0f);
  const float left_px = ui.px(12), right_px = ui.px(6);
  std::vector<float> widths_px;
  for (const float share : row.shares) widths_px.push_back(share_px * share - left_px - right_px);
  const FigureLook look = look_for(ui, row.figures, widths_px, row.curves != nullptr);
  float x = at.x;
  for (std::size_t i = 0; i < row.figures.size(); ++i) {
    ImGui::GetWindowDrawList()->AddLine(ImVec2(x, at.y), ImVec2(x, at.y + row.height_px),
                                        ImGui::GetColorU32(ImGuiCol_Separator));
    const ImVec2 place(x + left_px, at.y);
    draw_figure(ui, row.figures[i], look, place, widths_px[i], row.certainty, row.height_px);
    if (row.curves != nullptr) draw_curve_below(row, row.figures[i], look, ui, place, widths_px[i]);
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

// If the strip is narrower than this, it has no title at the left, because the figures need the complete
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

// The minimum width of the strip and the minimum height of the window for answers and curves. If there is
// less room, the strip has only figures.
constexpr float kRoomForAnswersPx = 760, kRoomAboveAnswersPx = 500;

bool has_room_for_answers(const PanelUi& ui, float width_px) {
  return width_px >= ui.px(kRoomForAnswersPx) && ImGui::GetIO().DisplaySize.y >= ui.px(kRoomAboveAnswersPx);
}

// Draws the answers at the left and the figures with their curves at the right.
void draw_answer_strip(const PanelModel& model, const PanelUi& ui) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float answer_px = std::min(width * 0.42f, ui.px(680));
  draw_answer_title(model, ui, at, answer_px - ui.px(12));
  std::vector<StripAnswer> answers = strip_answers(model.figures, model.grows());
  add_predictions(model.figures, model.forecasts.pressed, answers);
  draw_answers(ui, answers, ImVec2(at.x, at.y + ui.fonts.bold->FontSize + ui.px(3)), answer_px - ui.px(12));
  draw_figures(curve_row(model, ui), ui, ImVec2(at.x + answer_px, at.y), width - answer_px);
}

}  // namespace

float panel_height(const StripPanel&, const PanelModel& model, const PanelUi& ui, float width_px) {
  const bool answers = model.files.compares && has_room_for_answers(ui, width_px);
  return (answers ? answer_strip_height(ui) : figures_height(ui)) + ui.px(18);
}

void paint_panel(StripPanel&, const PanelModel& model, const PanelUi& ui, Commands&) {
  if (!model.files.compares && !model.trace.extent().empty()) {
    if (!model.figures.summary) return wrapped_text(ui, text(Text::kMeasuring), true);
    return draw_strip(summary_row(*model.figures.summary, ui), ui,
                      [&](ImVec2 at, float px) { draw_summary_title(model, ui, at, px); });
  }
  if (!model.figures.before_after) {
    wrapped_text(ui, text(model.trace.extent().empty() ? Text::kStripEmpty : Text::kStripNoChange), true);
    return;
  }
  if (!model.figures.measured()) {
    wrapped_text(ui, filled(Text::kPartNotMeasured, {translated(model.figures.part)}), true);
    return;
  }
  if (has_room_for_answers(ui, ImGui::GetContentRegionAvail().x)) return draw_answer_strip(model, ui);
  draw_strip(compared_row(model, ui), ui, [&](ImVec2 at, float px) { draw_title(model, ui, at, px); });
}

}  // namespace runahead::gui
