// Runs a lesson from begin to end, for a page: its parts with their settings, as the window's lesson runs
// them, and what the machine predicts for a part before it runs.
#pragma once

#include <functional>

#include "gui/session/lesson_figures.h"
#include "instrumentation/base/result.h"
#include "instrumentation/trace/trace.h"
#include "samples/lessons/lesson.h"

namespace runahead::gui {

struct LessonRun {
  trace::Trace trace;  // of the last part; of a toggled lesson, of all parts
  MeasuredLesson measured;
};

// Asked every 10 ms while the lesson runs. Return false to stop it.
using LessonGoesOn = std::function<bool()>;
// In a toggled lesson, the first part runs for at least 8 s, so that its run-ahead becomes visible. The
// barrier is switched when the rate of steps is steady, and the run ends when it is steady again; each at the
// latest after 60 s. What is not steady then is marked so (samples::kUnsettled). Error: a part could not
// start, has failed, or was stopped.
[[nodiscard]] Result<LessonRun> run_lesson(const samples::Lesson& lesson, const LessonGoesOn& goes_on);

}  // namespace runahead::gui
