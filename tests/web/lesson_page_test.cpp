// A page of a lesson: it asks first, and shows what happened after the answers.
#include "gui/web/lesson_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "gui/lesson/class_code.h"
#include "gui/web/page.h"
#include "samples/lessons/lesson.h"
#include "tests/support/scratch_folder.h"
#include "tests/timeline/sample_run.h"
#include "tests/web/page_reader.h"

namespace runahead::gui {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

LessonSheet lesson_seven() {
  const samples::Lesson& lesson = *samples::find_lesson(7);
  LessonSheet sheet{.number = 7,
                    .title = samples::find_workload(lesson.workload)->title,
                    .question = samples::find_workload(lesson.workload)->question,
                    .device = "virtual:0 (simulated)"};
  for (const samples::Prediction& asked : lesson.predictions) sheet.questions.push_back({.asked = asked});
  sheet.questions[0].measured = 1.26e8;
  sheet.questions[1].measured = 0.02;
  sheet.questions[1].machine = 0.5;
  sheet.explanation = lesson.explanation;
  for (const samples::LessonFigure& figure : lesson.figures)
    sheet.figures.push_back({figure.name, figure.unit, 1.5e8});
  return sheet;
}

class LessonPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
    if (!node_is_there()) GTEST_SKIP() << "node is not installed";
    const auto written =
        write_page(testing::sample_run(), page_, {.title = "Lesson", .lesson = sheet_text(lesson_seven())});
    ASSERT_TRUE(written) << written.error().message;
  }
  [[nodiscard]] std::string read(const std::string& words) const { return read_page(page_, words); }

  testing::ScratchFolder folder_;
  std::filesystem::path page_ = folder_.path() / "lesson.html";
};

TEST_F(LessonPage, HidesEverythingUntilItIsAnswered) {
  std::ifstream file(page_, std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(page, HasSubstr("<body data-sealed>"));
  EXPECT_THAT(page, HasSubstr("body[data-sealed] > :not(header):not(#lesson-view)"));
  EXPECT_THAT(page, Not(HasSubstr("one sixtieth"))) << "its texts are packed";
}

TEST_F(LessonPage, AsksFirstAndSaysWhatHappenedAfterTheAnswers) {
  const std::string said = read("lesson 0 63 3");
  const std::size_t answered = said.find("---- answered\n");
  ASSERT_NE(answered, std::string::npos) << said;
  const std::string before = said.substr(0, answered), after = said.substr(answered);
  EXPECT_THAT(before, ContainsRegex("\\| MB \\| 0, or from 0\\.1 to [0-9]{1,3}(,[0-9]{3})* MB"));
  EXPECT_THAT(before, HasSubstr("| all of it | about half | about a tenth | about one sixtieth"));
  for (const char* const secret : {"126 MB", "It was", "close", "150 MB"})
    EXPECT_THAT(before, Not(HasSubstr(secret)));
  EXPECT_THAT(after, HasSubstr("code | Your code for the class: "));
  EXPECT_THAT(after, HasSubstr("You said: 63.0 MB |  | It was: 126 MB | "));
  EXPECT_THAT(after, HasSubstr("You said: about one sixtieth | The simulation said: about half (x0.50) | It "
                               "was: about one sixtieth (x0.02) | Right | 1"));
  EXPECT_THAT(after, HasSubstr("device | Measured on virtual:0 (simulated)"));
}

TEST_F(LessonPage, GivesTheCodeOfTheProgram) {
  const samples::Lesson& lesson = *samples::find_lesson(7);
  const std::vector<std::optional<double>> answers{6.3e7, 3.0};
  const std::string code = class_code(7, lesson.predictions, answers).value_or("");
  EXPECT_THAT(read("lesson 0 63 3"), HasSubstr(" | " + code + "\n"));
}

TEST_F(LessonPage, TakesOnlyAnswersThatACodeHolds) {
  EXPECT_THAT(read("lesson 0 -1 3"), HasSubstr("answer 0 is refused"));
  EXPECT_THAT(read("lesson 0 many 3"), HasSubstr("answer 0 is refused"));
  EXPECT_THAT(read("lesson 0 63 4"), HasSubstr("answer 1 is refused"));
  EXPECT_THAT(read("lesson 0 63"), HasSubstr("answer 1 is refused"));
}

TEST_F(LessonPage, SpeaksThreeLanguages) {
  EXPECT_THAT(read("lesson 1 63 3"), Not(HasSubstr("You said")));
  EXPECT_THAT(read("lesson 2 63 3"), HasSubstr("あなたの予想"));
  EXPECT_THAT(read("lesson 1 63 3") + read("lesson 2 63 3"), HasSubstr("你的预测"));
}

TEST_F(LessonPage, CountsFortyCodesOfAClass) {
  const samples::Lesson& lesson = *samples::find_lesson(7);
  std::string codes;
  for (int i = 0; i < 40; ++i) {
    const std::vector<std::optional<double>> answers{i < 30 ? 1.3e8 : 6.3e7, static_cast<double>(i % 4)};
    codes += " " + class_code(7, lesson.predictions, answers).value_or("none");
  }
  const std::vector<std::optional<double>> other{2.0, 1.0};
  codes += " 7ABCDEFG " + class_code(5, samples::find_lesson(5)->predictions, other).value_or("none");
  const std::string said = read("class 0" + codes);
  EXPECT_THAT(said, StartsWith("40 read\ncodes | Codes: 40\nrefused | code 7ABCDEFG: it is mistyped"));
  EXPECT_THAT(said, HasSubstr("it is of lesson 5, and this is lesson 7"));
  EXPECT_THAT(said, HasSubstr("| It was: 126 MB | Right or close: 30 of 40\n"));
  EXPECT_THAT(said, HasSubstr("row | 50 .. 100 MB | 10 | 0\nrow | 100 .. 200 MB | 30 | 1\n"));
  EXPECT_THAT(said, HasSubstr("row | about one sixtieth | 10 | 1\n"));
}

TEST_F(LessonPage, SaysNothingOfTheOutcomeWithoutACode) {
  const std::string said = read("class 0 hello 7ABCDEFG");
  EXPECT_THAT(said, StartsWith("0 read\nrefused | code hello: a code has 8 characters"));
  EXPECT_THAT(said, Not(HasSubstr("126")));
  EXPECT_THAT(read("class 0"), HasSubstr("There is no code."));
}

TEST_F(LessonPage, IsReadByTheProgram) {
  const Result<LessonSheet> sheet = lesson_of_page(page_);
  ASSERT_TRUE(sheet) << sheet.error().message;
  EXPECT_EQ(sheet_text(*sheet), sheet_text(lesson_seven()));
  ASSERT_TRUE(write_page(testing::sample_run(), folder_ / "plain.html", {}));
  EXPECT_FALSE(lesson_of_page(folder_ / "plain.html"));
  EXPECT_FALSE(lesson_of_page(folder_ / "missing.html"));
}

}  // namespace
}  // namespace runahead::gui
