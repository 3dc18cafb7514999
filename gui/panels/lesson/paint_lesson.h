// What the files share that draw the lesson: its steps, the parts of them, published figures, and the
// engine's settings.
#pragma once

#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// The button that leads on. True when pressed.
[[nodiscard]] bool next_button(const PanelUi& ui, const char* name, Text label, bool enabled = true);

// One beside the way: as high as its words, with some air. True when pressed.
[[nodiscard]] bool small_button(const PanelUi& ui, const char* label);

// "1 2 3 4 5", the step that one is in filled, and its name under them.
void lesson_stages(const LessonFacts& facts, const PanelUi& ui, Commands& out);

// What is predicted can still be changed.
[[nodiscard]] inline bool open_to_predictions(const LessonFacts& facts) {
  return !facts.state.written_down && !facts.of_recording;
}
// What there is to choose from, or the field for a number; without the question.
void lesson_answer(const LessonFacts& facts, std::size_t index, const PanelUi& ui, Commands& out);

// A part of the run, how far it is, and the button that starts it or switches to it.
void lesson_part(const LessonFacts& facts, const samples::LessonPart& part, const PanelUi& ui, Commands& out);

// What was asked, what was said, what it was.
void lesson_outcome(const LessonFacts& facts, std::size_t index, const PanelUi& ui);

// The lesson in its five steps: the question, the prediction, the run, what was predicted beside what
// happened, why. REQUIRES: model.lesson.lesson is there.
void lesson_steps(const PanelModel& model, const PanelUi& ui, Commands& out);

// Published figures beside those of the runs made here: of each variant both figures, and under them the
// shape, which is what compares.
void published_figures(const PanelModel& model, const PanelUi& ui);

// What a person sets of the engine for the next run.
void engine_settings(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
