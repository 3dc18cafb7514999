#include "gui/web/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "gui/answers/strip_tracker.h"
#include "gui/text/language.h"
#include "gui/timeline/timeline_commands.h"
#include "gui/web/report/report.h"
#include "gui/web/workload_counters.h"
#include "instrumentation/analysis/notes.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "samples/workload.h"
#include "tests/causes/gpu_trace.h"
#include "tests/support/scratch_folder.h"
#include "tests/timeline/golden.h"
#include "tests/timeline/sample_run.h"
#include "tests/web/page_reader.h"

namespace runahead::gui {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class PageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
  }

  [[nodiscard]] std::filesystem::path page_of(const trace::Trace& trace, const std::string& title = "run") {
    const std::filesystem::path path = folder_.path() / "page.html";
    const auto status = write_page(trace, path, {.title = title});
    EXPECT_TRUE(status) << (status ? "" : status.error().message);
    return path;
  }

  // Expects that the page shows the same scene as the window, once the trace is saved and opened. `commands`
  // are what the user does in the window, `actions` the same in the page (read_page.js). `golden`: the name
  // of the reviewed scene; empty: none.
  // `about`: the counters that the window shows for the workload of the run.
  void expect_same_scene(const trace::Trace& run, TimeRange view, SceneSize size,
                         const TimelineCommands& commands = {}, const std::string& actions = "",
                         const std::string& golden = "", const std::vector<trace::CounterRole>& about = {}) {
    ASSERT_TRUE(recordings::save_recording(run, folder_ / "run.runahead"));
    const Result<trace::Trace> opened = recordings::load_recording(folder_ / "run.runahead");
    ASSERT_TRUE(opened);
    const trace::Trace& trace = *opened;
    TimelineState state{.view = view, .follow = false};
    state.parts = analysis::parts_of_run(trace);
    state.about = about;
    StripTracker tracker;
    if (const auto& strip = tracker.update(trace)) {
      state.compared = compared_times(*strip);
      state.levels_before = levels_before(trace, *strip);
    }
    for (const TimelineCommand& command : commands) apply_timeline(command, trace, state);
    size.text = TextAdvance::average(1);
    const std::string expected = scene_text(scene_of(trace, state, size), trace);
    const std::string words = "scene " + std::to_string(static_cast<int>(size.width_px)) + " " +
                              std::to_string(static_cast<int>(size.height_px)) + " " +
                              std::to_string(ns_from(view.begin)) + " " + std::to_string(ns_from(view.end)) +
                              " " + std::to_string(static_cast<int>(language())) + actions;
    if (!golden.empty()) expect_golden(golden, expected);
    EXPECT_EQ(read_page(page_of(trace), words), expected);
  }

  ScratchFolder folder_;
};

TEST_F(PageTest, ShowsTheSceneOfTheWindow) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  for (const Language in : kLanguages) {
    set_language(in);
    expect_same_scene(sample_run(), range(0_us, 1000_us), {1000, 400, 1});
    expect_same_scene(sample_run(), range(380_us, 620_us), {480, 400, 1});
  }
  set_language(Language::kEnglish);
  expect_same_scene(dense_run(1000), range(0_us, 2000_us), {200, 100, 1});
  expect_same_scene(dense_run(200'000), range(0_us, 400'000_us), {800, 100, 1});
}

// The words of read_page.js that select a slice.
std::string select_words(TrackId track, Duration from, Duration to) {
  return " select:" + std::to_string(raw(track)) + ":" + std::to_string(from.count()) + ":" +
         std::to_string(to.count());
}

// sample_run() with what users and programs write into a trace.
trace::Trace marked_run() {
  trace::Trace trace = sample_run();
  trace.set_metadata(analysis::note_key(at(130_us)), "the first op is enqueued");
  trace.set_metadata(analysis::note_key(at(300_us)), "<b>trimmed</b> & late");
  trace.set_metadata(analysis::note_key(at(1300_us)), "after the end");
  return trace;
}

TEST_F(PageTest, FoldedGroupsAreAsInTheWindowAndAsReviewed) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  const SliceRef step{kTracks.main, 0, 0}, copy{kTracks.copy_out, 0, 0};
  expect_same_scene(sample_run(), range(0_us, 1000_us), {1000, 400, 1},
                    {SelectSlice{step}, ToggleFold{kTracks.frontend_group}, SelectSlice{copy},
                     ToggleFold{kTracks.device_group}, ClearSelection{}},
                    select_words(kTracks.main, 10_us, 690_us) + " fold" +
                        select_words(kTracks.copy_out, 400_us, 600_us) + " fold clear",
                    "viewer_folded_groups");
}

TEST_F(PageTest, AGroupThatIsUnfoldedAgainIsAsBefore) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  expect_same_scene(sample_run(), range(0_us, 1000_us), {1000, 400, 1}, {},
                    select_words(kTracks.main, 10_us, 690_us) + " fold fold clear");
}

TEST_F(PageTest, TheFlowsOfASliceAreAsInTheWindowAndAsReviewed) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  expect_same_scene(sample_run(), range(0_us, 1000_us), {1000, 400, 1},
                    {SelectSlice{{kTracks.copy_out, 0, 0}}}, select_words(kTracks.copy_out, 400_us, 600_us),
                    "viewer_flows");
  for (const Language in : kLanguages) {
    set_language(in);
    expect_same_scene(sample_run(), range(200_us, 700_us), {640, 300, 1},
                      {SelectSlice{{kTracks.compute, 0, 0}}}, select_words(kTracks.compute, 100_us, 400_us));
  }
  set_language(Language::kEnglish);
}

TEST_F(PageTest, FlowsIntoAFoldedGroupAreAsInTheWindowAndAsReviewed) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  const SliceRef copy{kTracks.copy_out, 0, 0}, wait{kTracks.main, 1, 3};
  expect_same_scene(
      sample_run(), range(0_us, 1000_us), {1000, 400, 1},
      {SelectSlice{copy}, ToggleFold{kTracks.device_group}, SelectSlice{wait}},
      select_words(kTracks.copy_out, 400_us, 600_us) + " fold" + select_words(kTracks.main, 250_us, 600_us),
      "viewer_flows_into_fold");
}

TEST_F(PageTest, TheViewerKnowsTheCountersOfEachWorkload) {
  for (const samples::WorkloadSpec* const workload : samples::list_workloads()) {
    std::vector<trace::CounterRole> shown;
    if (const auto counter = counter_of_workload(workload->name)) shown.push_back(*counter);
    EXPECT_EQ(shown, workload->counters) << workload->name;
  }
}

TEST_F(PageTest, TheCounterOfTheWorkloadIsShownAsInTheWindow) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  const auto with_bandwidth = [](const std::string& workload) {
    TraceBuilder builder;
    builder.group("virtual:0", 40).device("virtual:0").track("compute", trace::TrackKind::kStream);
    builder.slice("matmul", 10_us, 500_us, trace::SliceKind::kExecute);
    builder.counter("copy bandwidth", trace::CounterRole::kCopyBandwidth, trace::Unit::kBytesPerSecond);
    builder.sample(0_us, 0).sample(500_us, 1e9).metadata("workload", workload);
    return builder.watermark(1000_us).build();
  };
  expect_same_scene(with_bandwidth("overlap"), range(0_us, 1000_us), {600, 300, 1}, {}, "", "",
                    {trace::CounterRole::kCopyBandwidth});
  expect_same_scene(with_bandwidth("training_memory"), range(0_us, 1000_us), {600, 300, 1});
}

TEST_F(PageTest, MarkersAndNotesAreAsInTheWindowAndAsReviewed) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  expect_same_scene(marked_run(), range(0_us, 1000_us), {900, 400, 1}, {}, "", "viewer_markers_notes");
  for (const Language in : kLanguages) {
    set_language(in);
    expect_same_scene(marked_run(), range(120_us, 320_us), {700, 400, 1});
  }
  set_language(Language::kEnglish);
}

TEST_F(PageTest, LeadsFromTheReportToAWaitWithItsParts) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  // main waits from 250 to 600 us
  const std::filesystem::path ours = page_of(sample_run());
  const std::string wait = read_page(ours, "place " + std::to_string(raw(kTracks.main)) + " 250000 600000");
  EXPECT_THAT(wait, HasSubstr("Duration: 350 \u00b5s"));
  EXPECT_THAT(wait, HasSubstr("Copying: 200 \u00b5s"));
  EXPECT_EQ(read_page(ours, "place -1 250000 600000"), "nothing is selected");
  // a trace of another tool: the viewer finds what the call waited for
  const trace::Trace foreign = waiting_steps();
  std::string main;
  for (const trace::Track& track : foreign.tracks()) {
    if (track.info.name == "main") main = std::to_string(raw(track.info.id));
  }
  const std::string call = read_page(page_of(foreign), "place " + main + " 56000 92000");
  EXPECT_THAT(call, HasSubstr("cudaDeviceSynchronize\nWaited for: matmul\n"));
  EXPECT_THAT(call, HasSubstr("Evidence: inferred\nExecuting: 30.0 \u00b5s"));
}

TEST_F(PageTest, ContainsTheReport) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  EXPECT_EQ(read_page(page_of(sample_run()), "report"), page_report(sample_run()));
}

TEST_F(PageTest, IsUnpackedInTheSameWayByOldBrowsers) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  EXPECT_EQ(read_page(page_of(dense_run(50'000)), "inflate"), "equal");
}

TEST_F(PageTest, ShowsANameAsText) {
  const std::string page = bytes_of(page_of(sample_run(), "</title><script>alert('1')</script>&\"\u2028"));
  EXPECT_THAT(page, HasSubstr("&lt;/title&gt;&lt;script&gt;alert"));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
}

// The viewer tells the page facts as records. A name may contain the characters that end fields and records.
TEST_F(PageTest, ANameCannotEndARecord) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  const trace::Trace trace = runahead::testing::TraceBuilder{}
                                 .track("main", trace::TrackKind::kThread)
                                 .slice(
                                     "a\x1f\x1e"
                                     "b",
                                     Duration{0}, Duration{1000}, trace::SliceKind::kZone)
                                 .build();
  const std::string track = std::to_string(raw(trace.tracks().front().info.id));
  const std::string facts = read_page(page_of(trace), "place " + track + " 0 1000");
  EXPECT_THAT(facts, StartsWith("a  b\n"));
  std::istringstream lines(facts.substr(facts.find('\n') + 1));
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(line, HasSubstr(": ")) << facts;
}

TEST_F(PageTest, HostileNamesAreTextInTheSceneOfTheWindow) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  const std::string names[]{"</script><script>window.ran = 1</script>",
                            "<img src=x onerror='window.ran = 2'>",
                            "@RECORDING@ @SCRIPT@ @TITLE@",
                            std::string("a\0b\x1e\x1f", 5),
                            "\u2028\u2029\u202e",
                            std::string(1'000'000, 'x')};
  TraceBuilder builder;
  for (const std::string& name : names) {
    builder.group(name).track(name).slice(name, 10_us, 900_us).arg(name, name).instant(name, 20_us);
    builder.counter(name).sample(0_us, 1).sample(500_us, 2);
  }
  const trace::Trace run = builder.watermark(1000_us).build();
  expect_same_scene(run, range(0_us, 1000_us), {1000, 600, 1});
  EXPECT_THAT(bytes_of(page_of(run)), Not(HasSubstr("window.ran")));
}

TEST_F(PageTest, OpensATraceWithManyTracks) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  TraceBuilder builder;
  for (int i = 0; i < 20'000; ++i) builder.track("thread " + std::to_string(i)).slice("op", 10_us, 100_us);
  expect_same_scene(builder.watermark(1000_us).build(), range(0_us, 1000_us), {800, 300, 1});
}

TEST_F(PageTest, AsksForNothingFromANetwork) {
  const std::string page = bytes_of(page_of(sample_run()));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* const word : {"http:", "https:", "src=\"", "import("})
    EXPECT_THAT(page, Not(HasSubstr(word)));
}

TEST_F(PageTest, OfAGrowingRecordingAsksForWhatIsAddedOnlyAndStartsAnewWithAnotherFile) {
  if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  EXPECT_EQ(said_by("follow_page.js", ""),
            "nothing new: \n"
            "it grows: growth/1/2, shows abcd\n"
            "it grows again: growth/1/4, shows abcdef\n"
            "it is another file: growth/1/6, shows xy\n"
            "a block is damaged: growth/2/2, recording, shows whole\n"
            "it is repaired: growth/0/5, shows uvw\n"
            "it ends: growth/3/3, shows uvwz\n"
            "run has ended, 0 more looks\n");
}

TEST_F(PageTest, OfAGrowingRecordingHasTheBlocksThatItIsGiven) {
  const std::filesystem::path blocks = folder_ / "blocks", path = folder_ / "page.html";
  std::ofstream(blocks) << "RUNAHEAD and more";
  const PageOptions options{.title = "run",
                            .followed = FollowedRecording{.version = "1-2", .blocks = blocks, .stream = 7}};
  const auto written = write_page(sample_run(), path, options);
  ASSERT_TRUE(written) << written.error().message;
  const std::string page = bytes_of(path);
  EXPECT_EQ(written->bytes, page.size());
  EXPECT_THAT(page, HasSubstr(R"(<script id="follow" data-version="1-2" data-stream="7">)"));
  EXPECT_THAT(page, HasSubstr(R"(id="recording" data-bytes="17")"));
  EXPECT_THAT(page, HasSubstr("connect-src 'self'"));
}

TEST_F(PageTest, SaysHowLargeItIsAndThatItIsExact) {
  const auto written = write_page(sample_run(), folder_ / "page.html", {.title = "run"});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->bytes, std::filesystem::file_size(folder_ / "page.html"));
  EXPECT_EQ(written->joined_below, Duration::zero());
}

TEST_F(PageTest, ReplacesAPageButNoOtherFile) {
  const std::filesystem::path path = page_of(sample_run());
  EXPECT_TRUE(write_page(sample_run(), path, {}));
  std::ofstream(path) << "<!DOCTYPE html><p>someone's own page</p>";
  const auto status = write_page(sample_run(), path, {});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("exists and is not a page of Runahead"));
}

TEST_F(PageTest, LeavesNoFileWhenItIsCancelled) {
  const std::filesystem::path path = folder_.path() / "page.html";
  EXPECT_FALSE(write_page(dense_run(300'000), path, {}, [](double) { return false; }));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace runahead::gui
