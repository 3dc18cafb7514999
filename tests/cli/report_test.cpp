#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "gui/cli/output.h"
#include "gui/cli/run_report.h"

namespace runahead::gui {
namespace {

FinishedRun run_of(double wall_s, std::int64_t ops) {
  FinishedRun run;
  run.report.workload = "w";
  run.report.wall_s = wall_s;
  run.report.ops = ops;
  run.report.result["x_us"] = wall_s * 2;
  return run;
}

TEST(RunReport, TheMedianOfThreeIsTheMiddleOfEachFieldByItself) {
  const FinishedRun whole = median_run({run_of(3, 1), run_of(1, 3), run_of(2, 2)});
  EXPECT_EQ(whole.report.wall_s, 2);
  EXPECT_EQ(whole.report.ops, 2);
  EXPECT_EQ(whole.report.result.at("x_us"), 4);
}

TEST(RunReport, TheMedianOfAnEvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median_run({run_of(1, 1), run_of(9, 9), run_of(2, 2), run_of(3, 3)}).report.wall_s, 2.5);
}

TEST(RunReport, LossesOfSeveralRunsAddUp) {
  FinishedRun a = run_of(1, 1), b = run_of(1, 1);
  a.lost.add(trace::LossCause::kBufferFull, 2);
  b.lost.add(trace::LossCause::kBufferFull, 3);
  EXPECT_EQ(median_run({a, b}).lost.of(trace::LossCause::kBufferFull), 5u);
}

TEST(RunReport, TheMedianOfWaitsIsPartByPartAndSiteBySite) {
  const auto run_with = [](const char* site, std::int64_t executing_ns) {
    FinishedRun run = run_of(1, 1);
    run.waits.count = 1;
    run.waits.split.of(analysis::WaitPart::kExecuting) = Duration{executing_ns};
    run.waits.by_site.push_back({.name = site, .count = 1, .split = run.waits.split});
    return run;
  };
  const FinishedRun whole = median_run({run_with("item", 10), run_with("item", 30), run_with("print", 20)});
  EXPECT_EQ(whole.waits.split.total(), Duration{20});
  ASSERT_EQ(whole.waits.by_site.size(), 2u);
  EXPECT_EQ(whole.waits.by_site[0].name, "item");
  EXPECT_EQ(whole.waits.by_site[0].split.total(), Duration{10});
  EXPECT_EQ(whole.waits.by_site[1].split.total(), Duration{0});
}

TEST(RunReport, AFigureThatIsNoNumberIsNullInJson) {
  FinishedRun run = run_of(std::numeric_limits<double>::quiet_NaN(), 1);
  EXPECT_TRUE(report_json(run).at("wall_s").is_null());
}

TEST(RunReport, LossesAreSaidByCauseWithTheirSentence) {
  FinishedRun run = run_of(1, 1);
  run.lost.add(trace::LossCause::kBufferFull, 7);
  EXPECT_EQ(report_json(run).at("lost").at("buffer_full"), 7);
  const std::string text = report_text(run, 1);
  EXPECT_NE(text.find("lost: 7 buffer_full: "), std::string::npos) << text;
}

TEST(Output, ColumnsAreAlignedByWhatIsSeenAndNotByBytes) {
  EXPECT_EQ(aligned({{"\u00e9", "1"}, {"ab", "10"}}), "\u00e9    1\nab  10\n");
}

}  // namespace
}  // namespace runahead::gui
