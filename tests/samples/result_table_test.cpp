// Tests a run's results in the form that the user reads.
#include "samples/result_table.h"

#include <gtest/gtest.h>

#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

TEST(ResultText, CarriesItsUnitAndThreeDigits) {
  EXPECT_EQ(result_text(0.01234, ResultUnit::kSeconds), "12.3 ms");
  EXPECT_EQ(result_text(2.5, ResultUnit::kMicroseconds), "2.50 \u00b5s");
  EXPECT_EQ(result_text(0.0521, ResultUnit::kNanoseconds), "0.0521 ns");
  EXPECT_EQ(result_text(240e6, ResultUnit::kBytes), "240 MB");
  EXPECT_EQ(result_text(162e12, ResultUnit::kFlopPerSecond), "162 TFLOP/s");
  EXPECT_EQ(result_text(19.9e9, ResultUnit::kFlopPerSecond), "19.9 GFLOP/s");
  EXPECT_EQ(result_text(0.233, ResultUnit::kRatio), "x0.23");
  EXPECT_EQ(result_text(0.98, ResultUnit::kShare), "98 %");
  EXPECT_EQ(result_text(1, ResultUnit::kYesOrNo), "yes");
}

RunReport small_report() {
  RunReport report;
  report.steps = 10;
  report.wall_s = 2;
  report.result = {{"naive_s", 0.001}, {"true_s", 2}, {"odd", 7}};
  report.result_text = {{"verdict", "It stopped too early."}};
  report.peak_by_category = {{"cpu", {{"inputs", 1e6}}}, {"virtual:0", {{"inputs", 2e6}}}};
  return report;
}

TEST(ShownResults, StandBesideEachOtherAndFormulasAreWorkedOut) {
  const std::vector<ResultTable> tables = {
      {.title = "Time",
       .columns = {"stopwatch", "true"},
       .rows = {{.label = "all", .figures = {"naive_s", "true_s"}},
                {.label = "a step", .figures = {"", "true_s / steps"}},
                {.label = "not measured", .figures = {"no_such_s", "no_such_s"}}},
       .sentence = "verdict"},
      {.title = "Memory", .rows = {{"inputs", {"peak_inputs_bytes"}, ResultUnit::kBytes}}}};
  const std::vector<ShownTable> shown = show_results(tables, small_report());
  ASSERT_EQ(shown.size(), 3u);
  ASSERT_EQ(shown[0].rows.size(), 2u) << "results that were not measured are left out";
  EXPECT_EQ(shown[0].rows[0].figures, (std::vector<std::string>{"1.00 ms", "2.00 s"}));
  EXPECT_EQ(shown[0].rows[1].figures, (std::vector<std::string>{"", "200 ms"}));
  EXPECT_EQ(shown[0].sentence, "It stopped too early.");
  EXPECT_EQ(shown[1].rows[0].figures, std::vector<std::string>{"3.00 MB"}) << "the sum of both devices";
  EXPECT_EQ(shown[2].rows[0].label, "odd") << "a result that is in no table comes last, by its name";
}

TEST(ShownResults, ATableOfWhichNothingWasMeasuredIsLeftOut) {
  RunReport report = small_report();
  report.result.clear();
  report.result_text.clear();
  EXPECT_TRUE(show_results({{.title = "Time", .rows = {{"all", {"naive_s"}}}}}, report).empty());
}

}  // namespace
}  // namespace runahead::samples
