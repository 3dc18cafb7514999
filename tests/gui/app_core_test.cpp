// The window's state driven by commands, without a window.
#include "gui/core/app_core.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "gui/timeline/facts.h"
#include "instrumentation/record/file_names.h"
#include "instrumentation/trace/io/recording.h"
#include "tests/gui/app_core_fixture.h"

namespace runahead::gui {
namespace {

using runahead::testing::ScratchFolder;

TEST_F(AppCoreTest, StartsPausesStepsAndStopsARun) {
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

TEST_F(AppCoreTest, StepStartsAPausedRunThatTakesOneStep) {
  core_.apply(ChooseWorkload{"training_memory"});
  core_.apply(ChooseDevice{"virtual:0"});
  core_.apply(StepRun{});
  ASSERT_TRUE(steps_taken(1));
  EXPECT_EQ(core_.model().run->state, samples::RunState::kPaused);
  EXPECT_EQ(core_.model().run->steps, 1);
}

TEST_F(AppCoreTest, AToggleReachesTheRunAndItsFiguresFollow) {
  core_.apply(SetBarrier{*engine::parse_barrier("none")});
  start_small_run();
  ASSERT_TRUE(steps_taken(20));
  core_.apply(SetBarrier{*engine::parse_barrier("wait_to_read")});
  EXPECT_EQ(engine::to_string(core_.model().run->barrier), "wait_to_read");
  ASSERT_TRUE(poll_until([&] {
    const PanelModel model = core_.model();
    return model.figures.before_after && model.figures.before_after->before.steps > 0 &&
           model.figures.before_after->after.steps > 5;
  }));
  EXPECT_EQ(core_.model().figures.before_after->change.label, "none -> wait_to_read");
}

// No file of this process may grow beyond `bytes` while this lives: a disk that is full, for one process.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

TEST_F(AppCoreTest, ARecordingIsNamedWhenItsRunEnds) {
  const auto path = folder_ / "whole.runahead";
  core_.apply(FileChosen{FilePurpose::kRecord, path});
  start_small_run();
  ASSERT_TRUE(steps_taken(10));
  core_.apply(StopRun{});
  ASSERT_TRUE(poll_until([&] { return core_.model().recording.path.empty(); }));
  EXPECT_EQ(core_.error(), "");
  EXPECT_NE(core_.model().notice.find("whole.runahead"), std::string::npos);
}

TEST_F(AppCoreTest, ARecordingKeepsTheLastSecondsThatWereAskedFor) {
  const auto path = folder_ / "last.runahead";
  core_.apply(SetRecordKeep{{RecordKeep::Kind::kSeconds, 1, 64}});
  core_.apply(FileChosen{FilePurpose::kRecord, path});
  EXPECT_EQ(core_.model().recording.limits, limits_of({RecordKeep::Kind::kSeconds, 1, 64}));
  start_small_run();
  ASSERT_TRUE(
      poll_until([&] { return core_.trace().extent().duration() > std::chrono::milliseconds(2500); }));
  EXPECT_GT(core_.model().recording.bytes, 0u) << "of its parts";
  core_.apply(StopRecording{});
  EXPECT_TRUE(core_.model().recording.path.empty());
  core_.apply(StopRun{});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.job; }));
  EXPECT_EQ(core_.error(), "");
  EXPECT_NE(core_.model().notice.find("the last 1 s"), std::string::npos) << core_.model().notice;
  EXPECT_TRUE(record::part_files(path).empty()) << "the parts are one file";
  const Result<trace::Trace> kept = trace::io::open_recording(path);
  ASSERT_TRUE(kept.ok());
  EXPECT_GT(kept->losses().of(trace::LossCause::kLetGo), 0u) << "the beginning";
  EXPECT_GE(kept->extent().duration(), std::chrono::seconds(1));
}

// Of the least that may be kept, so that there are several parts soon.
class KeptRecordingTest : public AppCoreTest {
 protected:
  void record_some() {
    core_.apply(SetRecordKeep{{RecordKeep::Kind::kSeconds, 1, 64}});
    core_.apply(FileChosen{FilePurpose::kRecord, path_});
    start_small_run();
    ASSERT_TRUE(poll_until([&] { return record::part_files(path_).size() >= 2; }));
  }
  bool joined() {
    return poll_until([&] { return !core_.model().files.job; });
  }
  const std::filesystem::path path_ = folder_ / "kept.runahead";
};

TEST_F(KeptRecordingTest, IsPutTogetherBesideTheWindow) {
  record_some();
  core_.apply(StopRecording{});
  ASSERT_TRUE(core_.model().files.job.has_value()) << "the stop does not wait for it";
  EXPECT_EQ(core_.model().files.job->label, "Putting together kept.runahead");
  EXPECT_EQ(core_.model().notice.find("kept.runahead"), std::string::npos) << "told only once it is there";
  EXPECT_FALSE(core_.settled());
  EXPECT_TRUE(core_.model().live()) << "the run goes on";
  ASSERT_TRUE(joined());
  EXPECT_EQ(core_.error(), "");
  EXPECT_NE(core_.model().notice.find("kept.runahead"), std::string::npos) << core_.model().notice;
  EXPECT_TRUE(trace::io::open_recording(path_).ok());
}

TEST_F(KeptRecordingTest, IsPutTogetherAtItsRunsEnd) {
  record_some();
  core_.apply(StopRun{});
  ASSERT_TRUE(poll_until([&] { return std::filesystem::exists(path_) && !core_.model().files.job; }));
  EXPECT_NE(core_.model().notice.find("kept.runahead"), std::string::npos) << core_.model().notice;
  EXPECT_TRUE(record::part_files(path_).empty());
}

TEST_F(KeptRecordingTest, RefusesAnotherRecordingUntilItIsThere) {
  record_some();
  core_.apply(StopRecording{});
  core_.apply(FileChosen{FilePurpose::kRecord, folder_ / "next.runahead"});
  EXPECT_EQ(core_.error(),
            "'next.runahead': not recorded: 'kept.runahead' is still being put together; wait for it, or "
            "cancel it");
  EXPECT_TRUE(core_.model().recording.path.empty());
  ASSERT_TRUE(joined());
  core_.apply(FileChosen{FilePurpose::kRecord, folder_ / "next.runahead"});
  EXPECT_EQ(core_.error(), "");
  EXPECT_EQ(core_.model().recording.path, folder_ / "next.runahead");
}

TEST_F(KeptRecordingTest, LosesNothingWhereItIsCancelled) {
  record_some();
  core_.apply(StopRecording{});
  core_.apply(CancelJob{});
  ASSERT_TRUE(joined());
  EXPECT_EQ(core_.error(), "");
  // It may have been done by then.
  if (std::filesystem::exists(path_)) {
    EXPECT_TRUE(record::part_files(path_).empty());
    return;
  }
  EXPECT_GE(record::part_files(path_).size(), 2u);
  EXPECT_NE(core_.model().notice.find("all is in"), std::string::npos) << core_.model().notice;
}

TEST_F(KeptRecordingTest, ThatCannotBePutInItsPlaceIsSaidAndItsPartsStay) {
  record_some();
  std::filesystem::create_directory(path_);
  core_.apply(StopRecording{});
  ASSERT_TRUE(joined());
  EXPECT_NE(core_.error().find("all is in"), std::string::npos) << core_.error();
  EXPECT_EQ(core_.model().notice.find("kept.runahead"), std::string::npos);
  EXPECT_GE(record::part_files(path_).size(), 2u);
  for (const auto& part : record::part_files(path_)) EXPECT_TRUE(trace::io::open_recording(part).ok());
}

// The parts fit, what they make together does not.
TEST_F(KeptRecordingTest, ThatDoesNotFitIsSaidAndItsPartsStay) {
  record_some();
  ASSERT_TRUE(poll_until([&] { return record::part_files(path_).size() >= 3; }));
  core_.apply(StopRun{});
  std::uintmax_t largest = 0;
  for (const auto& part : record::part_files(path_))
    largest = std::max(largest, std::filesystem::file_size(part));
  {
    const FullDisk disk(largest);
    ASSERT_TRUE(poll_until([&] { return !core_.error().empty(); }));
  }
  EXPECT_NE(core_.error().find("all is in"), std::string::npos) << core_.error();
  EXPECT_GE(record::part_files(path_).size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(KeptRecordingTest, IsThereWhenTheWindowHasClosed) {
  const std::filesystem::path settings;
  for (const bool asks : {true, false}) {
    const auto path = folder_ / (asks ? "asked.runahead" : "gone.runahead");
    {
      AppCore core(Settings{}, settings, [] {});
      core.apply(SetRecordKeep{{RecordKeep::Kind::kSeconds, 1, 64}});
      core.apply(FileChosen{FilePurpose::kRecord, path});
      core.apply(ChooseWorkload{"training_memory"});
      core.apply(ChooseDevice{"virtual:0"});
      core.apply(StartRun{});
      while (record::part_files(path).size() < 2) core.poll();
      // As the main loop closes; or the core goes with the recording under way.
      while (asks && !core.ready_to_close()) core.poll();
      if (!asks) core.apply(StopRecording{});
    }
    EXPECT_TRUE(trace::io::open_recording(path).ok()) << path;
    EXPECT_TRUE(record::part_files(path).empty());
  }
}

TEST_F(KeptRecordingTest, ThatFailsAsTheWindowClosesIsSaidToWhoeverStartedIt) {
  record_some();
  std::filesystem::create_directory(path_);
  ASSERT_TRUE(poll_until([&] { return core_.ready_to_close(); }));
  ASSERT_TRUE(core_.closing_failure().has_value());
  EXPECT_NE(core_.closing_failure()->message.find("all is in"), std::string::npos)
      << core_.closing_failure()->message;
  EXPECT_GE(record::part_files(path_).size(), 2u);
}

TEST_F(KeptRecordingTest, IsPutTogetherWhereAFileIsOpenedInstead) {
  ASSERT_TRUE(trace::io::save_recording(trace::Trace(), folder_ / "other.runahead").ok());
  record_some();
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "other.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.opened.empty() && !core_.model().files.job; }));
  EXPECT_EQ(core_.error(), "");
  EXPECT_TRUE(trace::io::open_recording(path_).ok());
  EXPECT_TRUE(record::part_files(path_).empty());
}

TEST_F(AppCoreTest, ATableIsSavedUnderTheNameThatIsAskedFor) {
  const TableRows rows{{"name", "bytes"}, {"a, \"b\"", "64"}};
  const auto content = [](const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  core_.apply(ChooseWorkload{"overlap"});
  core_.apply(SaveTable{"waits", rows});
  ASSERT_TRUE(core_.dialog().has_value());
  EXPECT_EQ(core_.dialog()->purpose, FilePurpose::kTable);
  EXPECT_EQ(core_.dialog()->name, "overlap-waits.csv");
  core_.apply(FileChosen{FilePurpose::kTable, folder_ / "t.csv"});
  EXPECT_FALSE(core_.dialog().has_value());
  EXPECT_EQ(content(folder_ / "t.csv"), "name,bytes\r\n\"a, \"\"b\"\"\",64\r\n");
  EXPECT_NE(core_.model().notice.find("t.csv"), std::string::npos);
  core_.apply(SaveTable{"waits", rows});
  core_.apply(FileChosen{FilePurpose::kTable, folder_ / "t.tsv"});
  EXPECT_EQ(content(folder_ / "t.tsv"), "name\tbytes\na, \"b\"\t64\n");
  core_.apply(SaveTable{"waits", rows});
  core_.apply(FileChosen{FilePurpose::kTable, folder_ / "none" / "t.csv"});
  EXPECT_NE(core_.error().find("t.csv"), std::string::npos) << core_.error();
}

TEST_F(AppCoreTest, ATableThatDoesNotFitLeavesWhatWasThere) {
  const std::filesystem::path path = folder_ / "t.csv";
  std::ofstream(path) << "before";
  core_.apply(SaveTable{"waits", TableRows(1000, {"a name that takes some room"})});
  {
    const FullDisk disk(4096);
    core_.apply(FileChosen{FilePurpose::kTable, path});
  }
  EXPECT_NE(core_.error().find("t.csv"), std::string::npos) << core_.error();
  EXPECT_EQ(std::filesystem::file_size(path), std::string_view("before").size());
}

TEST_F(AppCoreTest, ARecordingThatDidNotFitIsSaidWhenItsRunEnds) {
  core_.apply(FileChosen{FilePurpose::kRecord, folder_ / "cut.runahead"});
  start_small_run();
  ASSERT_TRUE(steps_taken(1));
  const FullDisk disk(16'384);
  ASSERT_TRUE(steps_taken(100));
  core_.apply(StopRun{});
  ASSERT_TRUE(poll_until([&] { return core_.model().recording.path.empty(); }));
  EXPECT_NE(core_.error().find("cut.runahead"), std::string::npos) << core_.error();
  EXPECT_EQ(core_.model().notice.find("cut.runahead"), std::string::npos);
}

TEST_F(AppCoreTest, ARunIsSavedAndOpenedAsItWas) {
  start_small_run();
  ASSERT_TRUE(steps_taken(10));
  core_.apply(StopRun{});
  const std::uint64_t slices = core_.trace().counts().slices;
  core_.apply(FileChosen{FilePurpose::kSaveAs, folder_ / "run.runahead"});
  ASSERT_TRUE(poll_until([&] { return core_.settled() && !core_.notice().empty(); })) << core_.error();
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "run.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.opened.empty(); })) << core_.error();
  EXPECT_EQ(core_.trace().counts().slices, slices);
  EXPECT_FALSE(core_.timeline().follow);
  EXPECT_FALSE(core_.model().run.has_value());
  ASSERT_TRUE(poll_until([&] { return core_.settled(); }));
  EXPECT_TRUE(core_.model().figures.before_after.has_value());
}

TEST_F(AppCoreTest, FilesThatWereOpenAreListedTheNewestFirstEachOnce) {
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  core_.apply(StopRun{});
  const auto saved_as = [&](const char* name) {
    core_.apply(FileChosen{FilePurpose::kSaveAs, folder_ / name});
    ASSERT_TRUE(poll_until([&] { return core_.notice().find(name) != std::string::npos; })) << core_.error();
  };
  const auto opened = [&](const std::filesystem::path& path) {
    core_.apply(FilesDropped{{path, folder_ / "another.runahead"}});
    ASSERT_TRUE(poll_until([&] { return core_.model().files.opened == path; })) << core_.error();
  };
  saved_as("a.runahead");
  saved_as("b.runahead");
  opened(folder_ / "a.runahead");
  EXPECT_EQ(core_.notice(), "2 files were dropped; this one is opened: a.runahead");
  opened(folder_ / "b.runahead");
  opened(folder_ / "a.runahead");
  const std::vector<std::string> wanted{(folder_ / "a.runahead").string(), (folder_ / "b.runahead").string()};
  EXPECT_EQ(core_.settings().recent, wanted);
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "none.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.error().empty(); }));
  EXPECT_EQ(core_.settings().recent, wanted) << "what does not open is not listed";
  core_.apply(ForgetRecent{});
  EXPECT_TRUE(core_.settings().recent.empty());
}

TEST_F(AppCoreTest, AFileThatDoesNotOpenLeavesWhatIsOnTheScreen) {
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "none.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.error().empty(); }));
  EXPECT_NE(core_.error().find("none.runahead"), std::string::npos);
  EXPECT_TRUE(core_.model().live());
  core_.apply(DismissError{});
  EXPECT_EQ(core_.error(), "");
}

TEST_F(AppCoreTest, TheFileOfTheCommandLineThatDoesNotOpenIsAFailure) {
  GuiOptions options;
  options.file = folder_ / "none.runahead";
  core_.begin(options);
  ASSERT_TRUE(poll_until([&] { return core_.first_failure().has_value(); }));
}

TEST_F(AppCoreTest, ParametersAreClampedAndApplyAtTheNextStart) {
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

TEST_F(AppCoreTest, ABarrierThatMakesNoSenseForAWorkloadGivesWay) {
  for (const samples::WorkloadSpec* workload : samples::list_workloads()) {
    core_.apply(ChooseWorkload{workload->name});
    const PanelModel model = core_.model();
    const std::vector<engine::BarrierChoice> row = barrier_row(model.start.workload);
    ASSERT_FALSE(row.empty()) << workload->name;
    const bool fits =
        std::ranges::any_of(row, [&](const auto& c) { return c.policy == model.start.choice.barrier; });
    EXPECT_TRUE(fits) << workload->name;
  }
}

TEST_F(AppCoreTest, AnExerciseSetsWhatItIsAboutAndAWorkloadEndsIt) {
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
  EXPECT_EQ(engine::to_string(core_.model().start.choice.barrier), "window:2");
  EXPECT_TRUE(core_.model().start.choice.endless);
  core_.apply(ChooseWorkload{"increment"});
  EXPECT_EQ(core_.model().start.exercise, nullptr);
  EXPECT_EQ(core_.model().start.choice.engine.cpu_workers, engine::EngineOptions{}.cpu_workers);
  EXPECT_TRUE(core_.model().start.choice.settings.empty());
  EXPECT_FALSE(core_.model().start.choice.endless) << "its results are there at the end";
  core_.apply(ChooseWorkload{"training_memory"});
  EXPECT_TRUE(core_.model().start.choice.endless) << "its barrier is to be toggled";
}

TEST_F(AppCoreTest, AWorkloadHasItsWorkersAndTheNextOneThoseThatWereChosen) {
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

TEST_F(AppCoreTest, OfTheCommandLineTheWorkersThatWereAskedForAreOfEveryWorkload) {
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

TEST_F(AppCoreTest, AnExerciseChosenWhileARunGoesOnIsOfTheNextOne) {
  start_small_run();
  ASSERT_TRUE(steps_taken(1));
  core_.apply(ChooseExercise{2});
  EXPECT_EQ(engine::to_string(core_.model().run->barrier), "none");
  EXPECT_TRUE(core_.model().run->choice_differs);
  core_.apply(StartRun{});
  ASSERT_EQ(core_.error(), "");
  EXPECT_EQ(engine::to_string(core_.model().run->barrier), "window:2");
  EXPECT_FALSE(core_.model().run->choice_differs);
}

TEST_F(AppCoreTest, ARunThatTookAllItsStepsStandsBesideThePublishedFigures) {
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
  core_.apply(SetBarrier{*engine::parse_barrier("wait_to_read")});
  core_.apply(StartRun{});
  ASSERT_TRUE(run_ended());
  EXPECT_GE(measured(), 1) << "both variants have run";
  core_.apply(ChooseWorkload{"overlap"});
  EXPECT_EQ(measured(), 0) << "nothing of it has run";
}

TEST_F(AppCoreTest, TheEnginesSettingsAreOfTheNextStartAndFreeMemoryIsGivenBack) {
  core_.apply(ChooseWorkload{"training_memory"});
  core_.apply(SetParameter{"steps", 1e6});
  core_.apply(StartRun{});
  ASSERT_TRUE(poll_until([&] { return core_.model().run && core_.model().run->steps > 3; }));
  EXPECT_FALSE(core_.model().run->choice_differs);
  SetEngine wanted{core_.model().start.choice.engine, 1};
  wanted.options.bulk = 4;
  core_.apply(wanted);
  EXPECT_EQ(core_.model().start.choice.engine.bulk, 4);
  EXPECT_TRUE(core_.model().run->choice_differs) << "it goes on with its own";
  core_.apply(SetBarrier{*engine::parse_barrier("item")});
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
  EXPECT_EQ(core_.model().start.choice.engine.bulk, 4) << "they stay, whatever runs";
}

TEST_F(AppCoreTest, WhatARunMeasuredIsShownUntilAnotherWorkloadIsChosen) {
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

TEST_F(AppCoreTest, ARunOfSoManyStepsIsShownWholeAtItsEndUnlessThePersonLooksElsewhere) {
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
  EXPECT_NE(core_.timeline().view.begin, view.begin) << "it stays where the person looked";
}

TEST_F(AppCoreTest, ARunWhoseBarrierWasChangedOrThatWasStoppedIsNotCompared) {
  const auto anything = [this] {
    return std::ranges::any_of(core_.model().start.published,
                               [](const auto& row) { return row.here.has_value(); });
  };
  core_.apply(ChooseWorkload{"training_memory"});
  core_.apply(ChooseDevice{"virtual:0"});
  core_.apply(SetEndless{false});
  core_.apply(SetParameter{"steps", 20});
  core_.apply(StepRun{});
  core_.apply(SetBarrier{*engine::parse_barrier("wait_to_read")});
  core_.apply(TogglePause{});
  ASSERT_TRUE(run_ended());
  EXPECT_FALSE(anything());
  start_small_run();
  ASSERT_TRUE(steps_taken(1));
  core_.apply(StopRun{});
  ASSERT_TRUE(run_ended());
  EXPECT_FALSE(anything());
}

TEST_F(AppCoreTest, RecordingAskedForBeforeTheRunHoldsItFromTheStart) {
  core_.apply(FileChosen{FilePurpose::kRecord, folder_ / "live.runahead"});
  EXPECT_EQ(core_.model().recording.path, folder_ / "live.runahead");
  start_small_run();
  ASSERT_TRUE(steps_taken(5));
  core_.apply(StopRecording{});
  EXPECT_TRUE(core_.model().recording.path.empty());
  EXPECT_EQ(core_.error(), "");
  EXPECT_GT(std::filesystem::file_size(folder_ / "live.runahead"), 0u);
}

TEST_F(AppCoreTest, SettingsAreRememberedAtTheEndAndResetByOneCommand) {
  const std::filesystem::path file = folder_ / "settings.json";
  {
    AppCore core(Settings{}, file, [] {});
    core.apply(SetLight{true});
    core.apply(SetScale{9});
    core.apply(TogglePanel{"debug"});
  }
  const Settings remembered = load_settings(file);
  EXPECT_TRUE(remembered.light);
  EXPECT_EQ(remembered.scale, 2.5f);
  EXPECT_TRUE(remembered.visible.at("debug"));
  {
    AppCore core(remembered, file, [] {});
    core.apply(ResetSettings{});
  }
  EXPECT_EQ(load_settings(file).light, Settings{}.light);
  const AppCore fresh(Settings{}, {}, [] {}), reset(load_settings(file), {}, [] {});
  for (const PanelModule* panel : fresh.panels().all())
    EXPECT_EQ(reset.panels().shows(panel->id()), panel->shown()) << panel->id();
}

TEST_F(AppCoreTest, WhatIsSetOfTracksHoldsForTheNextRunAndTheNextStartAndIsReset) {
  const std::filesystem::path file = folder_ / "settings.json";
  const auto id_of = [](const AppCore& core, std::string_view name) {
    for (const trace::Track& track : core.trace().tracks()) {
      if (track.info.name == name) return track.info.id;
    }
    return kNoTrack;
  };
  const auto begin = [&](AppCore& core) {
    core.apply(ChooseWorkload{"training_memory"});
    core.apply(ChooseDevice{"virtual:0"});
    core.apply(StartRun{});
    while (id_of(core, "Memory") == kNoTrack || id_of(core, "main") == kNoTrack) core.poll();
    core.advance_view();
  };
  {
    AppCore core(Settings{}, file, [] {});
    begin(core);
    core.apply(TimelineCommand{PinTrack{id_of(core, "Memory")}});
    core.apply(TimelineCommand{HideTrack{id_of(core, "main")}});
    core.apply(TimelineCommand{ToggleFold{id_of(core, "Frontend")}});
    begin(core);  // another run: another trace
    EXPECT_EQ(core.timeline().pinned, std::vector<TrackId>{id_of(core, "Memory")});
    EXPECT_EQ(core.timeline().hidden, std::vector<TrackId>{id_of(core, "main")});
    EXPECT_EQ(core.timeline().collapsed, std::vector<TrackId>{id_of(core, "Frontend")});
  }
  AppCore core(load_settings(file), file, [] {});
  begin(core);
  EXPECT_EQ(core.timeline().pinned, std::vector<TrackId>{id_of(core, "Memory")});
  EXPECT_EQ(core.timeline().collapsed, std::vector<TrackId>{id_of(core, "Frontend")});
  core.apply(ResetSettings{});
  core.advance_view();
  EXPECT_TRUE(core.timeline().pinned.empty() && core.timeline().hidden.empty() &&
              core.timeline().collapsed.empty());
  EXPECT_EQ(core.settings().tracks, TrackChoices{});
}

class QueryTest : public AppCoreTest {
 protected:
  QueryPanel& query() { return core_.panels().get<QueryPanel>(); }
};

TEST_F(QueryTest, AQuestionIsAnsweredWhileTheRunGoesOn) {
  if (!query().offered()) GTEST_SKIP() << "built without SQLite";
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  query().ask("SELECT id, name FROM slice LIMIT 5");
  ASSERT_TRUE(poll_until([&] { return query().answer() != nullptr; }));
  const QueryAnswer answer = *query().answer();
  EXPECT_EQ(answer.error, "");
  EXPECT_EQ(answer.columns, (std::vector<std::string>{"id", "name"}));
  ASSERT_EQ(answer.rows.size(), 5u);
  ASSERT_TRUE(answer.rows[2].slice);
  const std::optional<trace::Slice> slice = find_slice(core_.trace(), *answer.rows[2].slice);
  ASSERT_TRUE(slice);
  EXPECT_EQ(core_.trace().string(slice->name), answer.rows[2].cells[1]);
  EXPECT_EQ(answer.numeric, (std::vector<bool>{true, false}));
}

TEST_F(QueryTest, AQuestionThatNeverEndsIsCancelled) {
  if (!query().offered()) GTEST_SKIP() << "built without SQLite";
  query().ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
  EXPECT_TRUE(query().running());
  query().cancel();
  ASSERT_TRUE(poll_until([&] { return query().answer() != nullptr; }));
  EXPECT_EQ(query().answer()->error, "cancelled");
  EXPECT_FALSE(query().running());
}

TEST_F(QueryTest, AnAnswerIsKeptToSoManyRows) {
  if (!query().offered()) GTEST_SKIP() << "built without SQLite";
  query().ask(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n");
  ASSERT_TRUE(poll_until([&] { return query().answer() != nullptr; }));
  EXPECT_EQ(query().answer()->rows.size(), QueryRunner::kMostRows);
  EXPECT_TRUE(query().answer()->cut);
}

// ---- finding slices ---------------------------------------------------------------------------------------

class FindTest : public AppCoreTest {
 protected:
  FindPanel& find() { return core_.panels().get<FindPanel>(); }
  void run_to_its_end() {
    core_.apply(ChooseWorkload{"training_memory"});
    core_.apply(ChooseDevice{"virtual:0"});
    core_.apply(SetEndless{false});
    core_.apply(SetParameter{"steps", 5});
    core_.apply(StartRun{});
    ASSERT_TRUE(run_ended()) << core_.error();
    core_.apply(TogglePanel{"find"});
  }
  // As the panel asks each frame, until it is answered.
  const FindAnswer& answer_to(const FindWords& words) {
    const bool answered = poll_until([&] {
      find().view.words = words;
      return find().answer() != nullptr && find().answer()->asked == words && !find().busy();
    });
    EXPECT_TRUE(answered) << words.words;
    return *find().answer();
  }
};

TEST_F(FindTest, GivesTheStatisticsOfAllNamesUntilWordsAreTypedThenWhatTheyFind) {
  run_to_its_end();
  EXPECT_GT(answer_to({}).names.size(), 5u);
  const FindAnswer& found = answer_to({.words = "name=matmul kind=execute track=virtual"});
  EXPECT_GT(found.histogram.count, 0u);
  EXPECT_TRUE(found.names.empty());
  EXPECT_EQ(found.histogram.count, found.found.slices.size());
  ASSERT_EQ(found.steps.size(), found.found.slices.size());
  EXPECT_GE(found.steps.front(), 0);
  const analysis::FoundSlice& longest = found.found.slices.front();
  EXPECT_EQ(core_.trace().string(longest.slice.name), "matmul");
  core_.apply(TimelineCommand{ShowSlice{{longest.track, longest.depth, longest.row, false}}});
  ASSERT_TRUE(core_.timeline().selected);
  EXPECT_EQ(core_.timeline().selected->row, longest.row);
}

TEST_F(FindTest, SaysWhichWordItCannotRead) {
  run_to_its_end();
  EXPECT_NE(answer_to({.words = "dur>soon"}).error.find("'dur>soon'"), std::string::npos);
}

TEST_F(FindTest, LooksInTheMeasuredRangeWhereAsked) {
  run_to_its_end();
  const std::uint64_t all = answer_to({.words = "kind=execute"}).histogram.count;
  const TimeRange extent = core_.trace().extent();
  core_.apply(TimelineCommand{SetRange{TimeRange{extent.begin, extent.begin + extent.duration() / 2}}});
  const std::uint64_t half = answer_to({.words = "kind=execute", .in_range = true}).histogram.count;
  EXPECT_GT(half, 0u);
  EXPECT_LT(half, all);
}

TEST_F(FindTest, ForgetsWhatWasFoundInAnotherTrace) {
  run_to_its_end();
  EXPECT_GT(answer_to({.words = "matmul"}).histogram.count, 0u);
  core_.apply(StartRun{});
  EXPECT_EQ(find().answer(), nullptr);
}

TEST_F(FindTest, IsAnsweredAlsoWhereTheWishComesBackWhileItIsLookedFor) {
  run_to_its_end();
  for (int i = 0; i < 50; ++i) {
    find().view.words = {.words = "kind=execute"};
    core_.poll();
    find().view.words = {.words = i % 2 == 0 ? "matmul" : "relu"};
    core_.poll();
    core_.apply(TogglePanel{"find"});
    core_.poll();
    core_.apply(TogglePanel{"find"});
  }
  EXPECT_GT(answer_to({.words = "kind=execute"}).histogram.count, 0u);
}

TEST_F(FindTest, SharesItsPlaceWithTheQuestions) {
  core_.apply(TogglePanel{"query"});
  core_.apply(TogglePanel{"find"});
  EXPECT_TRUE(core_.model().shows("find"));
  EXPECT_FALSE(core_.model().shows("query"));
}

TEST_F(AppCoreTest, ALanguageIsSetRememberedAndReset) {
  const Language usual = core_.wanted_language();
  core_.apply(SetLanguage{Language::kJapanese});
  EXPECT_EQ(core_.wanted_language(), Language::kJapanese);
  core_.speak(core_.wanted_language(), true);
  EXPECT_EQ(language(), Language::kJapanese);
  core_.apply(ResetSettings{});
  EXPECT_EQ(core_.wanted_language(), usual);
  core_.speak(Language::kEnglish, true);
}

TEST_F(AppCoreTest, ALanguageWithoutAFontIsEnglishAndSaidOnce) {
  core_.apply(SetLanguage{Language::kChinese});
  core_.speak(core_.wanted_language(), false);
  EXPECT_EQ(language(), Language::kEnglish);
  EXPECT_NE(core_.error().find("fonts-noto-cjk"), std::string::npos);
  core_.apply(DismissError{});
  core_.speak(core_.wanted_language(), false);
  EXPECT_EQ(core_.error(), "");
}

}  // namespace
}  // namespace runahead::gui
