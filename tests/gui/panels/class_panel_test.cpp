// Tests the panel Class without a window: what it shows of the codes of a class, and when.
#include "gui/panels/class/class_panel.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "gui/lesson/class_code.h"

namespace runahead::gui {
namespace {

// Lesson 7 asks for a number of bytes and for a choice.
LessonFacts lesson_facts_at(LessonStage stage) {
  LessonFacts facts{.lesson = samples::find_lesson("inference_memory")};
  facts.state.stage = stage;
  return facts;
}

std::string code_of(const LessonFacts& facts, double number, double choice) {
  const std::vector<std::optional<double>> answers{number, choice};
  return class_code(facts.lesson->number, facts.lesson->predictions, answers).value_or("none");
}

void measure(LessonFacts& facts) {
  for (const samples::LessonPart& part : facts.lesson->parts)
    facts.state.figures[part.id] = {{"peak_bytes", part.id == "free" ? 121e6 : 3e6},
                                    {"params_bytes", 1e6},
                                    {"inputs_bytes", 60e6},
                                    {"outputs_bytes", 120e6}};
}

TEST(ClassPanel, CountsTheAnswersOfTheCodesWhateverIsBetweenThem) {
  const LessonFacts facts = lesson_facts_at(LessonStage::kPrediction);
  ClassPanel panel;
  EXPECT_EQ(panel.result(facts), nullptr) << "there is no code";
  panel.codes = code_of(facts, 63e6, 3) + ";" + code_of(facts, 150e6, 1);
  panel.paste(code_of(facts, 63e6, 3) + ",\t" + code_of(facts, 40e6, 3) + "\n");
  const ClassResult* const result = panel.result(facts);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->codes, 4u);
  EXPECT_TRUE(result->refused.empty());
  ASSERT_EQ(result->questions.size(), 2u);
  EXPECT_EQ(result->questions[1].rows[3].count, 3u);
  EXPECT_EQ(result->questions[1].rows[1].count, 1u);
}

TEST(ClassPanel, ShowsWhatHappenedFromTheFourthStepOn) {
  LessonFacts facts = lesson_facts_at(LessonStage::kRun);
  measure(facts);
  ASSERT_TRUE(samples::complete(*facts.lesson, facts.state.figures));
  ClassPanel panel;
  panel.codes = code_of(facts, 120e6, 3);
  EXPECT_EQ(panel.result(facts)->questions[0].measured, "");
  EXPECT_FALSE(panel.result(facts)->questions[0].judged);
  facts.state.stage = LessonStage::kCompare;
  EXPECT_EQ(panel.result(facts)->questions[0].measured, "120 MB");
  EXPECT_EQ(panel.result(facts)->questions[0].good, 1u);
  facts.state.figures.clear();
  EXPECT_EQ(panel.result(facts)->questions[0].measured, "");
}

TEST(ClassPanel, NamesTheCodesThatItCannotRead) {
  const LessonFacts facts = lesson_facts_at(LessonStage::kPrediction);
  const LessonFacts other{.lesson = samples::find_lesson("increment")};
  const std::string good = code_of(facts, 63e6, 3), of_other = code_of(other, 3, 0);
  std::string mistyped = good;
  mistyped[2] = mistyped[2] == 'M' ? 'N' : 'M';
  ClassPanel panel;
  panel.codes = good + " " + mistyped + " hello " + of_other;
  const ClassResult* const result = panel.result(facts);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->codes, 1u);
  ASSERT_EQ(result->refused.size(), 3u);
  EXPECT_EQ(result->refused[0], "code " + mistyped + ": it is mistyped; its check characters do not match");
  EXPECT_TRUE(result->refused[1].starts_with("code hello: a code has 8 characters"));
  EXPECT_EQ(result->refused[2], "code " + of_other + ": it is of lesson 5, and this is lesson 7");
}

TEST(ClassPanel, ATextWithoutCodesIsNamedAndACountIsNotShown) {
  const LessonFacts facts = lesson_facts_at(LessonStage::kPrediction);
  ClassPanel panel;
  panel.codes = "no code";
  ASSERT_NE(panel.result(facts), nullptr);
  EXPECT_EQ(panel.result(facts)->codes, 0u);
  EXPECT_EQ(panel.result(facts)->refused.size(), 2u);
  panel.codes = " \n";
  EXPECT_EQ(panel.result(facts), nullptr);
  EXPECT_EQ(panel.result({}), nullptr) << "there is no lesson";
}

}  // namespace
}  // namespace runahead::gui
