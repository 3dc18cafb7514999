// What the parts of a lesson measured, in a recording and for a page.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "gui/lesson/lesson_sheet.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/base/result.h"
#include "instrumentation/trace/trace.h"
#include "samples/lessons/lesson.h"

namespace runahead::gui {

using LessonNotes = std::map<std::string, std::string>;

struct MeasuredLesson {
  samples::LessonFigures figures;
  samples::LessonFigures machine;  // what the machine predicted for a part before it ran
  std::string device;              // on which the parts ran
};

// The measurements as metadata of a recording. Keys: lesson.device, lesson.figure.PART.NAME,
// lesson.machine.PART.NAME.
[[nodiscard]] LessonNotes measured_facts(const MeasuredLesson& measured);
// Reads them from a recording's metadata, with the measurements of the recorded run itself.
[[nodiscard]] MeasuredLesson measured_lesson(const samples::Lesson& lesson, const LessonNotes& facts);
// The same, also with the parts of a toggled lesson that the trace shows. Error: the trace is not of the
// lesson's workload, or a part has not been measured.
[[nodiscard]] Result<MeasuredLesson> measured_in(const samples::Lesson& lesson, const trace::Trace& trace);

// What a page shows of the lesson.
[[nodiscard]] LessonSheet sheet_of(const samples::Lesson& lesson, const MeasuredLesson& measured);

// ---- toggled ---------------------------------------------------------------------------------------------
// For a toggled lesson (the user switches the barrier during the run): returns the figures of one segment,
// which the formulas of the lesson may use. A segment is the part of a run with one barrier. The figures are
// steps_per_s, blocked_ratio, peak_bytes, max_run_ahead_steps, max_run_ahead_ops, max_run_ahead_bytes.
[[nodiscard]] samples::Figures toggle_figures(const analysis::SegmentFigures& segment);
// True if the figures cover enough time and steps to be used as measurements of a toggled lesson. If the rate
// of steps is steady, they are those of the steady time.
[[nodiscard]] bool covers_enough(const analysis::SegmentFigures& figures);
// The parts of a toggled lesson that the trace shows, by its barriers. Parts without enough steps are left
// out.
[[nodiscard]] samples::LessonFigures toggled_figures(const samples::Lesson& lesson,
                                                     const trace::Trace& trace);

// Returns the part of the lesson that runs with this barrier; nullptr: there is no such part. `barrier` is
// text as to_string() writes it.
[[nodiscard]] const samples::LessonPart* part_under(const samples::Lesson& lesson, std::string_view barrier);

}  // namespace runahead::gui
