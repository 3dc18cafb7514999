// The lesson of a page, compiled to WebAssembly: the question, the student's answers and their code, what
// happened, and the codes of the class. lesson.js shows it. One lesson, one thread.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/lesson/answer_words.h"
#include "gui/lesson/class_code.h"
#include "gui/lesson/class_result.h"
#include "gui/lesson/lesson_sheet.h"
#include "gui/text/text.h"
#include "gui/web/viewer_exchange.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/parse_number.h"

namespace runahead::gui {
namespace {

struct PageLesson {
  LessonSheet sheet;
  std::vector<samples::Prediction> asked;
  std::vector<std::optional<double>> answers;  // what the student wrote down; empty: nothing yet
};
PageLesson& page_lesson() {
  static PageLesson one;
  return one;
}

// Writes an answer record by record.
class AnswerWriter {
 public:
  AnswerWriter() { viewer_answer().clear(); }
  template <typename... Fields>
  void record(std::string_view first, const Fields&... more) {
    append_record(viewer_answer(), first, more...);
  }
};

// A whole number with a comma after each three digits: "99,900,000".
std::string grouped(double whole) {
  std::string digits = std::to_string(static_cast<std::int64_t>(whole));
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string range_words(const PageLesson& lesson, const samples::Prediction& asked) {
  if (!asked.choices.empty()) return {};
  const AnswerRange range = answer_range(lesson.asked);
  const std::string unit = typed_unit_name(asked.unit);
  return filled(Text::kAnswerRange,
                {format_exact(range.least), grouped(range.most) + (unit.empty() ? "" : " " + unit)});
}

// The answer that was typed or chosen. nullopt: it is none, or a code cannot hold it.
std::optional<double> answer_from(const PageLesson& lesson, std::size_t index, std::string_view typed) {
  const samples::Prediction& asked = lesson.asked[index];
  const std::optional<double> number = parse_real(typed);
  if (!number) return std::nullopt;
  const double answer = asked.choices.empty() ? *number * typed_unit(asked.unit) : *number;
  return code_holds(lesson.asked, index, answer) ? std::optional(answer) : std::nullopt;
}

std::vector<std::string> fields_of(std::string_view text) {
  std::vector<std::string> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(kRecordEnd), text.size());
    fields.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

void write_class(AnswerWriter& out, const ClassResult& result) {
  if (result.codes > 0) out.record("codes", filled(Text::kClassCodes, {std::to_string(result.codes)}));
  for (const std::string& line : result.refused) out.record("refused", line);
  if (result.codes == 0) return;
  for (const QuestionResult& question : result.questions) {
    const std::string codes = std::to_string(result.codes), good = std::to_string(question.good);
    out.record("question", question.question,
               question.measured.empty() ? std::string() : filled(Text::kItWas, {question.measured}),
               question.judged ? filled(Text::kClassGood, {good, codes}) : std::string());
    for (const HistogramRow& row : question.rows)
      out.record("row", row.label, std::to_string(row.count), row.measured ? "1" : "0");
  }
}

}  // namespace
}  // namespace runahead::gui

using namespace runahead;
using namespace runahead::gui;

// Opens the lesson in the buffer (sheet_text()). False: it is damaged.
RUNAHEAD_EXPORT(open_lesson) bool open_lesson() {
  std::optional<LessonSheet> sheet = parse_sheet(viewer_buffer());
  if (!sheet) return false;
  page_lesson() = {.sheet = *std::move(sheet), .asked = {}, .answers = {}};
  page_lesson().asked = predictions_of(page_lesson().sheet);
  return true;
}

// Answers with the texts that are shown before an answer: a key and the text of each.
RUNAHEAD_EXPORT(lesson_texts) void lesson_texts() {
  const LessonSheet& sheet = page_lesson().sheet;
  AnswerWriter out;
  out.record("lesson", filled(Text::kLesson, {std::to_string(sheet.number)}));
  out.record("title", translated(sheet.title));
  out.record("question", translated(sheet.question));
  out.record("predict_first", text(Text::kPagePredict));
  out.record("write_down", text(Text::kWriteDown));
  out.record("class", text(Text::kClass));
  out.record("class_hint", text(Text::kClassHint));
  out.record("class_show", text(Text::kClassShow));
  out.record("class_show_run", text(Text::kClassShowRun));
}

// Answers with a record for each question: the question, its unit, the numbers that it takes (empty: it has
// choices), and the choices.
RUNAHEAD_EXPORT(lesson_questions) void lesson_questions() {
  const PageLesson& lesson = page_lesson();
  viewer_answer().clear();
  for (const samples::Prediction& asked : lesson.asked) {
    std::string& out = viewer_answer();
    out += translated(asked.question);
    out += kUnitEnd;
    if (asked.choices.empty()) out += typed_unit_name(asked.unit);
    out += kUnitEnd;
    out += range_words(lesson, asked);
    for (const samples::Choice& choice : asked.choices) {
      out += kUnitEnd;
      out += translated(choice.words);
    }
    out += kRecordEnd;
  }
}

// The buffer has the answer to each question: the number of a choice, or the number that was typed. Returns
// -1 if all can be taken, and answers with the code. Otherwise returns the question whose answer cannot.
RUNAHEAD_EXPORT(lesson_answer) std::int32_t lesson_answer() {
  PageLesson& lesson = page_lesson();
  std::vector<std::string> typed = fields_of(viewer_buffer());
  typed.resize(lesson.asked.size());
  std::vector<std::optional<double>> answers;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    answers.push_back(answer_from(lesson, i, typed[i]));
    if (!answers.back()) return static_cast<std::int32_t>(i);
  }
  lesson.answers = std::move(answers);
  AnswerWriter out;
  if (const auto code = class_code(lesson.sheet.number, lesson.asked, lesson.answers)) out.record(*code);
  return -1;
}

// Answers with records about what happened, in the order in which they are shown: "code", "outcome" (the
// question, what the student said, what the simulation said, what it was, the verdict, 1 if it is good),
// "device", "look_for", and "why" for each paragraph.
RUNAHEAD_EXPORT(lesson_outcome) void lesson_outcome() {
  const PageLesson& lesson = page_lesson();
  const LessonSheet& sheet = lesson.sheet;
  AnswerWriter out;
  if (const auto code = class_code(sheet.number, lesson.asked, lesson.answers))
    out.record("code", filled(Text::kYourCode, {*code}), *code);
  for (std::size_t i = 0; i < sheet.questions.size(); ++i) {
    const SheetQuestion& question = sheet.questions[i];
    const std::optional<double> said = i < lesson.answers.size() ? lesson.answers[i] : std::nullopt;
    const samples::Outcome outcome =
        samples::judge_value(question.asked, said, question.measured, sheet.settled);
    const samples::Outcome machine = samples::judge_value(question.asked, std::nullopt, question.machine);
    const bool good =
        outcome.verdict == samples::Verdict::kRight || outcome.verdict == samples::Verdict::kClose;
    out.record("outcome", translated(question.asked.question),
               filled(Text::kYouSaid, {predicted_words(question.asked, said)}),
               machine.measured ? filled(Text::kMachineSaid, {measured_words(question.asked, machine)})
                                : std::string(),
               filled(Text::kItWas, {measured_words(question.asked, outcome)}), verdict_words(outcome),
               good ? "1" : "0");
  }
  if (!sheet.device.empty()) out.record("device", filled(Text::kMeasuredOn, {translated_list(sheet.device)}));
  if (!sheet.look_for.empty()) out.record("look_for", text(Text::kLookFor), translated(sheet.look_for));
  out.record("why_title", text(Text::kStageWhy));
  for (const std::string& paragraph : sheet.explanation) out.record("why", explained(sheet, paragraph));
}

// The buffer has the codes of the class. Returns how many were read. Answers with records: "codes" (how
// many), "refused" (one line for each that was not read), "question" (the question, what it was, how many
// were right), and "row" (label, count, 1 if the measured value is in it) for each row of its histogram.
// What it was is said only if at least one code was read.
RUNAHEAD_EXPORT(lesson_class) std::uint32_t lesson_class() {
  const std::vector<std::string> codes = codes_in(viewer_buffer());
  const ClassResult result = class_result(page_lesson().sheet, codes);
  AnswerWriter out;
  if (codes.empty()) out.record("refused", text(Text::kClassNoCodes));
  write_class(out, result);
  return static_cast<std::uint32_t>(result.codes);
}
