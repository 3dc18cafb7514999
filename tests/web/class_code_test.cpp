// The codes of a class, and the counts of what it answered.
#include "gui/lesson/class_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/lesson/answer_words.h"
#include "gui/lesson/class_result.h"
#include "samples/lessons/lesson.h"
#include "tests/support/random.h"

namespace runahead::gui {
namespace {

using samples::Lesson;
using samples::Prediction;
using samples::ResultUnit;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Random;

using Given = std::vector<std::optional<double>>;

// Answers that a user might give: random choices, and random numbers with three digits.
Given random_answers(const std::vector<Prediction>& asked, Random& random) {
  const AnswerRange range = answer_range(asked);
  Given answers;
  for (const Prediction& one : asked) {
    const std::int64_t choices = static_cast<std::int64_t>(one.choices.size());
    if (choices > 0) {
      answers.emplace_back(static_cast<double>(random.integer(0, choices - 1)));
    } else {
      const double typed =
          random.chance(0.1) ? 0 : std::exp(random.real(std::log(range.least), std::log(range.most)));
      answers.emplace_back(typed * typed_unit(one.unit));
    }
  }
  return answers;
}

std::string code_of(const Lesson& lesson, const Given& answers) {
  return class_code(lesson.number, lesson.predictions, answers).value_or("no code");
}

std::vector<double> answers_in(const std::string& code, const Lesson& lesson) {
  const auto read = read_code(code, lesson.number, lesson.predictions);
  EXPECT_TRUE(std::holds_alternative<std::vector<double>>(read)) << code;
  return std::holds_alternative<std::vector<double>>(read) ? std::get<std::vector<double>>(read)
                                                           : std::vector<double>(2, NAN);
}

TEST(ClassCode, OfEachLessonIsReadBack) {
  Random random;
  for (const Lesson& lesson : samples::list_lessons()) {
    for (int i = 0; i < 300; ++i) {
      const Given answers = random_answers(lesson.predictions, random);
      const std::string code = code_of(lesson, answers);
      ASSERT_EQ(code.size(), kCodeLength) << code;
      ASSERT_EQ(std::get<int>(lesson_of_code(code)), lesson.number);
      const std::vector<double> again = answers_in(code, lesson);
      ASSERT_EQ(again.size(), answers.size());
      for (std::size_t k = 0; k < answers.size(); ++k)
        ASSERT_NEAR(again[k], *answers[k], 0.005001 * std::abs(*answers[k])) << code;
      Given same(again.begin(), again.end());
      EXPECT_EQ(code_of(lesson, same), code) << "what was read has the same code";
    }
  }
}

TEST(ClassCode, KeepsNumbersOfThreeDigitsAsTheyAre) {
  const Lesson& ops = *samples::find_lesson(2);  // two numbers
  for (const double number : {0.0, 0.1, 0.105, 1.0, 3.0, 4.0, 12.5, 999.0, 2000.0, 9990.0})
    EXPECT_THAT(answers_in(code_of(ops, {number, 3.0}), ops), ElementsAre(number, 3.0));
}

TEST(ClassCode, HoldsOnlyNumbersOfItsRange) {
  const Lesson& ops = *samples::find_lesson(2);
  const AnswerRange range = answer_range(ops.predictions);
  EXPECT_EQ(range.least, 0.1);
  EXPECT_EQ(range.most, 9990);
  for (const double number :
       {-1.0, 0.01, 10'000.0, 9999.0, 1e300, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
    EXPECT_FALSE(code_holds(ops.predictions, 0, number)) << number;
    EXPECT_EQ(code_of(ops, {number, 3.0}), "no code") << number;
  }
  EXPECT_EQ(code_of(ops, {std::nullopt, 3.0}), "no code");
  const Lesson& growth = *samples::find_lesson(7);
  EXPECT_EQ(code_of(growth, {1e6, 4.0}), "no code") << "it has four choices";
  EXPECT_GE(answer_range(growth.predictions).most, 1e6) << "one number has more room than two";
}

TEST(ClassCode, WithAChangedCharacterIsRefused) {
  Random random;
  for (const Lesson& lesson : samples::list_lessons()) {
    const std::string code = code_of(lesson, random_answers(lesson.predictions, random));
    for (std::size_t at = 0; at < code.size(); ++at) {
      for (const char other : kCodeCharacters) {
        if (other == code[at]) continue;
        std::string wrong = code;
        wrong[at] = other;
        EXPECT_EQ(std::get<CodeFault>(read_code(wrong, lesson.number, lesson.predictions)),
                  CodeFault::kMistyped)
            << code << " as " << wrong;
      }
    }
  }
}

TEST(ClassCode, WithTwoSwappedCharactersIsRefused) {
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Lesson& lesson = samples::list_lessons()[static_cast<std::size_t>(
        random.integer(0, static_cast<std::int64_t>(samples::list_lessons().size()) - 1))];
    const std::string code = code_of(lesson, random_answers(lesson.predictions, random));
    for (std::size_t a = 0; a < code.size(); ++a) {
      for (std::size_t b = a + 1; b < code.size(); ++b) {
        std::string wrong = code;
        std::swap(wrong[a], wrong[b]);
        if (wrong == code) continue;
        EXPECT_EQ(std::get<CodeFault>(lesson_of_code(wrong)), CodeFault::kMistyped)
            << code << " as " << wrong;
      }
    }
  }
}

TEST(ClassCode, OfAnotherLessonIsRefusedByName) {
  const Lesson& five = *samples::find_lesson(5);
  const Lesson& seven = *samples::find_lesson(7);
  const std::string code = code_of(five, {2.0, 1.0});
  const auto read = read_code(code, seven.number, seven.predictions);
  ASSERT_EQ(std::get<CodeFault>(read), CodeFault::kOtherLesson);
  EXPECT_EQ(fault_words(CodeFault::kOtherLesson, code, 7),
            "code " + code + ": it is of lesson 5, and this is lesson 7");
}

TEST(ClassCode, IsReadAsPeopleTypeIt) {
  const Lesson& lesson = *samples::find_lesson(7);
  const std::string code = code_of(lesson, {1.26e8, 3.0});
  std::string typed = code.substr(0, 4) + "-" + code.substr(4);
  std::ranges::transform(typed, typed.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  EXPECT_THAT(answers_in(typed, lesson), ElementsAre(1.26e8, 3.0));
  EXPECT_THAT(codes_in("A\r\n B,C;;D\t\n"), ElementsAre("A", "B", "C", "D"));
  EXPECT_TRUE(codes_in(" \n").empty());
}

TEST(ClassCode, IsNotReadFromOtherText) {
  for (const char* const text : {"", "2", "2222222", "222222222", "O1IL0000", "<script>", "\x01\xff\xfe"})
    EXPECT_TRUE(std::holds_alternative<CodeFault>(lesson_of_code(text))) << text;
  EXPECT_THAT(fault_words(CodeFault::kForm, "<b>\x01", 7),
              HasSubstr("code <b>\\x01: a code has 8 characters"));
  EXPECT_EQ(std::get<CodeFault>(lesson_of_code("22222222")), CodeFault::kMistyped)
      << "the sums alone are not enough";
}

// Random bytes, and codes with random edits: the reader takes only what it would write.
TEST(ClassCode, AnyTextIsReadOrRefused) {
  Random random;
  const auto& lessons = samples::list_lessons();
  for (int i = 0; i < 200'000; ++i) {
    const Lesson& lesson =
        lessons[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(lessons.size()) - 1))];
    std::string text;
    const bool likely = random.chance(0.7);
    const std::int64_t length = likely ? 8 : random.integer(0, 20);
    for (std::int64_t k = 0; k < length; ++k) {
      text += likely ? kCodeCharacters[static_cast<std::size_t>(random.integer(0, 30))]
                     : static_cast<char>(random.integer(0, 255));
    }
    const auto read = read_code(text, lesson.number, lesson.predictions);
    if (const auto* const fault = std::get_if<CodeFault>(&read)) {
      ASSERT_FALSE(fault_words(*fault, text, lesson.number).empty());
      continue;
    }
    const auto& answers = std::get<std::vector<double>>(read);
    const Given given(answers.begin(), answers.end());
    std::string plain = text;
    std::erase(plain, '-');
    std::ranges::transform(plain, plain.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    ASSERT_EQ(code_of(lesson, given), plain);
  }
}

// ---- the class
// ----------------------------------------------------------------------------------------------

LessonSheet growth_sheet() {
  const Lesson& lesson = *samples::find_lesson(7);
  LessonSheet sheet{.number = lesson.number};
  for (const Prediction& asked : lesson.predictions) sheet.questions.push_back({.asked = asked});
  sheet.questions[0].measured = 1.26e8;
  sheet.questions[1].measured = 0.02;
  return sheet;
}

std::string drawn(const QuestionResult& result) {
  std::string out;
  for (const HistogramRow& row : result.rows)
    out += row.label + ": " + std::to_string(row.count) + (row.measured ? " *\n" : "\n");
  return out;
}

TEST(ClassResult, OfFortyCodesIsAHistogramBesideWhatHappened) {
  const Lesson& lesson = *samples::find_lesson(7);
  std::vector<std::string> codes;
  for (int i = 0; i < 40; ++i)
    codes.push_back(code_of(lesson, {(i < 10 ? 3e6 : i < 30 ? 1.3e8 : 6.3e7), static_cast<double>(i % 4)}));
  codes.push_back("7ABCDEFG");
  codes.push_back(code_of(*samples::find_lesson(5), {2.0, 1.0}));
  const ClassResult result = class_result(growth_sheet(), codes);
  EXPECT_EQ(result.codes, 40u);
  EXPECT_EQ(result.refused.size(), 2u);
  EXPECT_EQ(drawn(result.questions[0]),
            "2 .. 5 MB: 10\n5 .. 10 MB: 0\n10 .. 20 MB: 0\n20 .. 50 MB: 0\n50 .. 100 MB: 10\n100 .. 200 MB: "
            "20 *\n");
  EXPECT_EQ(drawn(result.questions[1]),
            "all of it: 10\nabout half: 10\nabout a tenth: 10\nabout one sixtieth: 10 *\n");
  EXPECT_EQ(result.questions[0].measured, "126 MB");
  EXPECT_EQ(result.questions[1].good, 10u);
  EXPECT_TRUE(result.questions[1].judged);
}

TEST(ClassResult, CountsExactNumbersOneByOne) {
  SheetQuestion question{.asked = {.question = "?", .formula = {}, .unit = ResultUnit::kNumber, .close = 1},
                         .measured = 4.0};
  const std::vector<double> answers{3, 3, 4, 12};
  const QuestionResult result = question_result(question, answers, true);
  EXPECT_EQ(drawn(result), "3: 2\n4: 1 *\n12: 1\n");
  EXPECT_EQ(result.good, 1u);
}

TEST(ClassResult, HasNoVerdictWithoutAMeasuredValue) {
  SheetQuestion question{.asked = {.question = "?", .formula = {}, .unit = ResultUnit::kShare}};
  const std::vector<double> answers{0.0, 0.95, 1.0, 1.5};
  const QuestionResult open = question_result(question, answers, true);
  EXPECT_EQ(drawn(open), "0 %: 1\n90 .. 100 %: 1\n100 % or more: 2\n");
  EXPECT_FALSE(open.judged);
  question.measured = -0.2;
  const QuestionResult unsettled = question_result(question, answers, false);
  EXPECT_FALSE(unsettled.judged);
  EXPECT_EQ(unsettled.good, 0u);
  EXPECT_EQ(drawn(unsettled), "less than 0 %: 0 *\n0 %: 1\n90 .. 100 %: 1\n100 % or more: 2\n");
}

TEST(LessonSheet, IsReadBackFromItsText) {
  LessonSheet sheet = growth_sheet();
  sheet.title = "Inference <memory>\x1e\x1f & more";
  sheet.device = "virtual:0 (simulated)";
  sheet.settled = false;
  sheet.questions[1].machine = 0.5;
  sheet.figures = {{"grown", ResultUnit::kBytes, 1.26e8}, {"unknown", ResultUnit::kSeconds, std::nullopt}};
  sheet.explanation = {"It grew by {grown} in {unknown}."};
  const std::optional<LessonSheet> again = parse_sheet(sheet_text(sheet));
  ASSERT_TRUE(again);
  EXPECT_EQ(sheet_text(*again), sheet_text(sheet));
  EXPECT_EQ(again->title, "Inference <memory> & more");
  EXPECT_EQ(explained(*again, again->explanation[0]), "It grew by 126 MB in -.");
  EXPECT_EQ(again->questions[1].asked.choices.back().from, -INFINITY);
}

TEST(LessonSheet, ADamagedTextIsNone) {
  const std::string text = sheet_text(growth_sheet());
  for (std::size_t length = 0; length < text.size(); ++length) {
    const bool read = parse_sheet(std::string_view(text).substr(0, length)).has_value();
    EXPECT_TRUE(!read || text[length - 1] == '\x1e') << length;
  }
  Random random;
  for (int i = 0; i < 2000; ++i) {
    std::string changed = text;
    changed[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(text.size()) - 1))] =
        static_cast<char>(random.integer(0, 255));
    (void)parse_sheet(changed);
  }
}

}  // namespace
}  // namespace runahead::gui
