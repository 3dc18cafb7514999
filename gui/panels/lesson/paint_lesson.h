// Functions shared by the files that draw the lesson: the steps of the lesson and their parts, published
// figures, and the engine's settings.
#pragma once

#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Draws the button to the next step. Returns true when it is pressed.
[[nodiscard]] bool next_button(const PanelUi& ui, const char* name, Text label, bool enabled = true);

// Draws a secondary button, slightly higher than its label. Returns true when it is pressed.
[[nodiscard]] bool small_button(const PanelUi& ui, const char* label);

// Draws "1 2 3 4 5" with the current step filled, and below it the name of the current step.
void lesson_stages(const LessonFacts& facts, const PanelUi& ui, Commands& out);

// True if the predictions can still be changed.
[[nodiscard]] inline bool open_to_predictions(const LessonFacts& facts) {
  return !facts.state.written_down && !facts.of_recording;
}
// Draws the choices of a prediction, or its field for a number. Does not draw the question.
void lesson_answer(const LessonFacts& facts, std::size_t index, const PanelUi& ui, Commands& out);

// Draws a part of the run, its progress, and the button that starts the part or switches to it.
void lesson_part(const LessonFacts& facts, const samples::LessonPart& part, const PanelUi& ui, Commands& out);

// Draws the question, the prediction and the result.
void lesson_outcome(const LessonFacts& facts, std::size_t index, const PanelUi& ui);

// Draws the five steps of the lesson: the question, the prediction, the run, the prediction next to the
// result, and the reason. REQUIRES: model.lesson.lesson is not null.
void lesson_steps(const PanelModel& model, const PanelUi& ui, Commands& out);

// Draws published figures next to figures of runs on this machine: for each variant both figures, and below
// them the ratio to the first variant. Only the ratios can be compared between machines.
void published_figures(const PanelModel& model, const PanelUi& ui);

// Draws the engine's settings for the next run.
void engine_settings(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
