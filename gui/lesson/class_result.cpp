#include "gui/lesson/class_result.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "gui/lesson/answer_words.h"
#include "gui/lesson/class_code.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

using samples::Outcome;
using samples::Prediction;
using samples::ResultUnit;
using samples::Verdict;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The numbers of a row, as the user types them: from <= number < below. from == below: one number.
struct Interval {
  double from = 0, below = 0;
  auto operator<=>(const Interval&) const = default;
};

std::string with_unit(std::string text, ResultUnit unit) {
  const std::string name = typed_unit_name(unit);
  return name.empty() ? text : std::move(text) + " " + name;
}

std::string interval_words(const Interval& interval, ResultUnit unit) {
  const auto words = [](double value) { return format_exact(value); };
  if (interval.from == interval.below) return with_unit(words(interval.from), unit);
  if (interval.from == -kInfinity) return filled(Text::kLessThan, {with_unit(words(interval.below), unit)});
  if (interval.below == kInfinity) return filled(Text::kOrMore, {with_unit(words(interval.from), unit)});
  return with_unit(words(interval.from) + " .. " + words(interval.below), unit);
}

double power_of_ten(int power) {
  const double scale = std::pow(10.0, std::abs(power));
  return power < 0 ? 1 / scale : scale;
}

// [1, 2), [2, 5), [5, 10) times the power of ten.
Interval third_of_decade(double typed) {
  constexpr std::array kSteps{1.0, 2.0, 5.0, 10.0};
  const int power = static_cast<int>(std::floor(std::log10(typed)));
  // log10() may be rounded across a power of ten.
  for (int near = power - 1; near <= power + 1; ++near) {
    for (std::size_t i = 0; i + 1 < kSteps.size(); ++i) {
      const Interval interval{kSteps[i] * power_of_ten(near), kSteps[i + 1] * power_of_ten(near)};
      if (interval.from <= typed && typed < interval.below) return interval;
    }
  }
  return {typed, typed};
}

Interval tenth_of_share(double percent) {
  if (percent >= 100) return {100, kInfinity};
  const double from = std::floor(percent / 10) * 10;
  return {from, from + 10};
}

Interval interval_of(const Prediction& asked, double typed) {
  if (asked.close == 1 || typed == 0) return {typed, typed};
  if (typed < 0) return {-kInfinity, 0};
  return asked.unit == ResultUnit::kShare ? tenth_of_share(typed) : third_of_decade(typed);
}

// The interval after this one, among those of interval_of().
Interval next_interval(const Prediction& asked, const Interval& interval) {
  return interval_of(asked, interval.below);
}

// Adds the intervals without answers between the first and the last one, so that the shape is true.
void fill_gaps(const Prediction& asked, std::map<Interval, HistogramRow>& rows) {
  constexpr int kMost = 200;
  if (asked.close == 1 || rows.empty()) return;
  const auto first = std::ranges::find_if(
      rows, [](const auto& row) { return row.first.from != row.first.below && row.first.from > 0; });
  if (first == rows.end()) return;
  const Interval last = rows.rbegin()->first;
  Interval at = first->first;
  for (int i = 0; i < kMost && at < last && at.below != kInfinity; ++i) {
    at = next_interval(asked, at);
    if (at < last) rows.try_emplace(at);
  }
}

std::vector<HistogramRow> number_rows(const Prediction& asked, std::span<const double> answers,
                                      const std::optional<double>& measured) {
  std::map<Interval, HistogramRow> rows;
  const double unit = typed_unit(asked.unit);
  for (const double answer : answers) ++rows[interval_of(asked, answer / unit)].count;
  if (measured) rows[interval_of(asked, *measured / unit)].measured = true;
  fill_gaps(asked, rows);
  std::vector<HistogramRow> out;
  for (auto& [interval, row] : rows) {
    row.label = interval_words(interval, asked.unit);
    out.push_back(std::move(row));
  }
  return out;
}

std::vector<HistogramRow> choice_rows(const Prediction& asked, std::span<const double> answers,
                                      const std::optional<std::size_t>& right) {
  std::vector<HistogramRow> rows;
  for (const samples::Choice& choice : asked.choices) rows.push_back({.label = translated(choice.words)});
  for (const double answer : answers) ++rows[static_cast<std::size_t>(answer)].count;
  if (right) rows[*right].measured = true;
  return rows;
}

}  // namespace

QuestionResult question_result(const SheetQuestion& question, std::span<const double> answers, bool settled) {
  const Prediction& asked = question.asked;
  const Outcome happened = samples::judge_value(asked, std::nullopt, question.measured, settled);
  QuestionResult result{.question = translated(asked.question), .judged = settled && question.measured};
  if (question.measured) result.measured = measured_words(asked, happened);
  result.rows = asked.choices.empty() ? number_rows(asked, answers, question.measured)
                                      : choice_rows(asked, answers, happened.right);
  for (const double answer : answers) {
    const Verdict verdict = samples::judge_value(asked, answer, question.measured, settled).verdict;
    if (verdict == Verdict::kRight || verdict == Verdict::kClose) ++result.good;
  }
  return result;
}

ClassResult class_result(const LessonSheet& sheet, std::span<const std::string> codes) {
  ClassResult result;
  const std::vector<Prediction> asked = predictions_of(sheet);
  std::vector<std::vector<double>> answers(asked.size());
  for (const std::string& code : codes) {
    const auto read = read_code(code, sheet.number, asked);
    if (const auto* const fault = std::get_if<CodeFault>(&read)) {
      result.refused.push_back(fault_words(*fault, code, sheet.number));
      continue;
    }
    const auto& given = std::get<std::vector<double>>(read);
    ++result.codes;
    for (std::size_t i = 0; i < given.size(); ++i) answers[i].push_back(given[i]);
  }
  for (std::size_t i = 0; i < asked.size(); ++i)
    result.questions.push_back(question_result(sheet.questions[i], answers[i], sheet.settled));
  return result;
}

}  // namespace runahead::gui
