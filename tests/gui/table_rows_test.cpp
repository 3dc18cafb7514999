// Tests the tables of the panels in the form in which they are exported.
#include "gui/model/table_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "gui/panels/compare/compare_rows.h"
#include "gui/panels/details/cause_finder.h"
#include "gui/panels/waits/waits_panel.h"
#include "tests/causes/gpu_trace.h"
#include "tests/support/literals.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;  // NOLINT: for literals such as 1_ms
using analysis::duration_histogram;
using analysis::Ratio;
using Row = std::vector<std::string>;

// Every row has as many cells as the header.
void expect_even(const TableRows& rows) {
  ASSERT_FALSE(rows.empty());
  for (const Row& row : rows) EXPECT_EQ(row.size(), rows.front().size());
}

TEST(TableRows, AreSeparatedByTabsAndLineEndsAlone) {
  EXPECT_EQ(tab_separated({{"name", "bytes"}, {"two\nlines\tand a tab", "64"}}),
            "name\tbytes\ntwo lines and a tab\t64\n");
}

TEST(TableRows, HaveFiguresThatAreNotRounded) {
  EXPECT_EQ(ns_cell(1'234'567'891_ns), "1234567891");
  EXPECT_EQ(ns_header(Text::kTotal), "Total (ns)");
  EXPECT_EQ(value_cell(0.714285), "0.714285");
  EXPECT_EQ(value_cell(68'719'476'736), "68719476736");
}

TEST(FigureRows, NameTheUnitAndLeaveOutWhatThereIsNot) {
  const std::vector<analysis::FigurePair> figures{{analysis::FigureKind::kPeakMemory,
                                                   "",
                                                   false,
                                                   trace::Unit::kBytes,
                                                   1000.0,
                                                   250.0,
                                                   {Ratio::State::kKnown, 0.25}},
                                                  {analysis::FigureKind::kCopyRate,
                                                   "",
                                                   false,
                                                   trace::Unit::kBytesPerSecond,
                                                   5.0,
                                                   std::nullopt,
                                                   {Ratio::State::kNotInB}}};
  const TableRows rows = figure_rows(figures);
  expect_even(rows);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[1][0].ends_with(" (B)")) << rows[1][0];
  EXPECT_EQ(Row(rows[1].begin() + 1, rows[1].end()), (Row{"1000", "250", "0.25"}));
  EXPECT_EQ(Row(rows[2].begin() + 1, rows[2].end()), (Row{"5", "", ""}));
}

TEST(NameRows, HaveAllColumnsInTheOrderOfTheScreen) {
  std::vector<analysis::NamePair> names;
  names.push_back({"matmul", trace::SliceKind::kExecute, duration_histogram({10_us, 30_us}),
                   duration_histogram({20_us}), 0, 0});
  names.push_back({"only a", trace::SliceKind::kWait, duration_histogram({3_us}), {}, 0, 0});
  const std::size_t listed[]{1, 0};
  const TableRows rows = name_rows(names, listed);
  expect_even(rows);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1], (Row{"only a", "wait", "-3000", "3000", "", "", "3000", "", "", "1", "0", "3000", ""}));
  EXPECT_EQ(rows[2], (Row{"matmul", "execute", "-20000", "40000", "20000", "0.5", "10000", "20000", "2", "2",
                          "1", "30000", "20000"}));
}

TEST(RangeRows, HaveAllFiguresOfTheRange) {
  analysis::SegmentFigures figures;
  figures.range = range(0_ms, 500_ms);
  figures.steps = 20;
  figures.copied_bytes = 1000;
  const TableRows rows = range_rows(figures);
  expect_even(rows);
  const auto holds = [&](const Row& row) { return std::find(rows.begin(), rows.end(), row) != rows.end(); };
  EXPECT_TRUE(holds({"Duration (ns)", "500000000"}));
  EXPECT_TRUE(holds({std::string(text(Text::kCopyRate)) + " (B/s)", "2000"}));
}

TEST(StatisticsRows, AreThoseThatAreListed) {
  std::vector<analysis::NameStatistics> names(2);
  names[0].name = "dot";
  names[1].name = "relu";
  names[1].total = 7_us;
  const std::size_t listed[]{1};
  const TableRows rows = statistics_rows(names, listed);
  expect_even(rows);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][0], "relu");
  EXPECT_EQ(rows[1][3], "7000");
}

TEST(WaitRows, LeaveOutThePartsOfAWaitThatAreNotKnown) {
  WaitsAnswer answer;
  answer.groups = {{.wait = "cudaDeviceSynchronize"}, {.wait = "wait_to_read"}};
  answer.groups[0].split.of(analysis::WaitPart::kOther) = 9_us;
  answer.groups[1].split.of(analysis::WaitPart::kOther) = 1_us;
  answer.groups[1].split.of(analysis::WaitPart::kWakeUp) = 2_us;
  const TableRows rows = waits_rows(answer, {0, 1});
  expect_even(rows);
  EXPECT_EQ(rows[1][4], "9000");
  EXPECT_EQ(rows[1][6], "") << "0 would say that nothing of it was the wake-up";
  EXPECT_EQ(rows[2][6], "2000");
}

TEST(WaitRows, OfATraceOfAnotherToolSayWhatTheCallsWaitedForAndThatThisWasInferred) {
  TraceBuilder builder = two_streams();
  launch(builder, "gemm", 0_us, "stream 7", 10_us, 90_us);
  builder.on("main")
      .slice("aten::item", 20_us, 90_us)
      .slice("cudaStreamSynchronize", 25_us, 80_us, trace::SliceKind::kWait);
  const std::atomic<bool> cancelled{false};
  const auto answer = make_wait_reporter()({{}, builder.build(), range(0_us, 50_us)}, cancelled);
  ASSERT_TRUE(answer);
  const TableRows rows = waits_rows(*answer, {0});
  expect_even(rows);
  EXPECT_EQ(rows[1], (Row{"cudaStreamSynchronize (aten::item)", "inferred: gemm", "Executing", "1", "25000",
                          "25000", "0", "25000"}))
      << "only the part within the range counts";
  EXPECT_EQ(answer->groups[0].worst.slice.end, at(105_us));
}

TEST(WaitRows, OfACallAfterAllWorkSayThatItHadFinishedAndOthersThatItIsNotKnown) {
  TraceBuilder builder = two_streams();
  launch(builder, "gemm", 0_us, "stream 7", 10_us, 20_us);
  builder.on("main").slice("cudaDeviceSynchronize", 40_us, 3_us, trace::SliceKind::kWait);
  const std::atomic<bool> cancelled{false};
  const auto finished = make_wait_reporter()({{}, builder.build(), range(0_us, 50_us)}, cancelled);
  ASSERT_TRUE(finished);
  EXPECT_EQ(waits_rows(*finished, {0})[1], (Row{"cudaDeviceSynchronize", "nothing (finished)",
                                                "Already finished", "1", "3000", "0", "3000", "3000"}));
  builder = two_streams();
  builder.on("main").slice("cudaDeviceSynchronize", 40_us, 3_us, trace::SliceKind::kWait);
  const auto unknown = make_wait_reporter()({{}, builder.build(), range(0_us, 50_us)}, cancelled);
  ASSERT_TRUE(unknown);
  EXPECT_EQ(waits_rows(*unknown, {0})[1],
            (Row{"cudaDeviceSynchronize", "Not known", "Not known", "1", "3000", "", "", "3000"}));
}

TEST(WaitCause, OfTheSelectedCallLeadsToTheKernel) {
  TraceBuilder builder = two_streams();
  launch(builder, "gemm", 0_us, "stream 7", 10_us, 90_us);
  builder.on("main")
      .slice("aten::item", 20_us, 90_us)
      .slice("cudaStreamSynchronize", 25_us, 80_us, trace::SliceKind::kWait);
  const trace::Trace trace = builder.build();
  const CauseReporter::Work find = make_cause_finder();
  const std::atomic<bool> cancelled{false};
  const SliceRef wait{builder.track_id("main"), 1, 0, false}, op{builder.track_id("main"), 0, 1, false};
  const auto cause = find({wait, trace.snapshot(), {}}, cancelled);
  ASSERT_TRUE(cause && cause->waited);
  EXPECT_EQ(cause->asked, wait);
  EXPECT_EQ(cause->place, "aten::item");
  EXPECT_TRUE(cause->inferred);
  EXPECT_EQ(cause->work, (SliceRef{builder.track_id("stream 7"), 0, 0, false}));
  EXPECT_EQ(cause->split.of(analysis::WaitPart::kExecuting), 75_us);
  const auto none = find({op, trace.snapshot(), {}}, cancelled);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->waited) << "an operator does not wait by itself";
}

TEST(AreaRows, HaveAllNamesAndCountersAndLeaveUnknownFiguresEmpty) {
  const trace::Trace trace = TraceBuilder{}
                                 .counter("live", trace::CounterRole::kLiveBytes, trace::Unit::kBytes)
                                 .counter("late")
                                 .build();
  analysis::AreaStatistics area;
  area.names = {{.name = "dot",
                 .kind = trace::SliceKind::kExecute,
                 .count = 2,
                 .total = 6_us,
                 .mean = 3_us,
                 .share = 0.25}};
  area.counters = {{.counter = TrackId{0}, .values = analysis::AreaCounter::Values{1, 9, 2.5}},
                   {.counter = TrackId{1}}};
  const TableRows names = area_name_rows(area), counters = area_counter_rows(trace, area);
  expect_even(names);
  expect_even(counters);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[1], (Row{"dot", "execute", "2", "6000", "3000", "0.25"}));
  ASSERT_EQ(counters.size(), 3u);
  EXPECT_EQ(counters[1], (Row{"live", "bytes", "1", "2.5", "9"}));
  EXPECT_EQ(counters[2], (Row{"late", "", "", "", ""}));
}

TEST(WaitRows, NameTheWaitsOfTheEngineInTheLanguageOfTheWindow) {
  WaitsAnswer answer;
  answer.groups = {{.wait = "held by the limit"}, {.wait = "held by ops:64"}, {.wait = "wait_to_read"}};
  answer.groups.front().worst.slice.flags = trace::kSliceHeldByLimit;
  const auto names = [&](Language language) {
    set_language(language);
    const TableRows rows = waits_rows(answer, {0, 1, 2});
    set_language(Language::kEnglish);
    expect_even(rows);
    Row out;
    for (std::size_t i = 1; i < rows.size(); ++i) out.push_back(rows[i].front());
    return out;
  };
  EXPECT_EQ(names(Language::kEnglish), (Row{"held by the limit", "held by ops:64", "wait_to_read"}));
  EXPECT_EQ(names(Language::kChinese), (Row{"被上限拦住", "被 ops:64 拦住", "wait_to_read"}));
  EXPECT_EQ(names(Language::kJapanese), (Row{"上限で停止", "ops:64 で停止", "wait_to_read"}));
}

}  // namespace
}  // namespace runahead::gui
