#include "gui/panels/lesson/lesson_words.h"
#include "gui/panels/lesson/paint_lesson.h"

namespace runahead::gui {

namespace {

using samples::LessonPart;
using samples::Prediction;

void leave(const PanelUi& ui, float height) { ImGui::Dummy(ImVec2(0, ui.px(height))); }

void choices(const Prediction& asked, std::size_t index, const LessonState& state, const PanelUi& ui,
             Commands& out) {
  const std::optional<double> chosen = state.predictions[index];
  for (std::size_t i = 0; i < asked.choices.size(); ++i) {
    const bool on = chosen && *chosen == static_cast<double>(i);
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::RadioButton("##choice", on)) out.push_back(Predict{index, static_cast<double>(i)});
    mark_widget(ui, "choice:" + std::to_string(index) + ":" + std::to_string(i));
    ImGui::SameLine();
    wrapped_text(ui, translated(asked.choices[i].words));
    if (ImGui::IsItemClicked() && !state.written_down) out.push_back(Predict{index, static_cast<double>(i)});
    ImGui::PopID();
  }
}

void number_field(const Prediction& asked, std::size_t index, const LessonState& state, const PanelUi& ui,
                  Commands& out) {
  const double unit = typed_unit(asked.unit);
  const std::optional<double> now = state.predictions[index];
  double typed = now.value_or(0) / unit;
  ImGui::SetNextItemWidth(ui.px(110));
  // The field is empty until the user types, because a number in it would influence the prediction.
  const char* const format = now ? "%g" : "";
  if (ImGui::InputDouble("##number", &typed, 0, 0, format)) out.push_back(Predict{index, typed * unit});
  mark_widget(ui, "predict:" + std::to_string(index));
  ImGui::SameLine();
  text_line(typed_unit_name(asked.unit));
}

// Draws a dot, the part's label and its state. The dot is empty if the part has not run, half full while the
// part runs, and full if the part is measured.
void part_line(const LessonPart& part, const LessonFacts& facts, const PanelUi& ui) {
  const bool measured = facts.state.figures.contains(part.id);
  const float radius = ui.px(5);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 centre(at.x + radius, at.y + ImGui::GetTextLineHeight() * 0.55f);
  ImDrawList* const draw = ImGui::GetWindowDrawList();
  const ImU32 colour =
      ImGui::GetColorU32(to_imvec(facts.running == &part ? ui.theme.good : ui.theme.text_dim));
  if (measured) {
    draw->AddCircleFilled(centre, radius, colour);
  } else {
    draw->AddCircle(centre, radius, colour, 0, ui.px(1.5f));
    if (facts.running == &part) draw->AddCircleFilled(centre, radius * 0.5f, colour);
  }
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ui.px(18));
  ImGui::BeginGroup();
  wrapped_text(ui, translated(part.label));
  const Text state = measured                                     ? Text::kPartMeasured
                     : facts.warming_up && facts.running == &part ? Text::kPartWarmingUp
                     : facts.running == &part                     ? Text::kPartRuns
                                                                  : Text::kPartToCome;
  small_dim_line(ui, text(state));
  ImGui::EndGroup();
}

// Pushes the ImGui style colours of prominent buttons: the button of the current step, and the button that
// goes to the next step.
void push_filled(const PanelUi& ui) {
  const ImVec4 fill = to_imvec(ui.theme.good);
  ImGui::PushStyleColor(ImGuiCol_Button, fill);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, to_imvec(mix(ui.theme.good, ui.theme.text, 0.12f)));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, fill);
  ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(label_on(ui.theme.good)));
}
void pop_filled() { ImGui::PopStyleColor(4); }

}  // namespace

bool next_button(const PanelUi& ui, const char* name, Text label, bool enabled) {
  leave(ui, 4);
  ImGui::BeginDisabled(!enabled);
  push_filled(ui);
  const std::string words = std::string(text(label)) + "##" + name;
  const bool pressed = ImGui::Button(words.c_str(), ImVec2(ImGui::GetContentRegionAvail().x, 0));
  pop_filled();
  ImGui::EndDisabled();
  mark_widget(ui, name);
  return pressed;
}

bool small_button(const PanelUi& ui, const char* label) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(8), ui.px(2)));
  const bool pressed = ImGui::Button(label);
  ImGui::PopStyleVar();
  return pressed;
}

void lesson_stages(const LessonFacts& facts, const PanelUi& ui, Commands& out) {
  const float spacing = ui.px(4);
  const float width =
      (ImGui::GetContentRegionAvail().x - spacing * (kLessonStageCount - 1)) / kLessonStageCount;
  for (int i = 0; i < kLessonStageCount; ++i) {
    const auto stage = static_cast<LessonStage>(i);
    const bool here = stage == facts.state.stage;
    if (i > 0) ImGui::SameLine(0, spacing);
    if (here) push_filled(ui);
    const std::string label = std::to_string(i + 1) + "##stage";
    if (ImGui::Button(label.c_str(), ImVec2(width, 0))) out.push_back(TurnToStage{stage});
    if (here) pop_filled();
    mark_widget(ui, "stage:" + std::to_string(i + 1));
    tooltip(ui, text(stage_name(stage)));
  }
  bold_line(ui, text(stage_name(facts.state.stage)));
  mark_widget(ui, "stage_now:" + std::to_string(static_cast<int>(facts.state.stage) + 1));
}

void lesson_answer(const LessonFacts& facts, std::size_t index, const PanelUi& ui, Commands& out) {
  const Prediction& asked = facts.lesson->predictions[index];
  ImGui::PushID(static_cast<int>(index));
  ImGui::BeginDisabled(!open_to_predictions(facts));
  if (asked.choices.empty()) {
    number_field(asked, index, facts.state, ui, out);
  } else {
    choices(asked, index, facts.state, ui, out);
  }
  ImGui::EndDisabled();
  ImGui::PopID();
}

void lesson_part(const LessonFacts& facts, const LessonPart& part, const PanelUi& ui, Commands& out) {
  part_line(part, facts, ui);
  mark_widget(ui, "part:" + part.id);
  ImGui::PushID(part.id.c_str());
  const bool first = &part == &facts.lesson->parts.front();
  const bool can = first || !facts.lesson->toggled || facts.running != nullptr;
  const Text label = first || !facts.lesson->toggled ? Text::kRunThis : Text::kSwitchToThis;
  const bool wanted = !facts.state.figures.contains(part.id) && facts.running != &part;
  const bool next = wanted && can;
  if (next ? next_button(ui, ("run_part:" + part.id).c_str(), label)
           : (facts.running != &part && can && small_button(ui, text(Text::kRunAgain))))
    out.push_back(RunPart{part.id});
  ImGui::PopID();
}

void lesson_outcome(const LessonFacts& facts, std::size_t index, const PanelUi& ui) {
  const Prediction& asked = facts.lesson->predictions[index];
  const std::optional<double> predicted =
      facts.state.written_down ? facts.state.predictions[index] : std::optional<double>();
  const samples::Outcome outcome = samples::judge(asked, predicted, facts.state.figures);
  wrapped_text(ui, translated(asked.question), true);
  wrapped_text(ui, filled(Text::kYouSaid, {predicted_words(asked, predicted)}));
  if (const std::optional<samples::Outcome> machine = machine_outcome(facts.state, asked))
    wrapped_text(ui, filled(Text::kMachineSaid, {measured_words(asked, *machine)}));
  bold_wrapped(ui, filled(Text::kItWas, {measured_words(asked, outcome)}));
  if (outcome.verdict != samples::Verdict::kNotMeasured) {
    const bool good =
        outcome.verdict == samples::Verdict::kRight || outcome.verdict == samples::Verdict::kClose;
    ImGui::PushStyleColor(ImGuiCol_Text, to_imvec(good ? ui.theme.good : ui.theme.text_dim));
    bold_wrapped(ui, verdict_words(outcome));
    ImGui::PopStyleColor();
  }
  mark_widget(ui, "outcome:" + std::to_string(index));
}

}  // namespace runahead::gui
