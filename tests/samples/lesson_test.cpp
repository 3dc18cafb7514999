// Tests that every lesson belongs to a workload, runs exactly as its text says, measures the answer to its
// question, and explains it.
#include "samples/lessons/lesson.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/device/device_registry.h"
#include "samples/lessons/exercise.h"
#include "samples/published.h"
#include "tests/samples/run_support.h"

namespace runahead::samples {

static void PrintTo(const Lesson& lesson, std::ostream* out) { *out << lesson.workload; }

namespace {

TEST(Lessons, ThereIsOneForEachWorkload) {
  ASSERT_EQ(list_lessons().size(), list_workloads().size());
  for (const WorkloadSpec* spec : list_workloads()) EXPECT_NE(find_lesson(spec->name), nullptr) << spec->name;
  for (int number = 1; number <= static_cast<int>(list_lessons().size()); ++number) {
    ASSERT_NE(find_lesson(number), nullptr);
    EXPECT_EQ(find_lesson(find_lesson(number)->workload), find_lesson(number));
  }
  EXPECT_EQ(find_lesson(0), nullptr);
  EXPECT_EQ(find_lesson("nothing"), nullptr);
}

TEST(Lessons, EveryExerciseFollowsTheLessonOfItsWorkload) {
  std::set<int> followed;
  for (const Lesson& lesson : list_lessons())
    followed.insert(lesson.exercises.begin(), lesson.exercises.end());
  for (const Exercise& exercise : list_exercises()) {
    EXPECT_TRUE(followed.contains(exercise.number)) << exercise.number;
    const Lesson* const lesson = find_lesson(exercise.workload);
    EXPECT_NE(std::ranges::find(lesson->exercises, exercise.number), lesson->exercises.end())
        << exercise.number;
  }
}

class EveryLesson : public ::testing::TestWithParam<Lesson> {};
INSTANTIATE_TEST_SUITE_P(Listed, EveryLesson, ::testing::ValuesIn(list_lessons()),
                         [](const auto& of) { return of.param.workload; });

TEST_P(EveryLesson, OffersChoicesOfWhichOneAlwaysHolds) {
  for (const Prediction& prediction : GetParam().predictions) {
    if (prediction.choices.empty()) continue;
    std::vector<Choice> sorted = prediction.choices;
    std::ranges::sort(sorted, {}, &Choice::from);
    EXPECT_TRUE(std::isinf(sorted.front().from)) << prediction.question;
    EXPECT_TRUE(std::isinf(sorted.back().below)) << prediction.question;
    for (std::size_t i = 1; i < sorted.size(); ++i)
      EXPECT_EQ(sorted[i - 1].below, sorted[i].from) << prediction.question;
  }
}

TEST_P(EveryLesson, ItsBarriersAreThoseOfItsWorkload) {
  const WorkloadSpec* const spec = find_workload(GetParam().workload);
  for (const LessonPart& part : GetParam().parts) {
    const RunConfig config = config_of(GetParam(), part);
    EXPECT_NE(std::ranges::find(spec->barriers, config.barrier.kind), spec->barriers.end()) << part.barrier;
    EXPECT_EQ(config.endless, GetParam().toggled);
    EXPECT_EQ(find_part(GetParam(), part.id),
              &*std::ranges::find(GetParam().parts, part.id, &LessonPart::id));
  }
}

// Runs each part of a lesson, and takes the figures from the reports. Without devices: on the workload's
// default. Not for a toggled lesson: it has only one run, in which its barrier changes, so its figures come
// from parts of the run's trace.
LessonFigures measured_by_running(const Lesson& lesson, const std::vector<std::string>& devices) {
  LessonFigures figures;
  for (const LessonPart& part : lesson.parts) {
    RunConfig config = config_of(lesson, part);
    if (!devices.empty()) config.devices = devices;
    const RunReport report = report_of(config);
    EXPECT_EQ(part_of(lesson, report), &part);
    figures[part.id] = figures_of(lesson, part, report);
  }
  return figures;
}

void expect_measured_and_explained(const Lesson& lesson, const LessonFigures& figures) {
  EXPECT_TRUE(complete(lesson, figures));
  for (const Prediction& prediction : lesson.predictions) {
    const Outcome outcome = judge(prediction, 1.0, figures);
    ASSERT_TRUE(outcome.measured) << prediction.question;
    EXPECT_TRUE(prediction.choices.empty() || outcome.right) << *outcome.measured;
  }
  for (const std::string& paragraph : lesson.explanation) {
    const std::string told = explain(lesson, paragraph, figures);
    EXPECT_EQ(told.find_first_of("{}"), std::string::npos) << told;
  }
}

TEST_P(EveryLesson, ItsRunsMeasureWhatItAsksAndExplains) {
  const Lesson& listed = *find_lesson(GetParam().number);
  if (listed.toggled) return;  // AppCoreTest toggles this lesson
  EXPECT_FALSE(complete(listed, {}));
  expect_measured_and_explained(listed, measured_by_running(listed, {}));
}

TEST_P(EveryLesson, ItsFiguresAreCompleteOnOpenClDevices) {
  const Lesson& listed = *find_lesson(GetParam().number);
  if (listed.toggled) return;  // AppCoreTest toggles this lesson
  // The lesson about data parallel training needs two devices.
  const bool needs_two = listed.workload == "data_parallel";
  const std::vector<std::string> devices =
      needs_two ? std::vector<std::string>{"opencl:0", "opencl:1"} : std::vector<std::string>{"opencl:0"};
  if (const Status here = engine::check_device(devices.back()); !here.ok())
    GTEST_SKIP() << here.error().message;
  expect_measured_and_explained(listed, measured_by_running(listed, devices));
}

TEST_P(EveryLesson, BeforeAnythingRanItsFiguresAreLeftOpen) {
  for (const std::string& paragraph : GetParam().explanation) {
    const std::string told = explain(GetParam(), paragraph, {});
    EXPECT_EQ(told.find_first_of("{}"), std::string::npos) << told;
  }
}

TEST_P(EveryLesson, NamesNoFigureThatItDoesNotUse) {
  for (const LessonFigure& figure : GetParam().figures) {
    const bool used = std::ranges::any_of(GetParam().explanation, [&](const std::string& paragraph) {
      return paragraph.find("{" + figure.name + "}") != std::string::npos;
    });
    EXPECT_TRUE(used) << figure.name;
  }
}

// ---- judging ---------------------------------------------------------------------------------------------
Prediction number_asked(ResultUnit unit = ResultUnit::kRatio, double close = 2) {
  return {.question = "?", .formula = "run.a / run.b", .unit = unit, .close = close};
}
LessonFigures ratio_is(double value) { return {{"run", {{"a", value}, {"b", 1}}}}; }

TEST(Judging, ANumberIsCloseWithinItsFactorEitherWay) {
  EXPECT_EQ(judge(number_asked(), 5.0, ratio_is(10)).verdict, Verdict::kClose);
  EXPECT_EQ(judge(number_asked(), 20.0, ratio_is(10)).verdict, Verdict::kClose);
  EXPECT_EQ(judge(number_asked(), 4.9, ratio_is(10)).verdict, Verdict::kTooLow);
  EXPECT_EQ(judge(number_asked(), 20.1, ratio_is(10)).verdict, Verdict::kTooHigh);
  EXPECT_EQ(judge(number_asked(), 10.0, ratio_is(10)).verdict, Verdict::kRight);
  EXPECT_EQ(judge(number_asked(), 2.0, ratio_is(10)).factor, 5.0);
}

TEST(Judging, NumbersThatHaveNoRatioAreTooLowOrTooHigh) {
  const Outcome outcome = judge(number_asked(), 3.0, ratio_is(-1));
  EXPECT_EQ(outcome.verdict, Verdict::kTooHigh);
  EXPECT_FALSE(outcome.factor);
  EXPECT_EQ(judge(number_asked(), 0.0, ratio_is(2)).verdict, Verdict::kTooLow);
}

TEST(Judging, AShareIsCloseWithinATenthOfTheWhole) {
  EXPECT_EQ(judge(number_asked(ResultUnit::kShare), 0.90, ratio_is(0.98)).verdict, Verdict::kClose);
  EXPECT_EQ(judge(number_asked(ResultUnit::kShare), 0.01, ratio_is(0.08)).verdict, Verdict::kClose);
  EXPECT_EQ(judge(number_asked(ResultUnit::kShare), 0.80, ratio_is(0.98)).verdict, Verdict::kTooLow);
  EXPECT_EQ(judge(number_asked(ResultUnit::kShare), 0.50, ratio_is(-2)).verdict, Verdict::kTooHigh);
}

TEST(Judging, AChoiceIsRightWhereTheMeasuredLies) {
  Prediction asked = number_asked();
  asked.choices = {{.words = "less", .below = 1}, {.words = "more", .from = 1}};
  EXPECT_EQ(judge(asked, 0.0, ratio_is(0.5)).verdict, Verdict::kRight);
  EXPECT_EQ(judge(asked, 1.0, ratio_is(0.5)).verdict, Verdict::kOther);
  EXPECT_EQ(judge(asked, 1.0, ratio_is(1)).verdict, Verdict::kRight);
  EXPECT_EQ(judge(asked, std::nullopt, ratio_is(1)).right, 1u);
}

TEST(Judging, WhatWasNotMeasuredOrNotPredictedIsNotJudged) {
  EXPECT_EQ(judge(number_asked(), 1.0, {}).verdict, Verdict::kNotMeasured);
  EXPECT_EQ(judge(number_asked(), 1.0, {{"run", {{"a", 1}}}}).verdict, Verdict::kNotMeasured);
  EXPECT_EQ(judge(number_asked(), std::nullopt, ratio_is(1)).verdict, Verdict::kNotPredicted);
}

TEST(Judging, GivesNoVerdictOnFiguresThatHaveNotSettled) {
  LessonFigures figures = ratio_is(10);
  EXPECT_FALSE(unsettled(figures));
  figures.begin()->second[kUnsettled] = 1;
  EXPECT_TRUE(unsettled(figures));
  const Outcome outcome = judge(number_asked(), 10.0, figures);
  EXPECT_EQ(outcome.verdict, Verdict::kNotSettled);
  EXPECT_EQ(outcome.measured, 10);
}

TEST(PartOf, ARunUnderOtherSettingsOrStoppedEarlyIsNone) {
  const Lesson& lesson = *find_lesson("inference_memory");
  RunConfig config = config_of(lesson, lesson.parts.front());
  config.settings["features"] = "16";
  RunReport report = report_of(config);
  EXPECT_EQ(part_of(lesson, report), nullptr) << "another size";
  EXPECT_EQ(part_of(*find_lesson("overlap"), report), nullptr) << "another workload";
  report.params["features"] = 64;
  EXPECT_EQ(part_of(lesson, report), &lesson.parts.front());
  report.steps -= 1;
  EXPECT_EQ(part_of(lesson, report), nullptr) << "stopped";
}

}  // namespace
}  // namespace runahead::samples
