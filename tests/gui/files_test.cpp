// Tests how files are opened and saved, without a window.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "gui/core/files_part.h"
#include "gui/web/page.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/ranks.h"
#include "tests/gui/app_core_fixture.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using namespace testing;  // NOLINT: for literals such as 1_ms

namespace fs = std::filesystem;

class FilesTest : public AppCoreTest {
 protected:
  static std::string begin_of(const fs::path& path, std::size_t size) {
    std::string bytes(size, '\0');
    std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(size));
    return bytes;
  }
};

TEST_F(FilesTest, ATableIsSavedUnderTheNameThatIsAskedFor) {
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

TEST_F(FilesTest, ATableThatDoesNotFitLeavesWhatWasThere) {
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

TEST_F(FilesTest, ARunIsSavedAndOpenedAsItWas) {
  start_small_run();
  ASSERT_TRUE(steps_taken(10));
  core_.apply(StopRun{});
  const std::uint64_t slices = core_.trace().counts().slices;
  core_.apply(FileChosen{FilePurpose::kSaveAs, folder_ / "run.runahead"});
  ASSERT_TRUE(poll_until([&] { return core_.idle() && !core_.notice().empty(); })) << core_.error();
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "run.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.opened.empty(); })) << core_.error();
  EXPECT_EQ(core_.trace().counts().slices, slices);
  EXPECT_FALSE(core_.timeline().follow);
  EXPECT_FALSE(core_.model().run.has_value());
  ASSERT_TRUE(poll_until([&] { return core_.idle(); }));
  EXPECT_TRUE(core_.model().figures.before_after.has_value());
}

TEST_F(FilesTest, APageIsExportedWhileTheRunGoesOn) {
  if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  const fs::path page = folder_ / "run.html";
  core_.apply(ExportPage{page, {}});
  EXPECT_TRUE(core_.model().files.job.has_value());
  ASSERT_TRUE(poll_until([&] { return core_.model().files.page.has_value(); })) << core_.error();
  EXPECT_TRUE(core_.model().live()) << "the run goes on";
  EXPECT_EQ(core_.error(), "");
  const PageFacts told = *core_.model().files.page;
  EXPECT_EQ(told.path, page.string());
  EXPECT_TRUE(told.words.starts_with("Exported " + page.string() + ": ")) << told.words;
  EXPECT_TRUE(told.words.ends_with(", exact")) << told.words;
  EXPECT_EQ(begin_of(page, 15), "<!DOCTYPE html>");
  core_.apply(DismissPage{});
  EXPECT_FALSE(core_.model().files.page.has_value());
}

TEST_F(FilesTest, APageOfARangeAndOfALimitedSizeIsSmaller) {
  if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
  run_to_its_end();
  core_.apply(ExportPage{folder_ / "whole.html", {}});
  ASSERT_TRUE(poll_until([&] { return core_.model().files.page.has_value(); })) << core_.error();
  const TimeRange all = core_.trace().extent();
  core_.timeline().range = TimeRange{all.begin, all.begin + all.duration() / 4};
  core_.apply(ExportPage{folder_ / "part.html", {.range = true}});
  ASSERT_TRUE(poll_until([&] { return core_.model().files.page.has_value(); })) << core_.error();
  EXPECT_LT(fs::file_size(folder_ / "part.html"), fs::file_size(folder_ / "whole.html"));
  core_.apply(ExportPage{folder_ / "small.html", {.most_bytes = 1000}});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.job && !core_.error().empty(); }));
  EXPECT_NE(core_.error().find("no page fits in 1000 bytes"), std::string::npos) << core_.error();
  EXPECT_FALSE(core_.model().files.page.has_value());
  EXPECT_FALSE(fs::exists(folder_ / "small.html"));
}

TEST_F(FilesTest, AnExportIsCancelledAndLeavesNoFile) {
  if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
  run_to_its_end();
  core_.apply(ExportPage{folder_ / "run.html", {}});
  core_.apply(CancelJob{});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.job.has_value(); }));
  // The work may have been complete before it was cancelled.
  EXPECT_EQ(fs::exists(folder_ / "run.html"), core_.model().files.page.has_value());
  EXPECT_EQ(core_.error(), "");
}

TEST_F(FilesTest, APageOfALessonNeedsWhatTheLessonMeasures) {
  if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
  run_to_its_end();  // a part of the lesson is not measured
  core_.apply(ExportPage{folder_ / "lesson.html", {.lesson = true}});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.job.has_value(); }));
  EXPECT_NE(core_.error(), "");
  EXPECT_FALSE(fs::exists(folder_ / "lesson.html"));
}

TEST_F(FilesTest, TheOpenTraceIsNotReplacedByItsPage) {
  run_to_its_end();
  core_.apply(FileChosen{FilePurpose::kSaveAs, folder_ / "run.runahead"});
  ASSERT_TRUE(poll_until([&] { return core_.idle() && !core_.notice().empty(); })) << core_.error();
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "run.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.opened.empty(); })) << core_.error();
  core_.apply(AskForFile{FilePurpose::kPage});
  ASSERT_TRUE(core_.dialog().has_value());
  EXPECT_EQ(core_.dialog()->name, "run.html") << "beside the trace";
  EXPECT_EQ(core_.dialog()->folder, fs::weakly_canonical(folder_.path()));
  core_.apply(ExportPage{folder_ / "run.runahead", {}});
  EXPECT_NE(core_.error(), "");
  EXPECT_FALSE(core_.model().files.job.has_value());
}

TEST_F(FilesTest, ARecordingOpensWithTheBarrierThatItEndedIn) {
  core_.apply(SetBarrier{*parse_barrier("none")});
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  core_.apply(SetBarrier{*parse_barrier("wait_to_read")});
  ASSERT_TRUE(steps_taken(core_.model().run->steps + 3));
  core_.apply(StopRun{});
  core_.apply(FileChosen{FilePurpose::kSaveAs, folder_ / "run.runahead"});
  ASSERT_TRUE(poll_until([&] { return core_.idle() && !core_.notice().empty(); })) << core_.error();
  core_.apply(SetBarrier{*parse_barrier("waitall")});
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "run.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.opened.empty(); })) << core_.error();
  EXPECT_EQ(to_string(core_.model().start.choice.barrier), "wait_to_read");
}

TEST_F(FilesTest, OnlyAFileOfAnotherToolOpensInTraceMode) {
  const auto opened_in_trace_mode = [&](TraceBuilder& builder, const char* name) {
    EXPECT_TRUE(recordings::save_recording(builder.build(), folder_ / name).ok());
    core_.apply(FileChosen{FilePurpose::kOpen, folder_ / name});
    EXPECT_TRUE(poll_until([&] { return core_.model().files.opened == folder_ / name && core_.idle(); }));
    EXPECT_EQ(core_.model().figures.summary.has_value(), core_.model().files.trace_mode);
    return core_.model().files.trace_mode;
  };
  const auto with_slice = [](TraceBuilder& builder) -> TraceBuilder& {
    return builder.track("main", trace::TrackKind::kFrontend).slice("step", 1_ms, 2_ms);
  };
  TraceBuilder foreign, without_start, without_metadata;
  EXPECT_TRUE(opened_in_trace_mode(with_slice(foreign), "foreign.runahead"));
  with_slice(without_start).metadata("workload", "training_memory");
  EXPECT_FALSE(opened_in_trace_mode(without_start, "last.runahead")) << "its first part was removed";
  with_slice(without_metadata).track("barrier", trace::TrackKind::kMarkers).instant("start: none", 0_ms);
  EXPECT_FALSE(opened_in_trace_mode(without_metadata, "marks.runahead"));
}

TEST_F(FilesTest, ARecordingThatAProgramStillWritesIsFollowedToItsEnd) {
  const std::filesystem::path path = folder_ / "live.runahead";
  auto writer = recordings::RecordingWriter::create(path, {{"host", "here"}}, {.gather_bytes = 0});
  ASSERT_TRUE(writer.ok());
  TraceBuilder builder;
  builder.track("main", trace::TrackKind::kThread).slice("work", 1_ms, 2_ms);
  trace::Batch batch = builder.batch();
  ASSERT_TRUE((*writer)->write(batch).ok());
  core_.apply(FileChosen{FilePurpose::kOpen, path});
  EXPECT_TRUE(core_.model().files.followed) << core_.error();
  EXPECT_TRUE(core_.timeline().follow) << "the view follows the newest rows";
  EXPECT_EQ(core_.model().files.opened, path);
  ASSERT_TRUE(poll_until([&] { return core_.trace().counts().slices == 1; }));
  ASSERT_TRUE(poll_until([&] { return core_.model().figures.summary.has_value(); }));
  batch.strings.clear();
  batch.tracks.clear();
  trace::Slice& next = batch.lanes.front().rows.front();
  next.begin += 2_ms;
  next.end += 2_ms;
  batch.watermark += 2_ms;
  ASSERT_TRUE((*writer)->write(batch).ok());
  ASSERT_TRUE(poll_until([&] { return core_.trace().counts().slices == 2; }));
  ASSERT_TRUE((*writer)->finish().ok());
  ASSERT_TRUE(poll_until([&] { return !core_.model().files.followed; }));
  EXPECT_EQ(core_.notice(), "live.runahead: its program has ended");
  ASSERT_TRUE(poll_until([&] { return core_.idle(); })) << "the summary is of the complete recording";
  core_.apply(FileChosen{FilePurpose::kOpen, path});
  ASSERT_TRUE(poll_until([&] { return core_.idle(); }));
  EXPECT_FALSE(core_.model().files.followed) << "now it is a finished file";
  EXPECT_EQ(core_.trace().counts().slices, 2u);
}

TEST_F(FilesTest, FilesThatWereOpenAreListedTheNewestFirstEachOnce) {
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  core_.apply(StopRun{});
  const auto saved_as = [&](const char* name) {
    core_.apply(FileChosen{FilePurpose::kSaveAs, folder_ / name});
    ASSERT_TRUE(poll_until([&] { return core_.notice().find(name) != std::string::npos; })) << core_.error();
  };
  const auto opened = [&](const std::filesystem::path& path) {
    core_.apply(FilesDropped{{path}});
    ASSERT_TRUE(poll_until([&] { return core_.model().files.opened == path; })) << core_.error();
  };
  saved_as("a.runahead");
  saved_as("b.runahead");
  opened(folder_ / "a.runahead");
  opened(folder_ / "b.runahead");
  opened(folder_ / "a.runahead");
  const std::vector<std::string> wanted{(folder_ / "a.runahead").string(), (folder_ / "b.runahead").string()};
  EXPECT_EQ(core_.settings().recent, wanted);
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "none.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.error().empty(); }));
  EXPECT_EQ(core_.settings().recent, wanted) << "a file that does not open is not listed";
  core_.apply(ForgetRecent{});
  EXPECT_TRUE(core_.settings().recent.empty());
}

TEST_F(FilesTest, SeveralFilesAreShownOnOneTimeline) {
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  core_.apply(StopRun{});
  const std::filesystem::path a = folder_ / "a.runahead", b = folder_ / "b.runahead";
  const auto save_as = [&](const std::filesystem::path& path) {
    core_.apply(FileChosen{FilePurpose::kSaveAs, path});
    const std::string name = path.filename().string();
    ASSERT_TRUE(poll_until([&] { return core_.notice().find(name) != std::string::npos; })) << core_.error();
  };
  save_as(a);
  save_as(b);
  const std::uint64_t slices = core_.trace().counts().slices;
  core_.apply(FilesDropped{{a, b}});
  ASSERT_TRUE(poll_until([&] { return core_.model().files.opened.filename() == "a.runahead and 1 more"; }))
      << core_.error();
  EXPECT_EQ(core_.trace().counts().slices, 2 * slices);
  EXPECT_EQ(trace::ranks_of(core_.trace()).size(), 2U);
  EXPECT_TRUE(core_.settings().recent.empty()) << "the joined trace has no file";
  save_as(folder_ / "both.runahead");
  core_.apply(FileChosen{FilePurpose::kOpen, a, {folder_ / "none.runahead"}});
  ASSERT_TRUE(poll_until([&] { return !core_.error().empty(); }));
  EXPECT_NE(core_.error().find("none.runahead"), std::string::npos);
}

TEST_F(FilesTest, AFileThatDoesNotOpenLeavesWhatIsOnTheScreen) {
  start_small_run();
  ASSERT_TRUE(steps_taken(3));
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "none.runahead"});
  ASSERT_TRUE(poll_until([&] { return !core_.error().empty(); }));
  EXPECT_NE(core_.error().find("none.runahead"), std::string::npos);
  EXPECT_TRUE(core_.model().live());
  core_.apply(DismissError{});
  EXPECT_EQ(core_.error(), "");
}

TEST_F(FilesTest, TheFileOfTheCommandLineThatDoesNotOpenIsAFailure) {
  GuiOptions options;
  options.files = {folder_ / "none.runahead"};
  core_.begin(options);
  ASSERT_TRUE(poll_until([&] { return core_.first_failure().has_value(); }));
}

}  // namespace
}  // namespace runahead::gui
