// What has been predicted and measured in each lesson since the window opened, or the class began. Pure.
#pragma once

#include <map>
#include <string>

#include "gui/model/lesson_state.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

class LessonBook {
 public:
  // Where the person is in that lesson; at its question, if nothing has been done yet.
  [[nodiscard]] const LessonState& of(const samples::Lesson& lesson);

  void turn_to(const samples::Lesson& lesson, LessonStage stage);
  // A draft. Nothing happens where the predictions are written down, or there is none of that index.
  void predict(const samples::Lesson& lesson, std::size_t index, std::optional<double> value);
  // From here on they stay as they are, also those that were left open; goes on to the run.
  void write_down(const samples::Lesson& lesson);
  // What a part measured, on `device`. Figures of another device's runs are not beside it: they go.
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

// The lesson's number, what was written down, and what its parts measured, as facts of a recording: lesson,
// lesson.device, lesson.prediction.INDEX, lesson.figure.PART.NAME. Of a lesson in which nothing is written
// down nor measured: none.
[[nodiscard]] LessonNotes lesson_facts(const samples::Lesson& lesson, const LessonState& state);

// The lesson that a recording was made in, as its facts tell, with what its own run measured.
struct RecordedLesson {
  const samples::Lesson* lesson = nullptr;
  LessonState state;
};
[[nodiscard]] std::optional<RecordedLesson> recorded_lesson(const LessonNotes& facts);

// ---- toggled ---------------------------------------------------------------------------------------------
// What a lesson may ask of a stretch under one barrier: steps_per_s, blocked_ratio, peak_bytes,
// max_run_ahead_steps, max_run_ahead_ops, max_run_ahead_bytes.
[[nodiscard]] samples::Figures toggle_figures(const analysis::SegmentFigures& segment);

// The part whose barrier it is, as to_string() writes it; nullptr: none's.
[[nodiscard]] const samples::LessonPart* part_under(const samples::Lesson& lesson, std::string_view barrier);

}  // namespace runahead::gui
