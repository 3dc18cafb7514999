#include <algorithm>

#include "gui/panels/lesson/lesson_words.h"
#include "gui/panels/lesson/paint_lesson.h"

namespace runahead::gui {

namespace {

using samples::Lesson;
using samples::LessonPart;
using samples::Prediction;

void gap(const PanelUi& ui, float height) { ImGui::Dummy(ImVec2(0, ui.px(height))); }

void go_to(Commands& out, LessonStage stage) { out.push_back(TurnToStage{stage}); }

void question_step(const PanelModel& model, const PanelUi& ui, Commands& out) {
  bold_wrapped(ui, translated(model.start.workload->question));
  ImGui::Spacing();
  wrapped_text(ui, text(Text::kPredictFirst), true);
  if (next_button(ui, "lesson:predict", Text::kPredictNow)) go_to(out, LessonStage::kPrediction);
}

void prediction_step(const LessonFacts& facts, const PanelUi& ui, Commands& out) {
  const bool open = open_to_predictions(facts);
  for (std::size_t i = 0; i < facts.lesson->predictions.size(); ++i) {
    wrapped_text(ui, translated(facts.lesson->predictions[i].question));
    lesson_answer(facts, i, ui, out);
    gap(ui, 4);
  }
  if (!open) {
    wrapped_text(ui, text(Text::kIsWrittenDown), true);
    if (next_button(ui, "lesson:to_run", Text::kOnToTheRun)) go_to(out, LessonStage::kRun);
    return;
  }
  if (next_button(ui, "lesson:write_down", Text::kWriteDown, all_predicted(facts.state)))
    out.push_back(WriteDown{});
  if (small_button(ui, text(Text::kWithoutPrediction))) go_to(out, LessonStage::kRun);
  mark_widget(ui, "lesson:skip");
}

// What to wait for while a part of a toggled lesson runs.
void run_hints(const PanelModel& model, const PanelUi& ui) {
  const LessonFacts& facts = model.lesson;
  if (!facts.lesson->toggled || facts.running == nullptr) return;
  if (facts.running == &facts.lesson->parts.front()) wrapped_text(ui, text(Text::kLetItClimb), true);
  if (model.figures.after.phase != analysis::Phase::kSettled)
    wrapped_text(ui, text(Text::kWaitUntilSettled), true);
}

void run_step(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const LessonFacts& facts = model.lesson;
  for (const LessonPart& part : facts.lesson->parts) {
    lesson_part(facts, part, ui, out);
    gap(ui, 4);
  }
  small_dim_line(ui, text(Text::kLookFor));
  wrapped_text(ui, translated(model.start.workload->look_for));
  if (next_button(ui, "lesson:to_compare", Text::kCompareNow, facts.measured()))
    go_to(out, LessonStage::kCompare);
  // Below the button, because the hints come and go while the part runs, and a button must not move under the
  // mouse.
  run_hints(model, ui);
}

// The page asks what the lesson asks, and then shows this run.
void export_button(const LessonFacts& facts, const PanelUi& ui, Commands& out) {
  if (!facts.shows_what_happened()) return;
  gap(ui, 2);
  if (small_button(ui, text(Text::kExportThisLesson))) out.push_back(AskForFile{FilePurpose::kPage, true});
  mark_widget(ui, "lesson:export");
}

void class_button(const PanelUi& ui, Commands& out) {
  gap(ui, 2);
  if (small_button(ui, text(Text::kClassOpen))) out.push_back(TogglePanel{kClassPanel});
  mark_widget(ui, "lesson:class");
  tooltip(ui, text(Text::kClassOpenHint));
}

// For the teacher.
void class_buttons(const LessonFacts& facts, const PanelUi& ui, Commands& out) {
  class_button(ui, out);
  export_button(facts, ui, out);
}

void compare_step(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const LessonFacts& facts = model.lesson;
  for (std::size_t i = 0; i < facts.lesson->predictions.size(); ++i) {
    lesson_outcome(facts, i, ui);
    gap(ui, 6);
  }
  if (!facts.state.device.empty())
    small_dim_line(ui, filled(Text::kMeasuredOn, {translated_list(facts.state.device)}));
  if (next_button(ui, "lesson:to_why", Text::kWhyNow)) go_to(out, LessonStage::kWhy);
  class_buttons(facts, ui, out);  // the published figures may be longer than the panel
  // The published figures answer the lesson's question, so no earlier step shows them.
  published_figures(model, ui);
}

void why_step(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const LessonFacts& facts = model.lesson;
  if (samples::unsettled(facts.state.figures)) bold_wrapped(ui, text(Text::kVerdictNotSettled));
  for (const std::string& paragraph : facts.lesson->explanation) {
    wrapped_text(ui, samples::explain(*facts.lesson, translated(paragraph), facts.state.figures));
    ImGui::Spacing();
  }
  mark_widget(ui, "explanation");
  if (!facts.lesson->exercises.empty()) small_dim_line(ui, text(Text::kGoOnWith));
  for (const int number : facts.lesson->exercises) {
    const samples::Exercise* const exercise = samples::find_exercise(number);
    if (exercise == nullptr) continue;
    ImGui::PushID(number);
    if (small_button(ui, (std::string(text(Text::kExercise)) + " " + std::to_string(number)).c_str()))
      out.push_back(ChooseExercise{number});
    mark_widget(ui, "to_exercise:" + std::to_string(number));
    ImGui::PopID();
    wrapped_text(ui, translated(exercise->title));
  }
  if (!facts.of_recording && next_button(ui, "lesson:again", Text::kBeginAgain))
    out.push_back(BeginLessonAgain{});
}

void listing_button(const LessonFacts& facts, const PanelUi& ui, Commands& out) {
  gap(ui, 2);
  if (small_button(ui, text(Text::kRunListing))) out.push_back(FileChosen{FilePurpose::kOpen, facts.listing});
  mark_widget(ui, "lesson:listing");
  tooltip(ui, filled(Text::kRunListingHint, {facts.listing.filename().string()}));
}

void current_step(const PanelModel& model, const PanelUi& ui, Commands& out) {
  switch (model.lesson.state.stage) {
    case LessonStage::kQuestion:
      return question_step(model, ui, out);
    case LessonStage::kPrediction:
      return prediction_step(model.lesson, ui, out);
    case LessonStage::kRun:
      return run_step(model, ui, out);
    case LessonStage::kCompare:
      return compare_step(model, ui, out);
    case LessonStage::kWhy:
      return why_step(model, ui, out);
  }
}

}  // namespace

void lesson_steps(const PanelModel& model, const PanelUi& ui, Commands& out) {
  const LessonFacts& facts = model.lesson;
  small_dim_line(ui, filled(Text::kLesson, {std::to_string(facts.lesson->number)}));
  heading(ui, translated(model.start.workload->title));
  mark_widget(ui, "lesson:" + std::to_string(facts.lesson->number));
  if (facts.of_recording) wrapped_text(ui, text(Text::kLessonOfRecording), true);
  lesson_stages(facts, ui, out);
  gap(ui, 2);
  current_step(model, ui, out);
  if (!facts.listing.empty()) listing_button(facts, ui, out);
  if (facts.state.stage != LessonStage::kCompare) class_buttons(facts, ui, out);
}

}  // namespace runahead::gui
