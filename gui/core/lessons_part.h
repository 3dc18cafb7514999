// Lessons: keeps the predictions and measurements of all lessons, and applies commands to the lesson of the
// chosen workload. If the recording on the screen was made in a lesson, Lessons also keeps the state of that
// lesson, as read from the recording.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "gui/answers/strip_tracker.h"
#include "gui/background/asker.h"
#include "gui/core/lesson_book.h"
#include "gui/core/running_part.h"
#include "gui/core/screen.h"
#include "gui/model/app_commands.h"
#include "gui/model/lesson_state.h"
#include "gui/model/model.h"
#include "samples/lessons/lesson.h"

namespace runahead::gui {

// One thread (the window's) calls everything.
class Lessons {
 public:
  Lessons(Screen& screen, Running& running);  // both must outlive this

  // Applies the command to the lesson of the chosen workload. Ignored if this workload has no lesson.
  void apply(const LessonCommand& command);
  // Takes the report of a finished run, whose trace is on the screen. If another part of the lesson differs
  // only by its barrier, a thread predicts that part from the trace.
  void note(const samples::RunReport& report);
  // Takes the forecast for the barrier that was chosen in a toggled lesson. nullopt: there is none.
  void take_forecast(const std::optional<PressedForecast>& pressed);
  // Takes what the thread has predicted. Returns true if facts() may have changed.
  bool poll();
  [[nodiscard]] bool busy() const { return predicting_.busy(); }
  // Adds the lesson's predictions and figures to the metadata of later captures. Also adds them to the
  // current capture, if the captured run is of the lesson's workload.
  void note_facts();
  // If the lesson of the workload on the screen is a toggled lesson (the user switches the barrier during the
  // run), takes the strip's figures as measurements of this lesson. nullptr: the strip has no figures.
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
  [[nodiscard]] const samples::Lesson* chosen() const;  // nullptr: an exercise or no workload is chosen
  [[nodiscard]] std::string workload_on_screen() const;

  Screen& screen_;
  Running& running_;
  // What to predict, and the figures of the part that was measured.
  struct PartQuestion {
    trace::Trace trace;
    const samples::Lesson* lesson = nullptr;
    const samples::LessonPart* part = nullptr;
    samples::Figures measured;
  };
  struct PartAnswer {
    const samples::Lesson* lesson = nullptr;
    const samples::LessonPart* part = nullptr;
    samples::Figures figures;  // empty: no prediction
  };
  [[nodiscard]] static PartAnswer predict_part(const PartQuestion& question);
  void ask_machine(const samples::Lesson& lesson, const samples::LessonPart& ran,
                   const samples::Figures& measured);

  const std::map<std::string, std::filesystem::path> listings_;  // the Python listing of a workload
  LessonBook book_;
  std::optional<RecordedLesson> recorded_;  // the lesson of the recording on the screen
  // The last member is destroyed first, so its thread ends while the others exist.
  Asker<PartQuestion, PartAnswer> predicting_;
};

}  // namespace runahead::gui
