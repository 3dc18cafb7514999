// The predictions and measurements of each lesson. The book is empty when the window opens, and again after a
// reset for the next class of students (ResetClass). Pure data.
#pragma once

#include <map>
#include <string>

#include "gui/model/lesson_state.h"
#include "gui/session/lesson_figures.h"

namespace runahead::gui {

class LessonBook {
 public:
  // Returns the state of a lesson. If the user has done nothing in this lesson yet, its stage is kQuestion.
  [[nodiscard]] const LessonState& of(const samples::Lesson& lesson);

  void turn_to(const samples::Lesson& lesson, LessonStage stage);
  // Sets the user's answer to the prediction `index`; nullopt: no answer. Ignored if the predictions are
  // already fixed or the index is invalid.
  void predict(const samples::Lesson& lesson, std::size_t index, std::optional<double> value);
  // Fixes all predictions, also those that the user has not answered: from now on they cannot change. Goes on
  // to the stage kRun.
  void write_down(const samples::Lesson& lesson);
  // Stores the figures of a run of `part` that was measured on `device`. The lesson's figures from another
  // device are removed, because they cannot be compared. Figures that are not settled (samples::kUnsettled)
  // never replace settled ones.
  void add(const samples::Lesson& lesson, const samples::LessonPart& part, const samples::Figures& figures,
           const std::string& device);
  // Stores what the machine predicts for a part. Ignored if the part has been measured already.
  void add_machine(const samples::Lesson& lesson, const samples::LessonPart& part,
                   const samples::Figures& figures);
  void begin_again(const samples::Lesson& lesson);
  void forget_all() { states_.clear(); }

 private:
  LessonState& state(const samples::Lesson& lesson);

  std::map<int, LessonState> states_;  // key: the lesson's number
};

// ---- in a recording --------------------------------------------------------------------------------------
// Returns the state of a lesson as metadata of a recording: the number of the lesson, the fixed predictions
// and the measurements of the parts. Keys: lesson, lesson.device, lesson.prediction.INDEX,
// lesson.figure.PART.NAME, lesson.machine.PART.NAME. Empty if nothing is fixed or measured.
[[nodiscard]] LessonNotes lesson_facts(const samples::Lesson& lesson, const LessonState& state);

// The lesson in which a recording was made, with the measurements of the recorded run. Read from the
// recording's metadata.
struct RecordedLesson {
  const samples::Lesson* lesson = nullptr;
  LessonState state;
};
[[nodiscard]] std::optional<RecordedLesson> recorded_lesson(const LessonNotes& facts);

}  // namespace runahead::gui
