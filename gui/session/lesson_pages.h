// A lesson as a page for a class: the page asks for a prediction before it shows the trace.
#pragma once

#include <filesystem>

#include "gui/lesson/lesson_sheet.h"
#include "gui/session/export.h"
#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"
#include "samples/lessons/lesson.h"

namespace runahead::gui {

// Writes the page of a lesson with its trace (gui/web/page.h).
[[nodiscard]] Result<WrittenPage> write_lesson_page(const trace::Trace& trace, const LessonSheet& sheet,
                                                    const std::filesystem::path& path,
                                                    const PageLimits& limits = {},
                                                    const recordings::Progress& progress = {});
// The same for a trace that was recorded in the lesson. Error: it lacks what the lesson measures
// (measured_in()).
[[nodiscard]] Result<WrittenPage> write_lesson_page(const trace::Trace& trace, const samples::Lesson& lesson,
                                                    const std::filesystem::path& path,
                                                    const PageLimits& limits,
                                                    const recordings::Progress& progress);
// Reads the lesson of such a page.
[[nodiscard]] Result<LessonSheet> lesson_of(const std::filesystem::path& page);

}  // namespace runahead::gui
