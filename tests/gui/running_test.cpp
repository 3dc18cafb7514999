// Tests how runs are chosen, started and controlled, without a window.
#include <gtest/gtest.h>

#include <thread>

#include "gui/core/running_part.h"
#include "gui/timeline/selection_facts.h"
#include "tests/gui/app_core_fixture.h"

namespace runahead::gui {
namespace {

class RunningTest : public AppCoreTest {};

TEST_F(RunningTest, StartsPausesStepsAndStopsARun) {
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  core_.apply(TogglePause{});
  ASSERT_TRUE(poll_until([&] { return core_.model().run->state == samples::RunState::kPaused; }));
  core_.apply(TogglePause{});
  ASSERT_TRUE(poll_until([&] { return core_.model().run->state == samples::RunState::kRunning; }));
  core_.apply(StopRun{});
  EXPECT_FALSE(core_.model().live());
  EXPECT_GT(core_.trace().counts().slices, 0u);
}

TEST_F(RunningTest, StepStartsAPausedRunThatTakesOneStep) {
  core_.apply(ChooseWorkload{"training_memory"});
  core_.apply(ChooseDevice{"virtual:0"});
  core_.apply(StepRun{});
  ASSERT_TRUE(steps_taken(1));
  EXPECT_EQ(core_.model().run->state, samples::RunState::kPaused);
  EXPECT_EQ(core_.model().run->steps, 1);
}

TEST_F(RunningTest, AToggleReachesTheRunAndItsFiguresFollow) {
  core_.apply(SetBarrier{*parse_barrier("none")});
  start_small_run();
  ASSERT_TRUE(steps_taken(20));
  core_.apply(SetBarrier{*parse_barrier("wait_to_read")});
  EXPECT_EQ(to_string(core_.model().run->barrier), "wait_to_read");
  ASSERT_TRUE(poll_until([&] {
    const PanelModel model = core_.model();
    return model.figures.before_after && model.figures.before_after->before.steps > 0 &&
           model.figures.before_after->after.steps > 5;
  }));
  EXPECT_EQ(core_.model().figures.before_after->change.label, "none -> wait_to_read");
}

TEST_F(RunningTest, ParametersAreClampedAndApplyAtTheNextStart) {
  start_small_run();
  EXPECT_FALSE(core_.model().run->choice_differs);
  core_.apply(SetParameter{"frontend_us", -5});
  const PanelModel model = core_.model();
  EXPECT_TRUE(model.run->choice_differs);
  EXPECT_GE(model.start.parameters.at("frontend_us"), 0);
  core_.apply(SetParameter{"no such parameter", 1});
  core_.apply(StartRun{});
  EXPECT_EQ(core_.error(), "");
  EXPECT_FALSE(core_.model().run->choice_differs);
}

TEST_F(RunningTest, ABarrierThatMakesNoSenseForAWorkloadGivesWay) {
  for (const samples::WorkloadSpec* workload : samples::list_workloads()) {
    core_.apply(ChooseWorkload{workload->name});
    const PanelModel model = core_.model();
    const std::vector<BarrierChoice> row = barrier_row(model.start.workload);
    ASSERT_FALSE(row.empty()) << workload->name;
    const bool fits =
        std::ranges::any_of(row, [&](const auto& c) { return c.policy == model.start.choice.barrier; });
    EXPECT_TRUE(fits) << workload->name;
  }
}

TEST_F(RunningTest, AnExerciseSetsWhatItIsAboutAndAWorkloadEndsIt) {
  core_.apply(ChooseExercise{6});
  {
    const PanelModel model = core_.model();
    ASSERT_EQ(model.start.exercise, samples::find_exercise(6));
    EXPECT_EQ(model.start.choice.workload, "auto_parallel");
    EXPECT_EQ(model.start.choice.devices, (std::vector<std::string>{"cpu", "cpu"}));
    EXPECT_EQ(model.start.choice.engine.cpu_workers, 1);
    EXPECT_EQ(model.start.parameters.at("extent"), 64);
    EXPECT_FALSE(model.start.choice.endless);
  }
  core_.apply(ChooseExercise{99});
  EXPECT_EQ(core_.model().start.exercise, samples::find_exercise(6)) << "there is no such exercise";
  core_.apply(ChooseExercise{2});
  EXPECT_EQ(to_string(core_.model().start.choice.barrier), "window:2");
  EXPECT_TRUE(core_.model().start.choice.endless);
  core_.apply(ChooseWorkload{"increment"});
  EXPECT_EQ(core_.model().start.exercise, nullptr);
  EXPECT_EQ(core_.model().start.choice.engine.cpu_workers, engine::EngineOptions{}.cpu_workers);
  EXPECT_TRUE(core_.model().start.choice.settings.empty());
  EXPECT_FALSE(core_.model().start.choice.endless) << "this workload has results only at its end";
  core_.apply(ChooseWorkload{"training_memory"});
  EXPECT_TRUE(core_.model().start.choice.endless) << "it is endless so that its barrier can be toggled";
}

TEST_F(RunningTest, AWorkloadHasItsWorkersAndTheNextOneThoseThatWereChosen) {
  const auto workers = [&] { return core_.model().start.choice.engine.cpu_workers; };
  core_.apply(ChooseWorkload{"dependency_graph"});
  EXPECT_EQ(workers(), 2);
  engine::EngineOptions options = core_.model().start.choice.engine;
  options.bulk = 7;
  core_.apply(SetEngine{options, 1});
  core_.apply(ChooseWorkload{"increment"});
  EXPECT_EQ(workers(), 1);
  EXPECT_EQ(core_.model().start.choice.engine.bulk, 7);
  options.cpu_workers = 3;
  core_.apply(SetEngine{options, 1});
  core_.apply(ChooseWorkload{"dependency_graph"});
  EXPECT_EQ(workers(), 3);
}

TEST_F(RunningTest, OfTheCommandLineTheWorkersThatWereAskedForAreOfEveryWorkload) {
  const auto workers_after = [&](bool asked) {
    GuiOptions options{.run = samples::RunConfig{.workload = "dependency_graph"}, .workers_asked = asked};
    options.run->engine.cpu_workers = 2;
    core_.begin(options);
    EXPECT_EQ(core_.model().start.choice.engine.cpu_workers, 2);
    core_.apply(ChooseWorkload{"increment"});
    return core_.model().start.choice.engine.cpu_workers;
  };
  EXPECT_EQ(workers_after(false), 1);
  EXPECT_EQ(workers_after(true), 2);
}

TEST_F(RunningTest, AnExerciseChosenWhileARunGoesOnIsOfTheNextOne) {
  start_small_run();
  ASSERT_TRUE(steps_taken(1));
  core_.apply(ChooseExercise{2});
  EXPECT_EQ(to_string(core_.model().run->barrier), "none");
  EXPECT_TRUE(core_.model().run->choice_differs);
  core_.apply(StartRun{});
  ASSERT_EQ(core_.error(), "");
  EXPECT_EQ(to_string(core_.model().run->barrier), "window:2");
  EXPECT_FALSE(core_.model().run->choice_differs);
}

TEST_F(RunningTest, ARunThatTookAllItsStepsStandsBesideThePublishedFigures) {
  const auto measured = [this] {
    const PanelModel model = core_.model();
    return std::ranges::count_if(model.start.published,
                                 [](const auto& row) { return row.shape_here.has_value(); });
  };
  core_.apply(ChooseWorkload{"training_memory"});
  core_.apply(ChooseDevice{"virtual:0"});
  core_.apply(SetEndless{false});
  core_.apply(SetParameter{"steps", 6});
  EXPECT_FALSE(core_.model().start.published.empty());
  core_.apply(StartRun{});
  ASSERT_TRUE(run_ended());
  EXPECT_TRUE(std::ranges::any_of(core_.model().start.published,
                                  [](const auto& row) { return row.here.has_value(); }));
  EXPECT_EQ(measured(), 0) << "its other variant has not run";
  core_.apply(SetBarrier{*parse_barrier("wait_to_read")});
  core_.apply(StartRun{});
  ASSERT_TRUE(run_ended());
  EXPECT_GE(measured(), 1) << "both variants have run";
  core_.apply(ChooseWorkload{"overlap"});
  EXPECT_EQ(measured(), 0) << "no variant of it has run";
}

TEST_F(RunningTest, TheEnginesSettingsAreOfTheNextStartAndFreeMemoryIsGivenBack) {
  core_.apply(ChooseWorkload{"training_memory"});
  core_.apply(SetParameter{"steps", 1e6});
  core_.apply(StartRun{});
  ASSERT_TRUE(poll_until([&] { return core_.model().run && core_.model().run->steps > 3; }));
  EXPECT_FALSE(core_.model().run->choice_differs);
  SetEngine wanted{core_.model().start.choice.engine, 1};
  wanted.options.bulk = 4;
  core_.apply(wanted);
  EXPECT_EQ(core_.model().start.choice.engine.bulk, 4);
  EXPECT_TRUE(core_.model().run->choice_differs) << "the current run keeps its own options";
  core_.apply(SetBarrier{*parse_barrier("item")});
  ASSERT_TRUE(poll_until([&] { return core_.model().run->ops_in_flight < 30; }));
  const auto reserved_bytes = [&] {
    double last = 0;
    for (const trace::Track& track : core_.model().trace.tracks()) {
      if (track.info.role != trace::CounterRole::kReservedBytes || track.counter.empty()) continue;
      last += track.counter.sample(track.counter.end_row() - 1).value;
    }
    return last;
  };
  const double before = reserved_bytes();
  core_.apply(TrimMemory{});
  EXPECT_TRUE(poll_until([&] { return reserved_bytes() < before; }));
  core_.apply(ChooseWorkload{"increment"});
  EXPECT_EQ(core_.model().start.choice.engine.bulk, 4) << "the options stay for any workload";
}

TEST_F(RunningTest, WhatARunMeasuredIsShownUntilAnotherWorkloadIsChosen) {
  core_.apply(ChooseWorkload{"increment"});
  core_.apply(SetParameter{"iterations", 50});
  EXPECT_TRUE(core_.model().start.results.empty());
  core_.apply(StartRun{});
  ASSERT_TRUE(run_ended());
  {
    const PanelModel model = core_.model();
    EXPECT_EQ(model.start.results_of, "cpu, barrier none");
    const auto predicted = std::ranges::find_if(
        model.start.results, [](const samples::ShownTable& table) { return !table.columns.empty(); });
    ASSERT_NE(predicted, model.start.results.end());
    EXPECT_EQ(predicted->columns, (std::vector<std::string>{"formula", "measured"}));
    EXPECT_EQ(predicted->rows.size(), 6u)
        << "three formulas, each by the stopwatch and by the times of the trace";
    EXPECT_FALSE(predicted->sentence.empty());
  }
  core_.apply(ChooseWorkload{"overlap"});
  EXPECT_TRUE(core_.model().start.results.empty());
}

TEST_F(RunningTest, ARunOfSoManyStepsIsShownWholeAtItsEndUnlessThePersonLooksElsewhere) {
  const auto run = [this](bool follow) {
    core_.apply(ChooseWorkload{"increment"});
    core_.apply(SetParameter{"iterations", 50});
    core_.apply(StartRun{});
    if (!follow) core_.apply(TimelineCommand{FollowLive{false}});
    ASSERT_TRUE(run_ended());
    core_.advance_view();
  };
  run(true);
  EXPECT_FALSE(core_.timeline().follow);
  Timestamp first = Timestamp::max(), last = Timestamp::min();
  for (const auto& track : core_.trace().tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      if (lane.empty()) continue;
      first = std::min(first, lane.begin(lane.first_row()));
      last = std::max(last, lane.end(lane.end_row() - 1));
    }
  }
  const TimeRange view = core_.timeline().view;
  EXPECT_LT(view.begin, first);
  EXPECT_GT(view.end, last);
  EXPECT_LE(view.duration(), (last - first) * 11 / 10 + std::chrono::microseconds(10));
  run(false);
  EXPECT_FALSE(core_.timeline().follow);
  EXPECT_NE(core_.timeline().view.begin, view.begin) << "the view shows the new run";
}

TEST_F(RunningTest, ARunWhoseBarrierWasChangedOrThatWasStoppedIsNotCompared) {
  const auto anything = [this] {
    return std::ranges::any_of(core_.model().start.published,
                               [](const auto& row) { return row.here.has_value(); });
  };
  core_.apply(ChooseWorkload{"training_memory"});
  core_.apply(ChooseDevice{"virtual:0"});
  core_.apply(SetEndless{false});
  core_.apply(SetParameter{"steps", 20});
  core_.apply(StepRun{});
  core_.apply(SetBarrier{*parse_barrier("wait_to_read")});
  core_.apply(TogglePause{});
  ASSERT_TRUE(run_ended());
  EXPECT_FALSE(anything());
  start_small_run();
  ASSERT_TRUE(steps_taken(1));
  core_.apply(StopRun{});
  ASSERT_TRUE(run_ended());
  EXPECT_FALSE(anything());
}

}  // namespace
}  // namespace runahead::gui
