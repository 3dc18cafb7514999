// Tests `runahead compare`: two recordings, two ranges, or the ranges before and after a change of the
// barrier.
#include <algorithm>

#include "instrumentation/recording/recording.h"
#include "tests/cli/program.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;
using runahead::testing::TraceBuilder;
using namespace runahead::testing;  // NOLINT: for literals such as 1_ms
using trace::SliceKind;
using trace::TrackKind;

class CompareTest : public ProgramTest {
 protected:
  // A trace of two seconds. The barrier changes in the middle. After the change, a wait follows every second
  // enqueue.
  std::string toggled(const std::string& name, std::uint64_t lost = 0) const {
    TraceBuilder builder;
    builder.track("barrier", TrackKind::kMarkers).instant("start: none", 0_ms);
    if (lost == 0) builder.instant("none -> item", 1000_ms);
    builder.track("main", TrackKind::kFrontend);
    for (int i = 0; i < 20; ++i) builder.slice("enqueue", 100_ms * i, 10_ms, SliceKind::kEnqueue);
    for (int i = 0; i < 5; ++i) builder.slice("item", 1020_ms + 200_ms * i, 50_ms, SliceKind::kWait);
    builder.track("cpu 0", TrackKind::kWorker).device("cpu", false);
    for (int i = 0; i < 10; ++i) builder.slice("dot", 100_ms * i, 40_ms, SliceKind::kExecute);
    for (int i = 10; i < 20; ++i) builder.slice("dot", 100_ms * i, 20_ms, SliceKind::kExecute);
    builder.slice("print", 1990_ms, 5_ms, SliceKind::kExecute).watermark(2000_ms);
    if (lost != 0) builder.loss(trace::LossCause::kBufferFull, lost);
    EXPECT_TRUE(recordings::save_recording(builder.build(), path(name)).ok());
    return path(name);
  }
};

json figure(const json& comparison, const std::string& key) {
  for (const json& row : comparison.at("figures"))
    if (row.at("figure") == key) return row;
  ADD_FAILURE() << key << " is missing in " << comparison.at("figures").dump();
  return json::object();
}

json name_of(const json& comparison, const std::string& name) {
  for (const json& row : comparison.at("names"))
    if (row.at("name") == name) return row;
  ADD_FAILURE() << name << " is missing in " << comparison.at("names").dump();
  return json::object();
}

TEST_F(CompareTest, OfTwoRecordingsHasFiguresRatiosAndNames) {
  const std::string a = recording("a.runahead"), b = recording("b.runahead");
  const json both = run_json({"compare", a, b, "--json"});
  EXPECT_EQ(both.at("a").at("file"), a);
  EXPECT_EQ(both.at("b").at("file"), b);
  EXPECT_EQ(both.at("a").at("lost"), json::object());
  EXPECT_TRUE(both.at("change").is_null());
  const json steps = figure(both, "steps_per_s");
  EXPECT_GT(steps.at("a"), 0);
  EXPECT_DOUBLE_EQ(steps.at("ratio").get<double>(),
                   steps.at("b").get<double>() / steps.at("a").get<double>());
  EXPECT_EQ(steps.at("unit"), "per_s");
  const json matmul = name_of(both, "matmul");
  EXPECT_EQ(matmul.at("a").at("count"), matmul.at("b").at("count"));
  EXPECT_FALSE(matmul.contains("only_in"));
  // `compare` gives the same figures as `stats`.
  const json stats = run_json({"stats", a, "--json"});
  for (const json& row : stats.at("rows")) {
    if (row.at("name") != "step" || row.at("kind") != "step") continue;
    EXPECT_EQ(name_of(both, "step").at("a").at("total_ns"), row.at("total_ns"));
    EXPECT_EQ(name_of(both, "step").at("a").at("p99_ns"), row.at("p99_ns"));
  }
}

TEST_F(CompareTest, OfTwoRangesOfOneRecordingTakesWhatBeginsInEach) {
  const std::string file = toggled("a.runahead");
  const json both = run_json({"compare", file, "--a", "0s..1s", "--b", "1s..2s", "--json"});
  const json dot = name_of(both, "dot");
  EXPECT_EQ(dot.at("a").at("count"), 10);
  EXPECT_EQ(dot.at("a").at("p50_ns"), 40'000'000);
  EXPECT_EQ(dot.at("b").at("p50_ns"), 20'000'000);
  EXPECT_DOUBLE_EQ(dot.at("total_ratio").get<double>(), 0.5);
  EXPECT_EQ(name_of(both, "print").at("only_in"), "b");
  EXPECT_TRUE(name_of(both, "print").at("a").is_null());
  const json blocked = figure(both, "blocked");
  EXPECT_EQ(blocked.at("a"), 0);
  EXPECT_TRUE(blocked.at("ratio").is_null());
  EXPECT_EQ(blocked.at("no_ratio"), "a_is_0");
  EXPECT_DOUBLE_EQ(figure(both, "device_busy").at("a").get<double>(), 0.4);
}

TEST_F(CompareTest, OfOneRecordingIsBeforeAndAfterTheLastChange) {
  const json both = run_json({"compare", toggled("a.runahead"), "--json"});
  EXPECT_EQ(both.at("change").at("label"), "none -> item");
  EXPECT_EQ(both.at("a").at("end_ns"), 1'000'000'000);
  EXPECT_EQ(both.at("b").at("begin_ns"), 1'070'000'000) << "from the end of the first wait on";
  const Ended text = run({"compare", path("a.runahead")});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("before and after: none -> item, at 1.000 s\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("- (A is 0)"), std::string::npos) << text.out;
}

TEST_F(CompareTest, SaysThatASideHoldsTheBacklogOfTheBarrierBeforeIt) {
  const json settled = run_json({"compare", toggled("a.runahead"), "--json"}).at("change");
  EXPECT_TRUE(settled.at("a_settled").get<bool>());
  EXPECT_TRUE(settled.at("b_settled").get<bool>());
  EXPECT_EQ(run({"compare", path("a.runahead")}).out.find("not settled"), std::string::npos);
  TraceBuilder builder;
  builder.track("barrier", TrackKind::kMarkers).instant("start: none", 0_ms).instant("none -> item", 1000_ms);
  builder.track("main", TrackKind::kFrontend)
      .slice("enqueue", 0_ms, 10_ms, SliceKind::kEnqueue)
      .slice("item", 1020_ms, 980_ms, SliceKind::kWait);
  ASSERT_TRUE(recordings::save_recording(builder.watermark(2000_ms).build(), path("draining.runahead")).ok());
  const json draining = run_json({"compare", path("draining.runahead"), "--json"}).at("change");
  EXPECT_TRUE(draining.at("a_settled").get<bool>());
  EXPECT_FALSE(draining.at("b_settled").get<bool>());
  const std::string text = run({"compare", path("draining.runahead")}).out;
  EXPECT_NE(text.find("\nB is not settled: "), std::string::npos) << text;
  EXPECT_EQ(text.find("A is not settled"), std::string::npos) << text;
  EXPECT_NE(run({"compare", path("draining.runahead"), "--csv"}).err.find("B is not settled: "),
            std::string::npos);
}

TEST_F(CompareTest, CsvHasOneValueALine) {
  const Ended ended = run({"compare", toggled("a.runahead"), "--csv"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("table,name,kind,figure,unit,a,b,ratio,no_ratio\r\n")) << ended.out;
  EXPECT_NE(ended.out.find("figures,,,blocked,share,0,"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("names,dot,execute,p50,ns,40000000,20000000,0.5,\r\n"), std::string::npos)
      << ended.out;
}

TEST_F(CompareTest, TellsWhatASideLost) {
  const std::string a = toggled("a.runahead"), b = toggled("b.runahead", 12);
  const Ended ended = run({"compare", a, b});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.err.find("b.runahead"), std::string::npos) << ended.err;
  EXPECT_EQ(ended.err.find("a.runahead"), std::string::npos) << ended.err;
  EXPECT_EQ(run_json({"compare", a, b, "--json"}).at("b").at("lost").at("buffer_full"), 12);
}

TEST_F(CompareTest, WrongWordsAreOneLine) {
  const std::string file = toggled("a.runahead");
  expect_failure(run({"compare"}), 2, "A is required");
  expect_failure(run({"compare", file, "--a", "0s..1s"}), 2, "--b is missing");
  expect_failure(run({"compare", file, "--b", "0s..1s"}), 2, "--a is missing");
  expect_failure(run({"compare", file, "--a", "1s..0s", "--b", "0s..1s"}), 2, "1s..0s");
  expect_failure(run({"compare", file, "--json", "--csv"}), 2, "--csv");
}

TEST_F(CompareTest, WhatTheFilesDoNotHoldIsOneLine) {
  const std::string file = toggled("a.runahead");
  expect_failure(run({"compare", file, path("none.runahead")}), 1, "none.runahead");
  expect_failure(run({"compare", file, "--a", "0s..1s", "--b", "5s..6s"}), 1,
                 "has nothing in the range 5.000 s .. 6.000 s");
  expect_failure(run({"compare", toggled("still.runahead", 1)}), 1, "never changes");
}

}  // namespace
}  // namespace runahead::gui::test
