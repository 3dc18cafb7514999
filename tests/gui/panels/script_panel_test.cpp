// Tests the figures of the lines of a script, and the rows of the script panel, without a window.
#include "gui/panels/script/script_panel.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using trace::SliceKind;
using trace::TrackKind;
using namespace runahead::testing;

constexpr TimeRange kAll{Timestamp{Duration::min()}, Timestamp{Duration::max()}};

// Line 2 enqueues twice, line 3 enqueues once and waits.
TraceBuilder two_lines() {
  TraceBuilder builder;
  builder.group("Frontend").track("main", TrackKind::kFrontend);
  builder.slice("dot", 0_ns, 10_ns, SliceKind::kEnqueue).arg("line", "train.py:2");
  builder.slice("add", 10_ns, 5_ns, SliceKind::kEnqueue).arg("line", "train.py:2");
  builder.slice("mean", 20_ns, 4_ns, SliceKind::kEnqueue).arg("line", "train.py:3");
  builder.slice("item", 30_ns, 70_ns, SliceKind::kWait).arg("line", "train.py:3");
  return builder;
}

std::vector<FileFigures> figures(const trace::Trace& trace, TimeRange range = kAll) {
  return figures_by_line(trace, range, std::atomic<bool>{false});
}
ScriptAnswer report(const trace::Trace& trace, const ScriptWanted& wanted = {}) {
  return report_script({wanted, trace.snapshot(), kAll}, std::atomic<bool>{false}).value();
}

TEST(ScriptLines, ALineHasTheTimesOfItsEnqueuesAndWaits) {
  const std::vector<FileFigures> files = figures(two_lines().build());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].file, "train.py");
  ASSERT_EQ(files[0].lines.size(), 2u);
  const LineFigures& second = files[0].lines[0];
  EXPECT_EQ(second.line, 2u);
  EXPECT_EQ(second.enqueues, 2u);
  EXPECT_EQ(second.enqueueing, 15_ns);
  EXPECT_EQ(second.waits, 0u);
  EXPECT_EQ(second.names, (std::vector<std::string>{"dot", "add"}));
  const LineFigures& third = files[0].lines[1];
  EXPECT_EQ(third.waits, 1u);
  EXPECT_EQ(third.waiting, 70_ns);
  EXPECT_EQ(worst_line(files[0].lines), 1u);
}

TEST(ScriptLines, AWaitIsTheLongestSliceEvenIfAnEnqueueIsLonger) {
  TraceBuilder builder = two_lines();
  builder.slice("slow", 200_ns, 500_ns, SliceKind::kEnqueue).arg("line", "train.py:3");
  const trace::Trace trace = builder.build();
  const std::vector<FileFigures> files = figures(trace);
  const std::optional<SliceRef>& longest = files[0].lines[1].longest;
  ASSERT_TRUE(longest);
  EXPECT_EQ(trace.track(longest->track).lanes[longest->depth].slice(longest->row).kind, SliceKind::kWait);
}

TEST(ScriptLines, TheTimeOfAnEnqueueIsWithoutTheWaitInside) {
  TraceBuilder builder;
  builder.group("Frontend").track("main", TrackKind::kFrontend);
  builder.slice("dot", 0_ns, 100_ns, SliceKind::kEnqueue).arg("line", "train.py:2");
  builder.slice("limit", 10_ns, 80_ns, SliceKind::kWait).arg("line", "train.py:2");
  const std::vector<FileFigures> files = figures(builder.build());
  EXPECT_EQ(files[0].lines[0].enqueueing, 20_ns);
  EXPECT_EQ(files[0].lines[0].waiting, 80_ns);
}

TEST(ScriptLines, AWaitThatHasNotEndedCountsUpToNow) {
  TraceBuilder builder = two_lines();
  builder.open_slice("item", 200_ns, SliceKind::kWait).arg("line", "train.py:9").watermark(1000_ns);
  const std::vector<FileFigures> files = figures(builder.build());
  ASSERT_EQ(files[0].lines.size(), 3u);
  EXPECT_EQ(files[0].lines[2].waiting, 800_ns);
  EXPECT_FALSE(files[0].lines[2].longest);
}

TEST(ScriptLines, OnlySlicesThatBeginInTheRangeCount) {
  const trace::Trace trace = two_lines().build();
  const std::vector<FileFigures> files = figures(trace, {Timestamp{Duration{5}}, Timestamp{Duration{30}}});
  ASSERT_EQ(files[0].lines.size(), 2u);
  EXPECT_EQ(files[0].lines[0].enqueues, 1u);
  EXPECT_EQ(files[0].lines[1].waits, 0u);
}

TEST(ScriptLines, OtherSlicesAndOtherArgumentsNameNoLine) {
  TraceBuilder builder;
  builder.track("main", TrackKind::kFrontend);
  builder.slice("zone", 0_ns, 10_ns).arg("line", "a.py:1");
  builder.slice("dot", 10_ns, 10_ns, SliceKind::kEnqueue).arg("line", "no number");
  builder.slice("dot", 20_ns, 10_ns, SliceKind::kEnqueue).arg("line", std::int64_t{7});
  builder.slice("dot", 30_ns, 10_ns, SliceKind::kEnqueue).arg("file", "a.py:1");
  EXPECT_TRUE(figures(builder.build()).empty());
  EXPECT_TRUE(report(builder.build()).files.empty());
}

TEST(ScriptLines, TheFileWithMoreLinesComesFirstAndAnotherCanBeChosen) {
  TraceBuilder builder = two_lines();
  builder.slice("dot", 300_ns, 10_ns, SliceKind::kEnqueue).arg("line", "a_module.py:1");
  const trace::Trace trace = builder.build();
  EXPECT_EQ(report(trace).files, (std::vector<std::string>{"train.py", "a_module.py"}));
  EXPECT_EQ(report(trace).file, "train.py");
  EXPECT_EQ(report(trace, {.file = "a_module.py"}).file, "a_module.py");
  EXPECT_EQ(report(trace, {.file = "none.py"}).file, "train.py");
}

TEST(ScriptLines, TheTextIsReadFromTheFolderOfTheScript) {
  const ScratchFolder folder;
  const std::filesystem::path script = folder.path() / "train.py";
  std::ofstream(script) << "import mxnet\r\n\tx = 1\ny = 2  # \x1b[31m";
  TraceBuilder builder = two_lines();
  builder.metadata("process.script", script.string());
  const trace::Trace trace = builder.build();
  const ScriptAnswer answer = report(trace);
  ASSERT_TRUE(answer.source);
  EXPECT_EQ(*answer.source, (std::vector<std::string>{"import mxnet", "    x = 1", "y = 2  # \\x1b[31m"}));
  const std::vector<ScriptRow> rows = script_rows(answer, ScriptColumn::kLine, false);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].figures, nullptr);
  EXPECT_EQ(rows[1].figures, &answer.lines[0]);
  EXPECT_EQ(script_cells(answer, rows)[3][2], "70");
}

TEST(ScriptLines, WithoutTheTextOnlyLinesWithFiguresAreListed) {
  const ScriptAnswer answer = report(two_lines().build());
  EXPECT_FALSE(answer.source);
  EXPECT_EQ(script_rows(answer, ScriptColumn::kLine, false).size(), 2u);
  EXPECT_EQ(text_of(answer, 2), "");
  EXPECT_EQ(script_rows(answer, ScriptColumn::kWaiting, true)[0].line, 3u);
  EXPECT_EQ(script_rows(answer, ScriptColumn::kCount, true)[0].line, 2u);
}

TEST(ScriptLines, TheTooltipNamesTheOps) {
  const ScriptAnswer answer = report(two_lines().build());
  EXPECT_EQ(line_words(answer.lines.at(0)), "Line 2: 2 enqueues, 15 ns\ndot, add");
  EXPECT_EQ(line_words(answer.lines.at(1)), "Line 3: 1 enqueues, 4 ns\n1 waits, 70 ns\nmean, item");
}

}  // namespace
}  // namespace runahead::gui
