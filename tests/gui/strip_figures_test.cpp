#include "gui/answers/strip_figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace runahead::gui {
namespace {

analysis::SegmentFigures segment(double steps, double per_s, double blocked, double peak, double ahead) {
  analysis::SegmentFigures f;
  f.range = {Timestamp{}, Timestamp{} + std::chrono::seconds(4)};
  f.steps = steps;
  f.steps_per_s = per_s;
  f.blocked_ratio = blocked;
  f.peak_bytes = peak;
  f.max_run_ahead_steps = ahead;
  f.max_run_ahead_ops = ahead * 12;
  f.ops = static_cast<std::uint64_t>(steps) * 12;
  return f;
}

FigureFacts facts(const analysis::SegmentFigures& before, const analysis::SegmentFigures& after,
                  analysis::Phase before_phase = analysis::Phase::kSettled,
                  analysis::Phase after_phase = analysis::Phase::kSettled) {
  FigureFacts out;
  out.before_after = analysis::BeforeAfter{{}, before, after};
  out.before = {before_phase, before_phase == analysis::Phase::kSettled ? 0.01 : 0};
  out.after = {after_phase, after_phase == analysis::Phase::kSettled ? 0.02 : 0};
  return out;
}

TEST(StripFigures, CompareBeforeAndAfterWithUnitsRatiosAndSpread) {
  const std::vector<StripFigure> figures =
      strip_figures(facts(segment(1648, 412, 0, 341e6, 100), segment(384, 96, 0.71, 66e6, 1)));
  ASSERT_EQ(figures.size(), 4u);
  EXPECT_EQ(figures[0].before, "412");
  EXPECT_EQ(figures[0].after, "96");
  EXPECT_EQ(figures[0].ratio, "x0.23");
  EXPECT_EQ(figures[0].spread, "\u00b1 3.0 %") << "1 % before, 2 % after";
  EXPECT_EQ(figures[1].after, "71 %");
  EXPECT_EQ(figures[1].ratio, "");
  EXPECT_EQ(figures[2].before, "341 MB");
  EXPECT_EQ(figures[2].after, "66.0 MB");
  EXPECT_EQ(figures[3].name, Text::kRunAheadSteps);
  EXPECT_EQ(figures[3].before + " " + figures[3].after, "100 1");
}

FigureFacts change_to_waitall(analysis::Phase after = analysis::Phase::kSettled) {
  FigureFacts out = facts(segment(1648, 412, 0, 341e6, 100), segment(384, 96, 0.71, 66e6, 1),
                          analysis::Phase::kSettled, after);
  out.before_after->change.label = "none -> waitall";
  return out;
}
PressedForecast pressed(const char* barrier) {
  return {{.policy = *parse_barrier(barrier),
           .steps_per_s = 100,
           .low = 95,
           .high = 105,
           .peak_bytes = 66'000'000},
          *parse_barrier("none")};
}
std::vector<StripAnswer> answers_with(const FigureFacts& of, const std::optional<PressedForecast>& forecast) {
  std::vector<StripAnswer> answers = strip_answers(of, true);
  add_predictions(of, forecast, answers);
  return answers;
}

TEST(StripAnswers, ShowWhatWasPredictedAndItsError) {
  const std::vector<StripAnswer> answers = answers_with(change_to_waitall(), pressed("waitall"));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].prediction, "predicted 100: 4.2 % off");
  EXPECT_EQ(answers[0].predicted_hint, "Predicted before the barrier was chosen: 100 (95 to 105).");
  EXPECT_EQ(answers[1].prediction, "predicted 66.0 MB: 0 % off");
}

TEST(StripAnswers, AnErrorIsOnlyShownWhenTheRateIsSteady) {
  const std::vector<StripAnswer> answers =
      answers_with(change_to_waitall(analysis::Phase::kWarmingUp), pressed("waitall"));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].prediction, "predicted 100");
}

TEST(StripAnswers, APredictionForAnotherBarrierIsNotShown) {
  for (const auto& forecast : {std::optional(pressed("window:2")), std::optional<PressedForecast>()}) {
    for (const StripAnswer& answer : answers_with(change_to_waitall(), forecast))
      EXPECT_EQ(answer.prediction + answer.predicted_hint, "");
  }
}

TEST(StripFigures, WhatBecameFarLessIsDivided) {
  EXPECT_EQ(strip_figures(facts(segment(100, 50, 0, 1.13e9, 3), segment(100, 50, 0, 5e6, 3)))[2].ratio,
            "\u00f7226");
}

// Returns the figure "Frontend blocked" if the safety limit held the frontend for these shares of the time.
StripFigure blocked_figure(double held_before, double held_after, bool compared = true) {
  FigureFacts f = facts(segment(100, 50, 0.8, 1e6, 3), segment(100, 50, 0.4, 1e6, 3));
  f.before_after->before.held_by_limit_ratio = held_before;
  f.before_after->after.held_by_limit_ratio = held_after;
  if (!compared) f.before_after->before = {};
  f.limit_ops = 64;
  f.limit_bytes = 1'000'000;
  return strip_figures(f)[1];
}

TEST(StripFigures, ABlockedFrontendIsSaidToBeHeldByTheSafetyLimit) {
  EXPECT_EQ(blocked_figure(0, 0).note, "");
  EXPECT_EQ(blocked_figure(0, 0).hint, "");
  EXPECT_EQ(blocked_figure(0, 0.4).note, "by the limit") << "all of it";
  EXPECT_EQ(blocked_figure(0, 0.3).note, "30 % by the limit");
  EXPECT_EQ(blocked_figure(0.8, 0).note, "before: by the limit");
  EXPECT_EQ(blocked_figure(0.8, 0.3).hint,
            "The safety limit held the frontend, not the barrier: 80 % of the time before, 30 % after.\n"
            "The safety limit: at most 64 ops, and at most 1.00 MB of their outputs, in flight.");
  EXPECT_EQ(blocked_figure(0, 0.3, false).hint,
            "For 30 % of the time, the safety limit held the frontend, not the barrier.\n"
            "The safety limit: at most 64 ops, and at most 1.00 MB of their outputs, in flight.");
}

TEST(StripFigures, ALimitThatIsNoNumberIsNotNamed) {
  for (const double limit : {std::nan(""), std::numeric_limits<double>::infinity(), -1.0, 0.0}) {
    FigureFacts f = facts({}, segment(100, 50, 0.4, 1e6, 3));
    f.before_after->after.held_by_limit_ratio = 0.3;
    f.limit_ops = limit;
    f.limit_bytes = 1'000'000;
    EXPECT_EQ(strip_figures(f)[1].hint,
              "For 30 % of the time, the safety limit held the frontend, not the barrier.");
  }
}

// A program with the API may record steps only. A 0 for the other figures would not be true.
TEST(StripFigures, WhatAnotherProgramDoesNotRecordIsLeftOut) {
  analysis::SegmentFigures before = segment(100, 50, 0, 0, 0), after = segment(80, 40, 0, 0, 0);
  before.ops = after.ops = 0;
  const auto names = [](const FigureFacts& f) {
    std::vector<Text> out;
    for (const StripFigure& figure : strip_figures(f)) out.push_back(figure.name);
    return out;
  };
  EXPECT_EQ(names(facts(before, after)), std::vector<Text>{Text::kStepsPerSecond});
  after.blocked_ratio = 0.5;  // it waits since the change
  EXPECT_EQ(names(facts(before, after)), (std::vector<Text>{Text::kStepsPerSecond, Text::kBlocked}));
  before.peak_bytes = 5e6;
  before.max_run_ahead_ops = 7;
  EXPECT_EQ(names(facts(before, after)).size(), 4u);
  FigureFacts of_engine = facts({}, {});
  of_engine.limit_ops = 1000;  // it has not begun an op
  EXPECT_EQ(names(of_engine).size(), 4u);
}

TEST(StripFigures, ARunThatWasNotToggledYetHasNoBefore) {
  const FigureFacts f = facts({}, segment(100, 50, 0, 1e6, 3));
  EXPECT_FALSE(has_before(*f.before_after));
  for (const StripFigure& figure : strip_figures(f)) {
    EXPECT_EQ(figure.before, "");
    EXPECT_EQ(figure.ratio, "");
    EXPECT_EQ(figure.spread, "");
    EXPECT_NE(figure.after, "");
  }
}

TEST(StripFigures, WithoutStepsInFlightRunAheadIsInOps) {
  FigureFacts f = facts(segment(10, 1, 0, 1, 0), segment(10, 1, 0, 1, 0));
  f.before_after->before.max_run_ahead_ops = 70;
  EXPECT_EQ(strip_figures(f)[3].name, Text::kRunAheadOps);
  EXPECT_EQ(strip_figures(f)[3].before, "70");
}

TEST(StripFigures, ARatioHasASpreadOnlyIfBothSidesAreSettled) {
  const analysis::SegmentFigures any = segment(100, 50, 0, 1, 1);
  using analysis::Phase;
  EXPECT_NE(strip_figures(facts(any, any))[0].spread, "");
  for (const auto& [before, after] :
       {std::pair(Phase::kSettled, Phase::kDraining), std::pair(Phase::kWarmingUp, Phase::kSettled)}) {
    EXPECT_EQ(strip_figures(facts(any, any, before, after))[0].spread, "");
  }
}

TEST(StripFigures, ASideThatIsNotSettledSaysWhyWhileMoreDataComes) {
  using analysis::Phase;
  const analysis::SegmentFigures any = segment(100, 50, 0, 1, 1);
  const auto word_after = [&](Phase phase, bool goes_on) {
    return phase_word(facts(any, any, Phase::kSettled, phase), phase, goes_on);
  };
  EXPECT_EQ(word_after(Phase::kDraining, true), Text::kDraining);
  EXPECT_EQ(word_after(Phase::kSettling, true), Text::kSettling);
  EXPECT_EQ(word_after(Phase::kSettling, false), Text::kNotSettled);
  EXPECT_EQ(word_after(Phase::kSettled, true), std::nullopt);
  EXPECT_EQ(phase_word(facts(any, any, Phase::kWarmingUp), Phase::kWarmingUp, false), Text::kNotSettled);
  const FigureFacts alone = facts({}, any, Phase::kSettling, Phase::kWarmingUp);
  EXPECT_EQ(phase_word(alone, Phase::kWarmingUp, true), Text::kWarmingUp);
  EXPECT_EQ(phase_word(alone, Phase::kWarmingUp, false), std::nullopt) << "there is nothing to compare";
}

TEST(StripFigures, TheTitleNamesThePartIfTheRunHasOthers) {
  FigureFacts f = facts({}, segment(100, 50, 0, 1e6, 3));
  f.before_after->change.label = "start: none";
  f.part = "compiled";
  EXPECT_EQ(strip_title(f), "start: none");
  f.names_part = true;
  EXPECT_EQ(strip_title(f), "Part: compiled \u00b7 start: none");
}

TEST(StripFigures, APartWithoutStepsHasNoRate) {
  FigureFacts f = facts({}, segment(0, 0, 0.5, 1e6, 0));
  f.part = "op by op";
  f.names_part = true;
  EXPECT_EQ(strip_figures(f)[0].after, "\u2013");
  EXPECT_EQ(strip_figures(f)[1].after, "50 %");
}

std::vector<std::string> words_of(const FigureFacts& facts) {
  std::vector<std::string> words;
  for (const StripAnswer& answer : strip_answers(facts, true)) words.push_back(answer.words);
  return words;
}

using Words = std::vector<std::string>;

TEST(StripAnswers, SayWhatTheChangeDidInWords) {
  EXPECT_EQ(words_of(facts(segment(1000, 100, 0, 1e9, 9), segment(1000, 66, 0, 5e6, 1))),
            (Words{"34 % slower", "200 times less memory"}));
  EXPECT_EQ(words_of(facts(segment(1000, 100, 0, 1e9, 9), segment(1000, 120, 0, 1.5e9, 1))),
            (Words{"20 % faster", "50 % more memory"}));
  EXPECT_EQ(words_of(facts(segment(1000, 100, 0, 1e6, 9), segment(1000, 470, 0, 3e6, 1))),
            (Words{"4.70 times as fast", "3 times as much memory"}));
  EXPECT_EQ(words_of(facts(segment(1000, 100, 0, 1e9, 9), segment(1000, 4, 0, 6e8, 1))),
            (Words{"25 times slower", "40 % less memory"}));
}

TEST(StripAnswers, AChangeWithinTheSpreadIsNoChange) {
  FigureFacts f = facts(segment(1000, 100, 0, 1e9, 9), segment(1000, 102, 0, 1.01e9, 1));
  EXPECT_EQ(words_of(f), (Words{"same speed", "same memory"}));
  f.before_after->after.steps_per_s = 107;
  EXPECT_EQ(words_of(f)[0], "7.0 % faster");
  f.after.spread = 0.08;
  EXPECT_EQ(words_of(f)[0], "same speed");
}

TEST(StripAnswers, AreFinalWhereBothSidesAreSettledAndOtherwiseSayWhy) {
  using analysis::Phase;
  const analysis::SegmentFigures any = segment(100, 50, 0, 1, 1);
  const std::vector<StripAnswer> settled = strip_answers(facts(any, any), true);
  EXPECT_TRUE(settled[0].final && settled[1].final);
  EXPECT_EQ(settled[0].note, "\u00b1 3.0 %");
  const std::vector<StripAnswer> draining =
      strip_answers(facts(any, any, Phase::kSettled, Phase::kDraining), true);
  EXPECT_FALSE(draining[0].final || draining[1].final);
  EXPECT_EQ(draining[0].note, text(Text::kDraining));
  EXPECT_EQ(draining[0].words, "50 steps/s") << "no comparison yet";
  EXPECT_EQ(draining[0].before, 0);
}

TEST(StripAnswers, AreNotFinalWhereTheHostIsTooSlowForTheModel) {
  using analysis::Phase;
  const analysis::SegmentFigures any = segment(100, 50, 0, 1, 1);
  FigureFacts f = facts(any, any);
  f.late = false;
  EXPECT_TRUE(strip_answers(f, true)[0].final);
  f.late = true;
  EXPECT_FALSE(strip_answers(f, true)[0].final);
  EXPECT_EQ(strip_answers(f, true)[0].note, text(Text::kHostTooSlow));
  const FigureFacts ended = facts({}, any, Phase::kSettling, Phase::kWarmingUp);
  EXPECT_EQ(doubt(ended, false), std::nullopt) << "there is nothing to compare";
  FigureFacts late = ended;
  late.late = true;
  EXPECT_EQ(doubt(late, false), Text::kHostTooSlow);
  EXPECT_EQ(doubt(late, true), Text::kWarmingUp);
}

TEST(StripAnswers, WithoutAChangeAreTheFiguresThemselves) {
  const std::vector<StripAnswer> answers = strip_answers(facts({}, segment(100, 50, 0, 1e6, 3)), true);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].words, "50 steps/s");
  EXPECT_EQ(answers[1].words, "1.00 MB memory");
  EXPECT_EQ(answers[0].before, 0) << "no bars";
}

TEST(StripAnswers, LeaveOutWhatTheRunDoesNotHave) {
  EXPECT_TRUE(words_of(facts(segment(0, 0, 0, 0, 0), segment(0, 0, 0, 0, 0))).empty());
}

analysis::TraceSummary one_device() {
  analysis::TraceSummary summary;
  summary.length = std::chrono::seconds(2);
  summary.devices = {{"gpu 0", false, std::chrono::seconds(1)}};
  return summary;
}

TEST(StripFigures, AWholeTraceShowsOnlyWhatItContains) {
  std::vector<StripFigure> figures = summary_figures(one_device());
  ASSERT_EQ(figures.size(), 2u) << "no steps, no wait, no memory";
  EXPECT_EQ(name_of(figures[1]), "Busy: gpu 0");
  EXPECT_EQ(figures[1].after, "50 %");
  analysis::TraceSummary more = one_device();
  more.steps = 6;
  more.median_step = std::chrono::milliseconds(175);
  more.blocked = analysis::ThreadBlocked{"main", std::chrono::milliseconds(500)};
  more.peak = analysis::PeakBytes{"gpu 0 allocated", 2.79e9};
  figures = summary_figures(more);
  ASSERT_EQ(figures.size(), 6u);
  EXPECT_EQ(figures[1].after, "6");
  EXPECT_EQ(figures[2].after, "175 ms");
  EXPECT_EQ(name_of(figures[4]), "Wait slices: main");
  EXPECT_EQ(figures[4].after, "25 %");
  EXPECT_EQ(figures[5].after, "2.79 GB");
}

TEST(StripFigures, UpToTwoStepsAreShownByTheirLengths) {
  analysis::TraceSummary summary = one_device();
  summary.steps = 2;
  summary.median_step = summary.shortest_step = std::chrono::microseconds(49);
  summary.longest_step = std::chrono::milliseconds(9);
  StripFigure step = summary_figures(summary)[2];
  EXPECT_EQ(name_of(step), "Length of a step");
  EXPECT_EQ(step.after, "49.0 µs \u2013 9.00 ms") << "the second step may be only a part of one";
  summary.steps = 1;
  EXPECT_EQ(summary_figures(summary)[2].after, "49.0 µs");
}

TEST(StripFigures, ManyDevicesShareOneFigureFromTheLeastBusyToTheBusiest) {
  analysis::TraceSummary summary = one_device();
  summary.devices.push_back({"gpu 1", false, std::chrono::milliseconds(200)});
  EXPECT_EQ(summary_figures(summary).size(), 3u);
  summary.devices.push_back({"gpu 2", false, std::chrono::milliseconds(1800)});
  const std::vector<StripFigure> figures = summary_figures(summary);
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(name_of(figures[1]), "Busy: 3 devices");
  EXPECT_EQ(figures[1].after, "10 % \u2013 90 %");
}

}  // namespace
}  // namespace runahead::gui
