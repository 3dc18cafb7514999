// Tests LessonBook: how a lesson advances, and how a recording stores predictions. A prediction that the user
// has written down cannot change.
#include "gui/core/lesson_book.h"

#include <gtest/gtest.h>

#include "gui/panels/lesson/lesson_words.h"
#include "gui/session/session_facts.h"

namespace runahead::gui {
namespace {

using samples::find_lesson;
using samples::Lesson;

TEST(LessonBook, ALessonBeginsAtItsQuestionWithNothingPredicted) {
  LessonBook book;
  const Lesson& lesson = *find_lesson("increment");
  EXPECT_EQ(book.of(lesson).stage, LessonStage::kQuestion);
  EXPECT_EQ(book.of(lesson).predictions.size(), lesson.predictions.size());
  EXPECT_FALSE(all_predicted(book.of(lesson)));
  EXPECT_TRUE(lesson_facts(lesson, book.of(lesson)).empty());
}

TEST(LessonBook, WhatIsWrittenDownStays) {
  LessonBook book;
  const Lesson& lesson = *find_lesson("increment");
  book.predict(lesson, 0, 3);
  book.predict(lesson, 0, 4);
  book.predict(lesson, 1, 0);
  book.predict(lesson, 99, 1);  // the lesson has no prediction with this index
  EXPECT_TRUE(all_predicted(book.of(lesson)));
  book.write_down(lesson);
  book.predict(lesson, 0, 100);
  EXPECT_EQ(book.of(lesson).predictions[0], 4);
  EXPECT_EQ(book.of(lesson).stage, LessonStage::kRun);
  book.begin_again(lesson);
  EXPECT_FALSE(book.of(lesson).written_down);
  EXPECT_FALSE(book.of(lesson).predictions[0]);
}

TEST(LessonBook, FiguresOfTwoDevicesAreNotMixed) {
  LessonBook book;
  const Lesson& lesson = *find_lesson("inference_memory");
  book.add(lesson, lesson.parts[0], {{"peak_bytes", 1}}, "cpu");
  book.add(lesson, lesson.parts[1], {{"peak_bytes", 2}}, "cpu");
  EXPECT_EQ(book.of(lesson).figures.size(), 2u);
  book.add(lesson, lesson.parts[1], {{"peak_bytes", 3}}, "virtual:0");
  EXPECT_EQ(book.of(lesson).figures.size(), 1u);
  EXPECT_EQ(book.of(lesson).device, "virtual:0");
}

TEST(LessonBook, FiguresThatAreNotSettledNeverReplaceSettledOnes) {
  LessonBook book;
  const Lesson& lesson = *find_lesson("training_memory");
  const auto add = [&](double peak, bool settled) {
    samples::Figures figures{{"peak_bytes", peak}};
    if (!settled) figures[samples::kUnsettled] = 1;
    book.add(lesson, lesson.parts[0], figures, "cpu");
  };
  const auto peak = [&] { return book.of(lesson).figures.at(lesson.parts[0].id).at("peak_bytes"); };
  add(1, false);
  add(2, false);
  EXPECT_EQ(peak(), 2);
  add(3, true);
  add(4, false);
  EXPECT_EQ(peak(), 3);
  add(5, true);
  EXPECT_EQ(peak(), 5);
}

TEST(LessonBook, LessonsDoNotTouchEachOther) {
  LessonBook book;
  book.predict(*find_lesson("increment"), 0, 3);
  EXPECT_FALSE(book.of(*find_lesson("overlap")).predictions[0]);
  book.forget_all();
  EXPECT_FALSE(book.of(*find_lesson("increment")).predictions[0]);
}

TEST(LessonBook, TheMachinePredictsOnlyWhatIsNotMeasuredYet) {
  LessonBook book;
  const samples::Lesson& lesson = *samples::find_lesson("training_memory");
  const samples::LessonPart &free = lesson.parts[0], &held = lesson.parts[1];
  book.add(lesson, free, {{"steps_per_s", 100}, {"peak_bytes", 400}}, "cpu");
  EXPECT_FALSE(machine_outcome(book.of(lesson), lesson.predictions[0]));
  book.add_machine(lesson, held, {{"steps_per_s", 80}, {"peak_bytes", 100}});
  EXPECT_EQ(machine_outcome(book.of(lesson), lesson.predictions[0])->measured, 4)
      << lesson.predictions[0].formula;
  EXPECT_EQ(machine_outcome(book.of(lesson), lesson.predictions[1])->measured, 0.8);
  book.add(lesson, held, {{"steps_per_s", 50}, {"peak_bytes", 200}}, "cpu");
  book.add_machine(lesson, held, {{"steps_per_s", 50}, {"peak_bytes", 200}});
  EXPECT_EQ(machine_outcome(book.of(lesson), lesson.predictions[0])->measured, 4) << "it was said before";
  const std::optional<RecordedLesson> recorded = [&] {
    LessonNotes facts = lesson_facts(lesson, book.of(lesson));
    facts["workload"] = "training_memory";
    return recorded_lesson(facts);
  }();
  ASSERT_TRUE(recorded);
  EXPECT_EQ(recorded->state.machine, book.of(lesson).machine);
}

TEST(LessonBook, WhatTheMachineSaidBeforeTheFirstFigureStays) {
  LessonBook book;
  const samples::Lesson& lesson = *samples::find_lesson("training_memory");
  book.add_machine(lesson, lesson.parts[1], {{"steps_per_s", 80}});
  book.add(lesson, lesson.parts[0], {{"steps_per_s", 100}}, "cpu");
  EXPECT_EQ(machine_outcome(book.of(lesson), lesson.predictions[1])->measured, 0.8);
  book.add(lesson, lesson.parts[0], {{"steps_per_s", 300}}, "virtual:0");
  EXPECT_TRUE(book.of(lesson).machine.empty()) << "it was about another device";
}

TEST(RecordedLesson, ComesBackAsItWas) {
  LessonBook book;
  const Lesson& lesson = *find_lesson("inference_memory");
  book.predict(lesson, 0, 1.89e8);
  book.predict(lesson, 1, 3);
  book.write_down(lesson);
  book.add(lesson, lesson.parts[0], {{"peak_bytes", 0.1}, {"params_bytes", 16900}}, "virtual:0");
  LessonNotes facts = lesson_facts(lesson, book.of(lesson));
  facts["workload"] = "inference_memory";
  const std::optional<RecordedLesson> recorded = recorded_lesson(facts);
  ASSERT_TRUE(recorded);
  EXPECT_EQ(recorded->lesson, &lesson);
  EXPECT_TRUE(recorded->state.written_down);
  EXPECT_EQ(recorded->state.predictions, book.of(lesson).predictions);
  EXPECT_EQ(recorded->state.figures, book.of(lesson).figures);
  EXPECT_EQ(recorded->state.device, "virtual:0");
  EXPECT_EQ(recorded->state.stage, LessonStage::kRun) << "a part is still missing";
}

TEST(RecordedLesson, WhatItsOwnRunMeasuredIsTakenFromItsReport) {
  const Lesson& lesson = *find_lesson("inference_memory");
  samples::RunReport report;
  report.workload = "inference_memory";
  report.barrier = "wait_to_read";
  report.steps = 60;
  report.peak_bytes = 5e6;
  for (const samples::ParameterSpec& parameter : samples::find_workload("inference_memory")->parameters)
    report.params[parameter.name] = parameter.class_value;
  LessonNotes facts = report_facts(report);
  facts["workload"] = report.workload;
  facts["barrier"] = report.barrier;
  facts["lesson"] = std::to_string(lesson.number);
  const std::optional<RecordedLesson> recorded = recorded_lesson(facts);
  ASSERT_TRUE(recorded);
  EXPECT_EQ(recorded->state.figures.at("held").at("peak_bytes"), 5e6);
  EXPECT_FALSE(recorded->state.figures.contains("free"));
}

TEST(RecordedLesson, OfAnotherWorkloadOrNoNumberThereIsNone) {
  EXPECT_FALSE(recorded_lesson({}));
  EXPECT_FALSE(recorded_lesson({{"lesson", "6"}, {"workload", "overlap"}}));
  EXPECT_FALSE(recorded_lesson({{"lesson", "6x"}, {"workload", "training_memory"}}));
  EXPECT_FALSE(recorded_lesson({{"lesson", "99"}, {"workload", "training_memory"}}));
  EXPECT_TRUE(recorded_lesson({{"lesson", "6"}, {"workload", "training_memory"}}));
  const auto damaged = recorded_lesson({{"lesson", "6"},
                                        {"workload", "training_memory"},
                                        {"lesson.prediction.0", "many"},
                                        {"lesson.prediction.7", "1"}});
  ASSERT_TRUE(damaged);
  EXPECT_FALSE(damaged->state.predictions[0]);
  EXPECT_FALSE(damaged->state.written_down);
}

TEST(ToggledLesson, EveryFigureThatItAsksForIsOneOfAStretch) {
  for (const Lesson& lesson : samples::list_lessons()) {
    if (!lesson.toggled) continue;
    samples::LessonFigures figures;
    for (const samples::LessonPart& part : lesson.parts) {
      EXPECT_EQ(part_under(lesson, part.barrier), &part);
      figures[part.id] = toggle_figures({});
    }
    EXPECT_TRUE(samples::complete(lesson, figures)) << lesson.workload;
  }
}

TEST(LessonWords, ANumberIsTypedInTheUnitThatIsReadBack) {
  const samples::Prediction share{.unit = samples::ResultUnit::kShare};
  EXPECT_EQ(predicted_words(share, 38 * typed_unit(share.unit)), "38 %");
  const samples::Prediction bytes{.unit = samples::ResultUnit::kBytes};
  EXPECT_EQ(predicted_words(bytes, 190 * typed_unit(bytes.unit)), "190 MB");
  const samples::Prediction ratio{.unit = samples::ResultUnit::kRatio};
  EXPECT_EQ(predicted_words(ratio, 3 * typed_unit(ratio.unit)), "x3.00");
}

TEST(LessonWords, AVerdictSaysWhichWayAndByHowMuch) {
  EXPECT_EQ(verdict_words({.verdict = samples::Verdict::kTooLow, .factor = 4.0}), "Too low, x4.00");
  EXPECT_EQ(verdict_words({.verdict = samples::Verdict::kTooHigh, .factor = 0.25}), "Too high, x4.00");
  EXPECT_EQ(verdict_words({.verdict = samples::Verdict::kTooHigh}), "Too high");
}

}  // namespace
}  // namespace runahead::gui
