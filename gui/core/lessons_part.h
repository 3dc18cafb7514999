// Lessons: what a person predicts and measures in the lesson of the chosen workload. Also the lesson that is
// saved in the recording on the screen.
#pragma once

#include <optional>
#include <string>

#include "gui/core/lesson_book.h"
#include "gui/core/running_part.h"
#include "gui/core/screen.h"
#include "gui/core/warm_up.h"
#include "gui/model/app_commands.h"
#include "gui/model/lesson_state.h"
#include "samples/lessons/lesson.h"

namespace runahead::gui {

// One thread (the window's) calls everything.
class Lessons {
 public:
  Lessons(Screen& screen, Running& running) : screen_(screen), running_(running) {}  // both must outlive this

  void apply(const LessonCommand& command);  // of the chosen workload's lesson; without one nothing happens
  void note(const samples::RunReport& report);  // of a run that came to its end
  void note_facts();  // for the captures to come, and this one if it is the lesson's
  // Takes from the strip what a toggled lesson asks for. nullptr: there is nothing.
  void take_figures(const StripTracker::State* strip_now);
  void trace_replaced() { recorded_.reset(); }
  void take_recorded() { recorded_ = recorded_lesson(screen_.trace().metadata()); }
  void forget_all() { book_.forget_all(); }
  [[nodiscard]] LessonFacts facts();

 private:
  void on(const samples::Lesson& lesson, const TurnToStage& c);
  void on(const samples::Lesson& lesson, const Predict& c);
  void on(const samples::Lesson& lesson, const WriteDown& c);
  void on(const samples::Lesson& lesson, const RunPart& c);
  void on(const samples::Lesson& lesson, const BeginLessonAgain& c);
  [[nodiscard]] const samples::Lesson* chosen() const;  // nullptr: an exercise is chosen, or no workload
  [[nodiscard]] std::string workload_on_screen() const;

  Screen& screen_;
  Running& running_;
  LessonBook book_;
  std::optional<RecordedLesson> recorded_;  // that the recording on the screen was made in
};

}  // namespace runahead::gui
