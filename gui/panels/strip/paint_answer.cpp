#include <algorithm>

#include "gui/panels/strip/paint_parts.h"

namespace runahead::gui {

namespace {

// An answer has two bars, one below the other. Each bar takes the height of one line of the small font.
float bars_height(const PanelUi& ui) { return 2 * ui.fonts.small->FontSize + ui.px(2); }
constexpr float kLeastAnswerBarPx = 44, kMostAnswerBarPx = 260, kAnswerBarPx = 9;

// Returns the largest font in which the text StripAnswer::words of every answer fits into `width_px`.
ImFont* face_for(const PanelUi& ui, const std::vector<StripAnswer>& answers, float width_px) {
  for (ImFont* const face : {ui.fonts.headline, ui.fonts.large}) {
    const bool fits = std::ranges::all_of(
        answers, [&](const StripAnswer& answer) { return text_width(face, answer.words) <= width_px; });
    if (fits) return face;
  }
  return ui.fonts.bold;
}

void draw_bar(const PanelUi& ui, ImVec2 at, float length_px, Colour ink, const std::string& value,
              Colour text_ink) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + (ui.fonts.small->FontSize - ui.px(kAnswerBarPx)) / 2;
  draw.AddRectFilled(ImVec2(at.x, y), ImVec2(at.x + length_px, y + ui.px(kAnswerBarPx)), rgba(ink), ui.px(1));
  StripLine{ui, draw, at.x + length_px + ui.px(6), at.y + ui.fonts.small->Ascent}.write(ui.fonts.small,
                                                                                        text_ink, value, 0);
}

// Draws two bars: the value before the change, and below it the value after the change. The bar of the larger
// value is `full_px` long.
void draw_bars(const PanelUi& ui, const StripAnswer& answer, ImVec2 at, float full_px) {
  const double longest = std::max({answer.before, answer.after, answer.predicted});
  const auto length = [&](double value) {
    return std::max(static_cast<float>(value / longest) * full_px, ui.px(2));
  };
  const Colour after = answer.final ? ui.theme.marker : ui.theme.text_dim;
  draw_bar(ui, at, length(answer.before), mix(ui.theme.panel, ui.theme.text, 0.4f), answer.before_text,
           ui.theme.text_dim);
  draw_bar(ui, ImVec2(at.x, at.y + ui.fonts.small->FontSize + ui.px(2)), length(answer.after), after,
           answer.after_text, answer.final ? ui.theme.text : ui.theme.text_dim);
  if (answer.predicted <= 0) return;
  // A line where the bar should end.
  const float x = at.x + length(answer.predicted), y = at.y + ui.fonts.small->FontSize + ui.px(2);
  ImGui::GetWindowDrawList()->AddLine(ImVec2(x, y), ImVec2(x, y + ui.fonts.small->FontSize),
                                      rgba(ui.theme.text), ui.px(2));
}

float value_width(const PanelUi& ui, const std::vector<StripAnswer>& answers) {
  float width = 0;
  for (const StripAnswer& answer : answers)
    width = std::max({width, text_width(ui.fonts.small, answer.before_text),
                      text_width(ui.fonts.small, answer.after_text)});
  return width + ui.px(6);
}

// The small texts beside the words: the note, and below it the prediction.
float notes_width(const PanelUi& ui, const StripAnswer& answer) {
  return std::max(text_width(ui.fonts.small, answer.note), text_width(ui.fonts.small, answer.prediction));
}

float words_width(const PanelUi& ui, ImFont* face, const StripAnswer& answer) {
  const float notes = notes_width(ui, answer);
  return text_width(face, answer.words) + (notes > 0 ? notes + ui.px(8) : 0);
}

void draw_notes(const PanelUi& ui, const StripAnswer& answer, StripLine line, float top, float row_px) {
  ImFont* const small = ui.fonts.small;
  if (!answer.note.empty() && !answer.prediction.empty()) {
    const float first = top + row_px / 2 - small->FontSize;
    StripLine{ui, line.draw, line.x, first + small->Ascent}.write(small, ui.theme.text_dim, answer.note, 0);
    line.baseline = first + small->FontSize + small->Ascent;
  }
  const bool note_alone = answer.prediction.empty();
  line.write(small, ui.theme.text_dim, note_alone ? answer.note : answer.prediction, 0);
}

std::string hint_of(const StripAnswer& answer) {
  const std::string figure =
      answer.before_text.empty()
          ? answer.words
          : filled(Text::kHintBeforeAfter, {text(answer.name), answer.before_text, answer.after_text});
  const std::string noted = answer.note.empty() ? figure : figure + " (" + answer.note + ")";
  return answer.predicted_hint.empty() ? noted : noted + "\n" + answer.predicted_hint;
}

}  // namespace

void StripLine::write(ImFont* face, Colour ink, const std::string& t, float space_px) {
  if (t.empty()) return;
  const float y = baseline - face->Ascent;
  draw.AddText(face, face->FontSize, ImVec2(x, y), rgba(ink), t.c_str());
  x += text_width(face, t) + ui.px(space_px);
}

void StripLine::arrow(ImFont* face, Colour ink) {
  const ImU32 c = rgba(ink);
  const float y = baseline - face->Ascent * 0.33f, end = x + ui.px(16), wing = ui.px(4);
  draw.AddLine(ImVec2(x, y), ImVec2(end - wing, y), c, ui.px(1.6f));
  draw.AddTriangleFilled(ImVec2(end - wing * 1.4f, y - wing), ImVec2(end - wing * 1.4f, y + wing),
                         ImVec2(end, y), c);
  x = end + ui.px(7);
}

float answers_height(const PanelUi& ui) {
  return 2 * std::max(ui.fonts.headline->FontSize, bars_height(ui)) + ui.px(3);
}

void draw_answers(const PanelUi& ui, const std::vector<StripAnswer>& answers, ImVec2 at, float width_px) {
  ImFont* const face = face_for(ui, answers, width_px);
  float words_px = 0;
  for (const StripAnswer& answer : answers) words_px = std::max(words_px, words_width(ui, face, answer));
  const float bars_at_px = words_px + ui.px(14);
  const float bar_px = std::min(width_px - bars_at_px - value_width(ui, answers), ui.px(kMostAnswerBarPx));
  const float row_px = (answers_height(ui) - ui.px(3)) / 2;
  float y = at.y;
  for (const StripAnswer& answer : answers) {
    const float baseline = y + (row_px - face->FontSize) / 2 + face->Ascent;
    StripLine line{ui, *ImGui::GetWindowDrawList(), at.x, baseline};
    line.write(face, answer.final ? ui.theme.text : ui.theme.text_dim, answer.words, 8);
    if (line.x + notes_width(ui, answer) <= at.x + width_px) draw_notes(ui, answer, line, y, row_px);
    ImGui::PushFont(face);
    note_fit(ui, answer.words, width_px);
    ImGui::PopFont();
    if (answer.before > 0 && bar_px >= ui.px(kLeastAnswerBarPx))
      draw_bars(ui, answer, ImVec2(at.x + bars_at_px, y + (row_px - bars_height(ui)) / 2), bar_px);
    ImGui::SetCursorScreenPos(ImVec2(at.x, y));
    ImGui::PushID(&answer);
    ImGui::InvisibleButton("##answer", ImVec2(std::max(width_px, 1.0f), row_px));
    ImGui::PopID();
    tooltip(ui, hint_of(answer));
    y += row_px + ui.px(3);
  }
}

}  // namespace runahead::gui
