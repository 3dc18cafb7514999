// The lesson that a page contains (lesson.js shows it).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gui/lesson/lesson_sheet.h"
#include "instrumentation/base/result.h"

namespace runahead::gui {

// The parts of a page with this lesson: the attribute of the body that hides everything but the lesson until
// it is answered, and the elements. Empty for an empty text.
[[nodiscard]] std::string lesson_seal(std::string_view sheet_text);
[[nodiscard]] std::string lesson_elements(std::string_view sheet_text);

// Reads the lesson of a page that write_page() wrote. Error: the file cannot be read, or it is no such page.
[[nodiscard]] Result<LessonSheet> lesson_of_page(const std::filesystem::path& path);

}  // namespace runahead::gui
