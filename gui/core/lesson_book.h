// The predictions and measurements of each lesson since the window opened or the class began. Pure data.
#pragma once

#include <map>
#include <string>

#include "gui/model/lesson_state.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

class LessonBook {
 public:
  // Returns the state of a lesson. If the user has done nothing in this lesson yet, its stage is the
  // question.
  [[nodiscard]] const LessonState& of(const samples::Lesson& lesson);

  void turn_to(const samples::Lesson& lesson, LessonStage stage);
  // Sets the draft of a prediction. Ignored if the predictions are already fixed or the index is invalid.
  void predict(const samples::Lesson& lesson, std::size_t index, std::optional<double> value);
  // Fixes all predictions, including empty ones, and goes on to the run.
  void write_down(const samples::Lesson& lesson);
  // Adds the figures that a part of the lesson measured on `device`. Figures from runs on another device are
  // removed, because they cannot be compared.
  void add(const samples::Lesson& lesson, const samples::LessonPart& part, const samples::Figures& figures,
           const std::string& device);
  void begin_again(const samples::Lesson& lesson);
  void forget_all() { states_.clear(); }

 private:
  LessonState& state(const samples::Lesson& lesson);

  std::map<int, LessonState> states_;  // by the lesson's number
};

// ---- in a recording --------------------------------------------------------------------------------------
using LessonNotes = std::map<std::string, std::string>;

// Returns the state of a lesson as metadata of a recording: the number of the lesson, the fixed predictions
// and the measurements of the parts. Keys: lesson, lesson.device, lesson.prediction.INDEX,
// lesson.figure.PART.NAME. Empty if nothing is fixed or measured.
[[nodiscard]] LessonNotes lesson_facts(const samples::Lesson& lesson, const LessonState& state);

// The lesson in which a recording was made, with the measurements of the recorded run. Read from the
// recording's metadata.
struct RecordedLesson {
  const samples::Lesson* lesson = nullptr;
  LessonState state;
};
[[nodiscard]] std::optional<RecordedLesson> recorded_lesson(const LessonNotes& facts);

// ---- toggled ---------------------------------------------------------------------------------------------
// Returns the figures of a segment that a lesson may use. A segment is the part of a run with one barrier.
// The figures are steps_per_s, blocked_ratio, peak_bytes, max_run_ahead_steps, max_run_ahead_ops,
// max_run_ahead_bytes.
[[nodiscard]] samples::Figures toggle_figures(const analysis::SegmentFigures& segment);

// Returns the part of the lesson that runs with this barrier; nullptr: there is no such part. `barrier` is
// text in the format of to_string().
[[nodiscard]] const samples::LessonPart* part_under(const samples::Lesson& lesson, std::string_view barrier);

}  // namespace runahead::gui
