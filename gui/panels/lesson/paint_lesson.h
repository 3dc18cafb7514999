// Shared by the files that draw the lesson: its steps and their parts, published figures, and the engine's
// settings.
#pragma once

#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// The button to the next step. Returns true when pressed.
[[nodiscard]] bool next_button(const PanelUi& ui, const char* name, Text label, bool enabled = true);

// A secondary button, a little higher than its text. Returns true when pressed.
[[nodiscard]] bool small_button(const PanelUi& ui, const char* label);

// "1 2 3 4 5" with the current step filled, and its name below.
void lesson_stages(const LessonFacts& facts, const PanelUi& ui, Commands& out);

// True if the predictions can still be changed.
[[nodiscard]] inline bool open_to_predictions(const LessonFacts& facts) {
  return !facts.state.written_down && !facts.of_recording;
}
// The choices, or the field for a number; without the question.
void lesson_answer(const LessonFacts& facts, std::size_t index, const PanelUi& ui, Commands& out);

// A part of the run, its progress, and the button that starts it or switches to it.
void lesson_part(const LessonFacts& facts, const samples::LessonPart& part, const PanelUi& ui, Commands& out);

// The question, the prediction and the result.
void lesson_outcome(const LessonFacts& facts, std::size_t index, const PanelUi& ui);

// The lesson in its five steps: the question, the prediction, the run, the prediction beside the result, and
// the reason. REQUIRES: model.lesson.lesson is not null.
void lesson_steps(const PanelModel& model, const PanelUi& ui, Commands& out);

// Published figures beside the figures of runs made here: both figures of each variant, and the shape below
// them. The shape is what can be compared.
void published_figures(const PanelModel& model, const PanelUi& ui);

// The engine's settings for the next run.
void engine_settings(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
