#include "gui/session/lesson_pages.h"

#include <string>

#include "gui/session/lesson_figures.h"
#include "gui/web/lesson_page.h"

namespace runahead::gui {

Result<WrittenPage> write_lesson_page(const trace::Trace& trace, const LessonSheet& sheet,
                                      const std::filesystem::path& path, const PageLimits& limits,
                                      const recordings::Progress& progress) {
  const std::string title = "Lesson " + std::to_string(sheet.number) + ": " + sheet.title;
  return write_page(
      trace, path,
      {.title = title, .lesson = sheet_text(sheet), .range = limits.range, .most_bytes = limits.most_bytes},
      progress);
}

Result<WrittenPage> write_lesson_page(const trace::Trace& trace, const samples::Lesson& lesson,
                                      const std::filesystem::path& path, const PageLimits& limits,
                                      const recordings::Progress& progress) {
  const Result<MeasuredLesson> measured = measured_in(lesson, trace);
  if (!measured) return measured.error();
  return write_lesson_page(trace, sheet_of(lesson, *measured), path, limits, progress);
}

Result<LessonSheet> lesson_of(const std::filesystem::path& page) { return lesson_of_page(page); }

}  // namespace runahead::gui
