#include "gui/panels/lesson/paint_lesson.h"

#include <cmath>
#include <cstdio>

#include "gui/model/model.h"
#include "gui/panels/lesson/lesson_panel.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

namespace {

void paragraph(const PanelUi& ui, Text title, const std::string& body) {
  if (body.empty()) return;
  ImGui::Spacing();
  small_dim_line(ui, text(title));
  wrapped_text(ui, translated(body));
}

std::string number_text(double value, bool integer) {
  char out[48];
  std::snprintf(out, sizeof out, integer ? "%.0f" : "%g", value);
  return out;
}

// The tooltip of a parameter: its help, its limits, and how to set it on the command line.
void parameter_hint(const PanelUi& ui, const samples::ParameterSpec& spec, double value) {
  tooltip(ui, translated(spec.help) + "\n" + text(Text::kFrom) + " " + number_text(spec.min, spec.integer) +
                  " " + text(Text::kTo) + " " + number_text(spec.max, spec.integer) + "\n--set " + spec.name +
                  "=" + number_text(value, spec.integer));
}

void parameter_row(const samples::ParameterSpec& spec, double value, double usual, const PanelUi& ui,
                   Commands& out) {
  ImGui::PushID(spec.name.c_str());
  const float width = ImGui::GetContentRegionAvail().x;
  const float left = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  label_line(ui, translated(spec.title), width * kSettingNameShare - ui.px(6),
             std::abs(value - usual) < 1e-12);
  parameter_hint(ui, spec, value);
  ImGui::SameLine(left + width * kSettingNameShare);
  ImGui::SetNextItemWidth(width * (1 - kSettingNameShare));
  double edited = value;
  const char* format = spec.integer ? "%.0f" : "%g";
  if (ImGui::InputDouble("##value", &edited, 0, 0, format)) out.push_back(SetParameter{spec.name, edited});
  mark_widget(ui, "parameter:" + spec.name);
  parameter_hint(ui, spec, value);
  ImGui::PopID();
}

void size_choice(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const bool published = model.start.choice.size == "published";
  if (ImGui::RadioButton(text(Text::kSizeClass), !published)) out.push_back(ChooseSize{"class"});
  mark_widget(ui, "size:class");
  tooltip(ui, text(Text::kSizeClassHint));
  ImGui::SameLine();
  if (ImGui::RadioButton(text(Text::kSizePublished), published)) out.push_back(ChooseSize{"published"});
  mark_widget(ui, "size:published");
  tooltip(ui, text(Text::kSizePublishedHint));
}

void parameters(const PanelModel& model, const PanelUi& ui, Commands& out) {
  ImGui::Dummy(ImVec2(0, ui.px(6)));
  heading(ui, text(Text::kParameters));
  size_choice(model, ui, out);
  bool endless = model.start.choice.endless;
  if (ImGui::Checkbox(text(Text::kEndless), &endless)) out.push_back(SetEndless{endless});
  mark_widget(ui, "endless");
  tooltip(ui, text(Text::kEndlessHint));
  const bool published = model.start.choice.size == "published";
  for (const samples::ParameterSpec& spec : model.start.workload->parameters) {
    const auto found = model.start.parameters.find(spec.name);
    const double usual = published ? spec.published_value : spec.class_value;
    ImGui::BeginDisabled(endless && spec.name == "steps");
    parameter_row(spec, found != model.start.parameters.end() ? found->second : usual, usual, ui, out);
    ImGui::EndDisabled();
  }
  if (model.live() && model.run->choice_differs) wrapped_text(ui, text(Text::kAppliesAtRestart), true);
}

void exercise_lesson(const samples::Exercise& exercise, const PanelUi& ui) {
  heading(ui, std::string(text(Text::kExercise)) + " " + std::to_string(exercise.number));
  mark_widget(ui, "exercise");
  bold_wrapped(ui, translated(exercise.title));
  for (const std::string& step : exercise.steps) {
    ImGui::Spacing();
    wrapped_text(ui, translated(step));
  }
  paragraph(ui, Text::kCompare, exercise.compare);
}

}  // namespace

void paint_panel(LessonPanel&, const PanelModel& model, const PanelUi& ui, Commands& out) {
  if (model.start.workload == nullptr) {
    wrapped_text(ui, text(Text::kChooseWorkload), true);
    return;
  }
  if (model.start.exercise != nullptr) {
    exercise_lesson(*model.start.exercise, ui);
    published_figures(model, ui);
  } else if (model.lesson.lesson != nullptr) {
    lesson_steps(model, ui, out);
  }
  parameters(model, ui, out);
  engine_settings(model, ui, out);
}

}  // namespace runahead::gui
