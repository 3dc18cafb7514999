#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

RunReport quiet_report(RunConfig config) {
  ::testing::internal::CaptureStderr();  // the workload prints losses
  RunReport report = report_of(std::move(config));
  (void)::testing::internal::GetCapturedStderr();
  return report;
}

TEST(HiddenWaits, LossesThatAreReadLateAreThoseThatAreReadAtOnce) {
  for (const std::vector<std::string>& devices :
       {std::vector<std::string>{"virtual:0"}, std::vector<std::string>{"virtual:0", "virtual:1"}}) {
    const RunReport report = quiet_report(
        {.workload = "hidden_waits", .devices = devices, .settings = tiny_settings("hidden_waits")});
    EXPECT_EQ(report.result.at("losses_equal"), 1.0) << devices.size();
  }
}

TEST(HiddenWaits, AWaitForEachBatchTakesAtLeastACopyAndItsComputation) {
  // The model of a virtual device, for 16 x 12 numbers: a copy takes 10 us and more, and each of the five
  // computations of a batch too. A batch whose loss is read at once does them one after the other.
  const RunReport report =
      quiet_report({.workload = "hidden_waits", .settings = tiny_settings("hidden_waits")});
  EXPECT_GE(report.result.at("item_s"), 60e-6);
  EXPECT_GE(report.result.at("numpy_s"), 50e-6);
  EXPECT_LE(report.result.at("loop_s"), report.result.at("batch_s"));
}

TEST(HiddenWaits, OnADeviceWithoutValuesItWaitsInsteadOfReading) {
  const RunReport report = quiet_report({.workload = "hidden_waits",
                                         .devices = {"virtual:0,preset=h100"},
                                         .settings = tiny_settings("hidden_waits")});
  EXPECT_FALSE(report.result.contains("losses_equal"));
  EXPECT_GT(report.result.at("item_s"), 0);
}

TEST(HiddenWaits, ABatchAllocatesWhatItSays) {
  const RunReport report =
      quiet_report({.workload = "hidden_waits", .settings = tiny_settings("hidden_waits")});
  // x, the code before and after relu, the result, a loss for each row, the mean loss; the result on the host
  EXPECT_EQ(report.step_bytes, 4 * (16 * 12 + 16 * 3 + 16 * 3 + 16 * 12 + 16 + 1 + 16 * 12));
  EXPECT_EQ(report.params_bytes, 4 * (2 * 12 * 3));
}

}  // namespace
}  // namespace runahead::samples
