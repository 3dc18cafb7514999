#include "gui/session/session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "gui/session/session_facts.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/record/files/file_names.h"
#include "instrumentation/recording/recording.h"
#include "tests/support/between_checks.h"

namespace runahead::gui {
namespace {

using samples::RunConfig;
using samples::RunState;

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("session_test_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const char* name) const { return folder_ / name; }

  // Few ops may be in flight: then a run touches little memory before its first step, and stops quickly.
  static constexpr std::int64_t kLimitOps = 1000;

  static RunConfig short_run(int steps = 3) {
    RunConfig config;
    config.engine.limit_ops = kLimitOps;
    config.workload = "training_memory";
    config.devices = {"virtual:0"};
    config.settings["steps"] = std::to_string(steps);
    return config;
  }
  static RunConfig endless_run() {
    RunConfig config;
    config.engine.limit_ops = kLimitOps;
    config.workload = "increment";
    config.devices = {"cpu"};
    config.endless = true;
    return config;
  }
  // Polls as the owner of a session does, until `done` is true. The ctest timeout ends an endless loop.
  template <typename Condition>
  static void poll_until(Session& session, const Condition& done) {
    while (!done()) {
      if (!session.poll()) between_checks();
    }
  }
  // Starts a run and a recording that retains only its last second. Waits until the recording has several
  // parts (files). The run still goes on after this.
  static void record_parts(Session& session, const std::filesystem::path& path) {
    ASSERT_TRUE(session.start_recording(path, {.keep_last = {.time = std::chrono::seconds(1)}}).ok());
    RunConfig config = short_run();
    config.endless = true;
    ASSERT_FALSE(session.start(config).has_value());
    poll_until(session, [&] { return record::part_files(path).size() >= 2; });
  }
  static void run_to_end(Session& session) {
    poll_until(session, [&] { return !session.live(); });
    session.settle();
  }

 private:
  std::filesystem::path folder_;
};

std::uint64_t steps_of(const trace::Trace& trace) {
  const std::optional<StringId> name = trace.find_string("step");
  std::uint64_t steps = 0;
  for (const trace::Track& track : trace.tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        steps += name && lane.slice(row).kind == trace::SliceKind::kStep;
      }
    }
  }
  return steps;
}

TEST_F(SessionTest, ARunIsInTheTraceFromItsFirstStepToItsLastAndNothingIsLost) {
  Session session;
  ASSERT_FALSE(session.start(short_run(5)).has_value());
  run_to_end(session);
  EXPECT_EQ(steps_of(session.trace()), 5u);
  EXPECT_GT(session.trace().op_count(), 0u);
  EXPECT_FALSE(session.trace().losses().facts_missing());
  EXPECT_TRUE(session.trace().open_slices().empty());
}

TEST_F(SessionTest, TheTraceKnowsWhatRan) {
  Session session;
  ASSERT_FALSE(session.start(short_run()).has_value());
  run_to_end(session);
  EXPECT_EQ(session.trace().metadata().at("workload"), "training_memory");
  EXPECT_EQ(session.trace().metadata().at("device"), "virtual:0");
  EXPECT_EQ(session.trace().metadata().at("barrier"), "none");
}

TEST_F(SessionTest, APauseIsInTheTraceAndNoPartOfItsRates) {
  Session session;
  RunConfig config = short_run();
  config.settings.erase("steps");
  config.endless = true;
  ASSERT_FALSE(session.start(config).has_value());
  const auto whole = [&] {
    const trace::Trace& trace = session.trace();
    return analysis::segment_figures(trace, {trace.extent().begin, trace.watermark()});
  };
  poll_until(session, [&] { return whole().steps > 3; });
  session.runner()->pause();
  poll_until(session, [&] { return whole().paused > std::chrono::milliseconds(30); });
  EXPECT_EQ(session.runner()->state(), RunState::kPaused);
  const double rate = whole().steps_per_s;
  poll_until(session, [&] { return whole().paused > std::chrono::milliseconds(300); });
  EXPECT_DOUBLE_EQ(whole().steps_per_s, rate) << "the time of a pause does not lower the rate";
  session.runner()->resume();
  const double steps = whole().steps;
  poll_until(session, [&] { return whole().steps > steps + 3; });
  session.runner()->stop();
  run_to_end(session);
  EXPECT_TRUE(session.trace().find_string("paused").has_value());
  EXPECT_LT(whole().paused, whole().range.duration());
}

std::vector<std::string> barrier_labels(const trace::Trace& trace) {
  std::vector<std::string> labels;
  for (const analysis::BarrierChange& change : analysis::barrier_changes(trace))
    labels.push_back(change.label);
  return labels;
}

TEST_F(SessionTest, EachChangeOfTheBarrierLeavesItsMarkerInTheTraceAndInTheRecording) {
  Session session;
  ASSERT_TRUE(session.start_recording(file("a.runahead")).ok());
  ASSERT_FALSE(session.start(endless_run()).has_value());
  const auto change_to = [&](const char* barrier, std::size_t markers) {
    session.runner()->set_barrier(*parse_barrier(barrier));
    poll_until(session, [&] { return barrier_labels(session.trace()).size() == markers; });
  };
  poll_until(session, [&] { return barrier_labels(session.trace()).size() == 1; });
  change_to("wait_to_read", 2);
  change_to("ops:5", 3);
  session.stop();
  ASSERT_TRUE(session.stop_recording().ok());
  const std::vector<std::string> wanted{"start: none", "none -> wait_to_read", "wait_to_read -> ops:5"};
  EXPECT_EQ(barrier_labels(session.trace()), wanted);
  const Result<trace::Trace> loaded = recordings::load_recording(file("a.runahead"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(barrier_labels(*loaded), wanted);
}

TEST_F(SessionTest, TheRunnerStaysAfterTheEndForItsReport) {
  Session session;
  EXPECT_EQ(session.runner(), nullptr);
  ASSERT_FALSE(session.start(short_run()).has_value());
  run_to_end(session);
  ASSERT_NE(session.runner(), nullptr);
  EXPECT_EQ(session.runner()->state(), RunState::kFinished);
  EXPECT_EQ(session.runner()->report().steps, 3);
  EXPECT_TRUE(session.collector_stats().has_value());
}

TEST_F(SessionTest, AfterTheEndNothingMoreComes) {
  Session session;
  ASSERT_FALSE(session.start(short_run()).has_value());
  run_to_end(session);
  const std::uint64_t version = session.trace().version();
  EXPECT_FALSE(session.poll());
  EXPECT_EQ(session.trace().version(), version);
}

TEST_F(SessionTest, StopEndsARunThatWouldGoOnForEverAndKeepsItsTrace) {
  Session session;
  ASSERT_FALSE(session.start(endless_run()).has_value());
  poll_until(session, [&] { return session.trace().op_count() > 100; });
  EXPECT_TRUE(session.live());
  session.stop();
  EXPECT_FALSE(session.live());
  EXPECT_GT(session.trace().op_count(), 100u);
}

TEST_F(SessionTest, WrongWordsAreUsageAndLeaveNeitherARunNorAFile) {
  Session session;
  ASSERT_TRUE(session.start_recording(file("a.runahead")).ok());
  RunConfig config = short_run();
  config.workload = "no_such_workload";
  const auto error = session.start(config);
  ASSERT_TRUE(error.has_value());
  EXPECT_TRUE(error->usage);
  EXPECT_NE(error->error.message.find("no_such_workload"), std::string::npos);
  EXPECT_FALSE(session.live());
  EXPECT_FALSE(session.recording_to_file());
  EXPECT_FALSE(std::filesystem::exists(file("a.runahead")));
}

TEST_F(SessionTest, AFileThatCannotBeWrittenRefusesTheStartAndIsNoUsageError) {
  Session session;
  ASSERT_TRUE(session.start_recording(file("missing/a.runahead")).ok());
  const auto error = session.start(short_run());
  ASSERT_TRUE(error.has_value());
  EXPECT_FALSE(error->usage);
  EXPECT_NE(error->error.message.find("missing/a.runahead"), std::string::npos);
  EXPECT_FALSE(session.live());
  EXPECT_FALSE(session.start(short_run()).has_value()) << "the next start asks for no file";
  run_to_end(session);
}

TEST_F(SessionTest, ARecordingAskedForBeforeTheStartHoldsTheWholeRun) {
  Session session;
  ASSERT_TRUE(session.start_recording(file("a.runahead")).ok());
  ASSERT_FALSE(session.start(short_run(4)).has_value());
  run_to_end(session);
  ASSERT_TRUE(session.stop_recording().ok());
  const Result<trace::Trace> loaded = recordings::load_recording(file("a.runahead"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const trace::TraceCounts live = session.trace().counts(), read = loaded->counts();
  EXPECT_EQ(read.slices, live.slices);
  EXPECT_EQ(read.ops, live.ops);
  EXPECT_EQ(read.flows, live.flows);
  EXPECT_EQ(read.counter_samples, live.counter_samples);
  EXPECT_EQ(read.tracks, live.tracks);
  EXPECT_FALSE(loaded->losses().facts_missing());
  EXPECT_EQ(loaded->metadata().at("workload"), "training_memory");
}

TEST_F(SessionTest, ARecordingBegunInTheMiddleHoldsWhatCameSince) {
  Session session;
  ASSERT_FALSE(session.start(endless_run()).has_value());
  poll_until(session, [&] { return session.trace().op_count() > 100; });
  ASSERT_TRUE(session.start_recording(file("a.runahead")).ok());
  EXPECT_TRUE(session.recording_to_file());
  EXPECT_FALSE(session.start_recording(file("b.runahead")).ok()) << "one at a time";
  // After this call, the trace has all rows from before the recording. Later ops are both in the trace and in
  // the file.
  session.settle();
  const std::uint64_t then = session.trace().op_count();
  poll_until(session, [&] { return session.trace().op_count() > then + 100; });
  ASSERT_TRUE(session.stop_recording().ok());
  EXPECT_FALSE(session.recording_to_file());
  EXPECT_TRUE(session.live()) << "the run goes on without its file";
  session.stop();
  const Result<trace::Trace> loaded = recordings::load_recording(file("a.runahead"));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_GT(loaded->counts().ops, 100u);
}

TEST_F(SessionTest, WhatIsSavedOpensAgainAsTheSame) {
  Session session;
  ASSERT_FALSE(session.start(short_run()).has_value());
  run_to_end(session);
  ASSERT_TRUE(session.save_as(file("a.runahead")).ok());
  const trace::TraceCounts saved = session.trace().counts();
  ASSERT_TRUE(session.open(file("a.runahead")).ok());
  EXPECT_EQ(session.opened_path(), file("a.runahead"));
  EXPECT_EQ(session.trace().counts().slices, saved.slices);
  EXPECT_EQ(session.trace().counts().flows, saved.flows);
  EXPECT_EQ(session.runner(), nullptr);
}

TEST_F(SessionTest, AFileThatDoesNotOpenLeavesWhatIsThere) {
  Session session;
  ASSERT_FALSE(session.start(endless_run()).has_value());
  const Status opened = session.open(file("missing.runahead"));
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("missing.runahead"), std::string::npos);
  EXPECT_TRUE(session.live());
  EXPECT_TRUE(session.opened_path().empty());
}

TEST_F(SessionTest, OneSessionCapturesAtATimeAndTheNextMayOnceItHasEnded) {
  Session first, second;
  ASSERT_FALSE(first.start(endless_run()).has_value());
  const auto error = second.start(short_run());
  ASSERT_TRUE(error.has_value());
  EXPECT_FALSE(error->usage);
  first.stop();
  EXPECT_FALSE(second.start(short_run()).has_value());
  run_to_end(second);
}

TEST_F(SessionTest, WhatTheRunMeasuredIsInItsTraceAndItsRecording) {
  Session session;
  ASSERT_TRUE(session.start_recording(file("measured.runahead")));
  RunConfig config;
  config.workload = "increment";
  config.devices = {"cpu"};
  config.settings = {{"steps", "2"}, {"iterations", "10"}};
  ASSERT_FALSE(session.start(config));
  run_to_end(session);
  ASSERT_TRUE(session.stop_recording());
  const samples::RunReport report = session.runner()->report();
  const Result<trace::Trace> recorded = recordings::load_recording(file("measured.runahead"));
  ASSERT_TRUE(recorded);
  for (const trace::Trace* trace : {&session.trace(), &*recorded}) {
    const std::optional<samples::RunReport> again = report_of(trace->metadata());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->result, report.result);
    EXPECT_EQ(again->result_text, report.result_text);
    EXPECT_EQ(again->params, report.params);
    EXPECT_EQ(again->steps, report.steps);
    EXPECT_EQ(again->wall_s, report.wall_s);
    EXPECT_EQ(again->barrier, "none");
  }
}

TEST_F(SessionTest, FactsAreInTheRecordingAlsoWhereTheyComeLateAndNotesInThoseToComeAlone) {
  Session session;
  session.set_notes({{"early", "1"}});
  ASSERT_TRUE(session.start_recording(file("first.runahead")));
  ASSERT_FALSE(session.start(endless_run()));
  session.add_fact("late", "2");
  session.add_fact("early", "3");
  session.set_notes({{"next", "4"}});
  session.stop();
  ASSERT_TRUE(session.stop_recording());
  const Result<trace::Trace> first = recordings::load_recording(file("first.runahead"));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->metadata().at("early"), "3");
  EXPECT_EQ(first->metadata().at("late"), "2");
  EXPECT_FALSE(first->metadata().contains("next"));
  EXPECT_EQ(session.trace().metadata().at("late"), "2");

  ASSERT_FALSE(session.start(short_run()));
  run_to_end(session);
  EXPECT_EQ(session.trace().metadata().at("next"), "4");
  EXPECT_FALSE(session.trace().metadata().contains("late"));
  session.set_notes({});
  ASSERT_FALSE(session.start(short_run()));
  EXPECT_FALSE(session.trace().metadata().contains("next"));
  EXPECT_FALSE(report_of(session.trace().metadata())) << "it has just begun";
}

TEST_F(SessionTest, AStartBeginsANewTrace) {
  Session session;
  ASSERT_FALSE(session.start(short_run(6)).has_value());
  run_to_end(session);
  ASSERT_FALSE(session.start(short_run(2)).has_value());
  run_to_end(session);
  EXPECT_EQ(steps_of(session.trace()), 2u);
}

TEST_F(SessionTest, TheOwnerIsWoken) {
  std::atomic<int> wakes{0};  // written on the collector's thread, read here
  Session session({.wake = [&wakes] { wakes.fetch_add(1, std::memory_order_relaxed); }});
  ASSERT_FALSE(session.start(short_run()).has_value());
  run_to_end(session);
  EXPECT_GT(wakes.load(std::memory_order_relaxed), 0);
}

TEST_F(SessionTest, ALiveViewKeepsWhatItMayAndCountsWhatItLetGo) {
  constexpr std::size_t kKeep = 4u << 20;
  Session session({.retain_bytes = kKeep});
  ASSERT_FALSE(session.start(endless_run()).has_value());
  poll_until(session, [&] { return session.trace().losses().of(trace::LossCause::kEvicted) > 0; });
  session.stop();
  EXPECT_LE(session.trace().size_bytes(), 2 * kKeep);
  // Checks only evictions, because a busy machine may also lose rows in other ways.
  trace::LossCounts let_go;
  let_go.add(trace::LossCause::kEvicted, session.trace().losses().of(trace::LossCause::kEvicted));
  EXPECT_FALSE(let_go.facts_missing()) << "rows evicted on purpose are not missing";
}

TEST_F(SessionTest, PartsAreLeftToWhoeverAsksForThemWhereTheyAreJoinedLater) {
  Session session({.join_later = true});
  record_parts(session, file("a.runahead"));
  ASSERT_TRUE(session.stop_recording().ok());
  EXPECT_FALSE(session.recording_to_file());
  EXPECT_FALSE(std::filesystem::exists(file("a.runahead")));
  const Status another = session.start_recording(file("b.runahead"));
  ASSERT_FALSE(another.ok());
  EXPECT_NE(another.error().message.find("not joined yet"), std::string::npos) << another.error().message;
  std::optional<record::EndedFile> parts = session.take_unjoined();
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->files, record::part_files(file("a.runahead")));
  EXPECT_FALSE(session.take_unjoined().has_value()) << "once";
  double last = 0;
  const Status joined = record::settle(*parts, [&last](double done) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, 1);
    last = done;
    return true;
  });
  ASSERT_TRUE(joined.ok()) << joined.error().message;
  EXPECT_GT(last, 0.9);
  EXPECT_TRUE(record::part_files(file("a.runahead")).empty());
  EXPECT_TRUE(session.start_recording(file("b.runahead")).ok());
  EXPECT_TRUE(recordings::load_recording(file("a.runahead")).ok());
}

TEST_F(SessionTest, AJoinThatIsCancelledLeavesAllParts) {
  Session session({.join_later = true});
  record_parts(session, file("a.runahead"));
  session.stop();  // the end of the run also finishes the file
  std::optional<record::EndedFile> parts = session.take_unjoined();
  ASSERT_TRUE(parts.has_value());
  const std::vector<std::filesystem::path> files = parts->files;
  int asked = 0;
  const Status joined = record::settle(*parts, [&asked](double) { return ++asked < 3; });
  ASSERT_FALSE(joined.ok());
  EXPECT_NE(joined.error().message.find("cancelled; all is in '" + files.front().string()), std::string::npos)
      << joined.error().message;
  EXPECT_EQ(record::part_files(file("a.runahead")), files);
  EXPECT_FALSE(std::filesystem::exists(file("a.runahead")));
}

TEST_F(SessionTest, PartsThatNobodyTookAreJoinedAtTheEnd) {
  {
    Session session({.join_later = true});
    record_parts(session, file("a.runahead"));
  }
  EXPECT_TRUE(record::part_files(file("a.runahead")).empty());
  EXPECT_TRUE(recordings::load_recording(file("a.runahead")).ok());
}

TEST_F(SessionTest, ClosingInTheMiddleOfARunEndsItCleanly) {
  Session session;
  ASSERT_TRUE(session.start_recording(file("a.runahead")).ok());
  ASSERT_FALSE(session.start(endless_run()).has_value());
  poll_until(session, [&] { return session.trace().op_count() > 10; });
}  // the destructor ends the run and the recording

}  // namespace
}  // namespace runahead::gui
