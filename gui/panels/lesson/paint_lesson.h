// Functions shared by the files that draw the lesson: the steps of the lesson and their parts, published
// figures, and the engine's settings.
#pragma once

#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// The share of the panel's width that the name of a parameter or a setting takes. The value takes the rest.
inline constexpr float kSettingNameShare = 0.58f;

// Draws the button to the next step. Returns true when it is pressed.
[[nodiscard]] bool next_button(const PanelUi& ui, const char* name, Text label, bool enabled = true);

// Draws a small button, for an action that is not the main one. Returns true when it is pressed.
[[nodiscard]] bool small_button(const PanelUi& ui, const char* label);

// Draws "1 2 3 4 5" with the current step filled, and below it the name of the current step.
void lesson_stages(const LessonFacts& facts, const PanelUi& ui, Commands& out);

// True if the predictions can still be changed.
[[nodiscard]] inline bool open_to_predictions(const LessonFacts& facts) {
  return !facts.state.written_down && !facts.of_recording;
}
// Draws the choices of a prediction, or its field for a number. Does not draw the question.
void lesson_answer(const LessonFacts& facts, std::size_t index, const PanelUi& ui, Commands& out);

// Draws a part of the lesson (LessonPart), its state (not run, running or measured), and a button. The button
// starts a run of the part, or switches the current run to the part's barrier.
void lesson_part(const LessonFacts& facts, const samples::LessonPart& part, const PanelUi& ui, Commands& out);

// Draws the question, the prediction and the result.
void lesson_outcome(const LessonFacts& facts, std::size_t index, const PanelUi& ui);

// Draws the five steps of the lesson: the question, the prediction, the run, the prediction next to the
// result, and the reason. REQUIRES: model.lesson.lesson is not null.
void lesson_steps(const PanelModel& model, const PanelUi& ui, Commands& out);

// Draws published figures next to the same figures measured on this machine. Below each pair that is compared
// with another (ComparedFigure::against) are ratios: each figure of the pair divided by the same machine's
// figure in the first pair of the set. Figures of different machines cannot be compared, but these ratios
// can.
void published_figures(const PanelModel& model, const PanelUi& ui);

// Draws the engine's settings for the next run.
void engine_settings(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
