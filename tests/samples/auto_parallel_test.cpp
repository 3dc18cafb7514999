#include <gtest/gtest.h>

#include <algorithm>

#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

using engine::EngineKind;

RunConfig on(std::vector<std::string> devices, EngineKind kind = EngineKind::kThreaded) {
  RunConfig config{
      .workload = "auto_parallel", .devices = std::move(devices), .settings = tiny_settings("auto_parallel")};
  config.engine.kind = kind;
  return config;
}

TEST(AutoParallel, RunsOnTheTwoDevicesThatAreAskedForOrOnAPartner) {
  const auto devices = [](std::vector<std::string> asked) {
    return report_of(on(std::move(asked))).result_text.at("devices");
  };
  EXPECT_EQ(devices({}), "virtual:0, virtual:1");
  EXPECT_EQ(devices({"virtual:1", "virtual:0"}), "virtual:1, virtual:0");
  EXPECT_EQ(devices({"virtual:1"}), "virtual:1, cpu");
  EXPECT_EQ(devices({"cpu"}), "cpu, virtual:0");
  EXPECT_EQ(devices({"cpu", "cpu"}), "cpu, cpu");
}

TEST(AutoParallel, BothDevicesComputeTheProductOnEitherEngine) {
  for (const EngineKind kind : {EngineKind::kNaive, EngineKind::kThreaded}) {
    const RunReport report = report_of(on({"cpu", "virtual:0"}, kind));
    EXPECT_LT(report.result.at("largest_relative_error"), 1e-5);
    // The ops:
    //   2 * 2   on each device, the op that makes the matrix x, and one product
    //   4 + 4   4 products on the first device alone, then 4 products on the second device alone
    //   2 * 4   4 products on each device, on both devices at the same time
    //   1       the copy that reads the product of the virtual device
    EXPECT_EQ(report.ops, 2 * 2 + 4 + 4 + 2 * 4 + 1);
    EXPECT_EQ(report.result.at("apart_s"), report.result.at("first_s") + report.result.at("second_s"));
    EXPECT_EQ(report.result.at("slower_s"),
              std::max(report.result.at("first_s"), report.result.at("second_s")));
    EXPECT_GT(report.result.at("together_s"), 0);
  }
}

TEST(AutoParallel, NoRunIsShorterThanTheSlowerDevicesModelSays) {
  // Each of 5 products takes 10 us + 3.355 ms with extent 256, and 10 us + 0.419 ms with extent 128.
  RunConfig config = on({});
  config.settings = {{"steps", "5"}, {"extent", "256"}, {"second_extent", "128"}};
  const RunReport report = report_of(config);
  EXPECT_GE(report.result.at("first_s"), 5 * 3.36e-3);
  EXPECT_GE(report.result.at("second_s"), 5 * 0.429e-3);
  EXPECT_GE(report.result.at("together_s"), 5 * 3.36e-3);
}

TEST(AutoParallel, ADeviceWithoutValuesIsTimedAndNotRead) {
  const RunReport report = report_of(on({"virtual:0,preset=h100", "virtual:1,preset=h100"}));
  EXPECT_EQ(report.result.count("largest_relative_error"), 0u);
  EXPECT_GT(report.result.at("together_s"), 0);
}

}  // namespace
}  // namespace runahead::samples
