// What a class predicted beside what happened: for each question of a lesson a histogram of the answers. The
// row that has the measured value is marked.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/lesson/lesson_sheet.h"

namespace runahead::gui {

struct HistogramRow {
  std::string label;  // the choice, or the numbers of the row with their unit
  std::size_t count = 0;
  bool measured = false;  // the measured value is in this row
};
struct QuestionResult {
  std::string question;
  std::vector<HistogramRow> rows;  // choices in their order, numbers from the least
  std::string measured;            // the measured value as words; empty: not measured
  std::size_t good = 0;            // answers that were right or close; 0 if there is no verdict
  bool judged = false;             // false: nothing was measured, or the rate was not steady
};
// A choice has a row each. A number that must be exact has a row for each value. Shares have rows of 10 %,
// other numbers have rows from 1 to 2, 2 to 5, 5 to 10, ..., as far as there are answers.
[[nodiscard]] QuestionResult question_result(const SheetQuestion& question, std::span<const double> answers,
                                             bool settled);

struct ClassResult {
  std::size_t codes = 0;
  std::vector<QuestionResult> questions;
  std::vector<std::string> refused;  // one line for each code that cannot be read
};
// Reads the codes of a lesson's class.
[[nodiscard]] ClassResult class_result(const LessonSheet& sheet, std::span<const std::string> codes);

}  // namespace runahead::gui
