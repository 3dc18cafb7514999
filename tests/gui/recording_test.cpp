// Tests recording into a file, without a window.
#include "instrumentation/recording/recording.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "gui/core/recording_part.h"
#include "instrumentation/record/files/file_names.h"
#include "tests/gui/app_core_fixture.h"

namespace runahead::gui {
namespace {

class RecordingTest : public AppCoreTest {};

TEST_F(RecordingTest, ARecordingIsNamedWhenItsRunEnds) {
  const auto path = folder_ / "whole.runahead";
  core_.apply(FileChosen{FilePurpose::kRecord, path});
  start_small_run();
  ASSERT_TRUE(steps_taken(10));
  core_.apply(StopRun{});
  ASSERT_TRUE(poll_until([&] { return core_.model().recording.path.empty(); }));
  EXPECT_EQ(core_.error(), "");
  EXPECT_NE(core_.model().notice.find("whole.runahead"), std::string::npos);
}

TEST_F(RecordingTest, ARecordingKeepsTheLastSecondsThatWereAskedFor) {
  const auto path = folder_ / "last.runahead";
  core_.apply(SetRetention{{Retention::Kind::kSeconds, 1, 64}});
  core_.apply(FileChosen{FilePurpose::kRecord, path});
  EXPECT_EQ(core_.model().recording.limits, limits_of({Retention::Kind::kSeconds, 1, 64}));
  start_small_run();
  ASSERT_TRUE(
      poll_until([&] { return core_.trace().extent().duration() > std::chrono::milliseconds(2500); }));
  EXPECT_GT(core_.model().recording.bytes, 0u) << "the size of its parts";
  core_.apply(StopRecording{});
  EXPECT_TRUE(core_.model().recording.path.empty());
  core_.apply(StopRun{});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.job; }));
  EXPECT_EQ(core_.error(), "");
  EXPECT_NE(core_.model().notice.find("the last 1 s"), std::string::npos) << core_.model().notice;
  EXPECT_TRUE(record::part_files(path).empty()) << "the parts are one file";
  const Result<trace::Trace> kept = recordings::open_recording(path);
  ASSERT_TRUE(kept.ok());
  EXPECT_GT(kept->losses().of(trace::LossCause::kEvicted), 0u) << "the rows of the beginning";
  EXPECT_GE(kept->extent().duration(), std::chrono::seconds(1));
}

// Retains as little as possible, so that a recording soon has several parts (files that are joined at the
// end).
class KeptRecordingTest : public AppCoreTest {
 protected:
  void record_some() {
    core_.apply(SetRetention{{Retention::Kind::kSeconds, 1, 64}});
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
  ASSERT_TRUE(core_.model().files.job.has_value()) << "the stop does not wait for the join";
  EXPECT_EQ(core_.model().files.job->label, "Joining kept.runahead");
  EXPECT_EQ(core_.model().notice.find("kept.runahead"), std::string::npos)
      << "the file is announced only when it is complete";
  EXPECT_FALSE(core_.idle());
  EXPECT_TRUE(core_.model().live()) << "the run goes on";
  ASSERT_TRUE(joined());
  EXPECT_EQ(core_.error(), "");
  EXPECT_NE(core_.model().notice.find("kept.runahead"), std::string::npos) << core_.model().notice;
  EXPECT_TRUE(recordings::open_recording(path_).ok());
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
  EXPECT_EQ(
      core_.error(),
      "'next.runahead': not recorded: 'kept.runahead' is still being joined; wait for it, or cancel it");
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
  // The cancellation may come too late: the parts may already be joined.
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
  for (const auto& part : record::part_files(path_)) EXPECT_TRUE(recordings::open_recording(part).ok());
}

// The disk has room for the parts, but not for the joined file.
TEST_F(KeptRecordingTest, ThatDoesNotFitIsSaidAndItsPartsStay) {
  record_some();
  ASSERT_TRUE(poll_until([&] { return record::part_files(path_).size() >= 3; }));
  core_.apply(StopRun{});
  std::uintmax_t largest = 0;
  for (const auto& part : record::part_files(path_))
    largest = std::max(largest, std::filesystem::file_size(part));
  {
    // The joined file has only the last second, so it may be smaller than the largest part. Therefore the
    // limit is a quarter of that part.
    const FullDisk disk(largest / 4);
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
      core.apply(SetRetention{{Retention::Kind::kSeconds, 1, 64}});
      core.apply(FileChosen{FilePurpose::kRecord, path});
      core.apply(ChooseWorkload{"training_memory"});
      core.apply(ChooseDevice{"virtual:0"});
      core.apply(StartRun{});
      while (record::part_files(path).size() < 2) core.poll();
      // If `asks` is true, polls until the core is ready to close, as the main loop does. Otherwise stops the
      // recording and destroys the core immediately.
      while (asks && !core.ready_to_close()) core.poll();
      if (!asks) core.apply(StopRecording{});
    }
    EXPECT_TRUE(recordings::open_recording(path).ok()) << path;
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
  ASSERT_TRUE(recordings::save_recording(trace::Trace(), folder_ / "other.runahead").ok());
  record_some();
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "other.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.opened.empty() && !core_.model().files.job; }));
  EXPECT_EQ(core_.error(), "");
  EXPECT_TRUE(recordings::open_recording(path_).ok());
  EXPECT_TRUE(record::part_files(path_).empty());
}

TEST_F(RecordingTest, ARecordingThatDidNotFitIsSaidWhenItsRunEnds) {
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

TEST_F(RecordingTest, RecordingAskedForBeforeTheRunHoldsItFromTheStart) {
  core_.apply(FileChosen{FilePurpose::kRecord, folder_ / "live.runahead"});
  EXPECT_EQ(core_.model().recording.path, folder_ / "live.runahead");
  start_small_run();
  ASSERT_TRUE(steps_taken(5));
  core_.apply(StopRecording{});
  EXPECT_TRUE(core_.model().recording.path.empty());
  EXPECT_EQ(core_.error(), "");
  EXPECT_GT(std::filesystem::file_size(folder_ / "live.runahead"), 0u);
}

}  // namespace
}  // namespace runahead::gui
