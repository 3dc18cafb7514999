#include <gtest/gtest.h>

#include <filesystem>

#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

using engine::EngineKind;

RunConfig tiny(EngineKind kind, const char* device) {
  RunConfig config{.workload = "hybridize", .devices = {device}, .settings = tiny_settings("hybridize")};
  config.engine.kind = kind;
  return config;
}

TEST(Hybridize, BothWaysAndTheLoadedGraphGiveTheSameBitsOnEveryEngineAndDevice) {
  for (const EngineKind kind : {EngineKind::kNaive, EngineKind::kThreaded}) {
    for (const char* device : {"cpu", "virtual:0"}) {
      const RunReport report = report_of(tiny(kind, device));
      EXPECT_EQ(report.result.at("values_equal"), 1.0) << device;
      EXPECT_EQ(report.result.at("loaded_values_equal"), 1.0) << device;
    }
  }
}

TEST(Hybridize, CountsOpsAndBuffers) {
  const RunReport report = report_of(tiny(EngineKind::kThreaded, "cpu"));
  EXPECT_EQ(report.result.at("ops_per_pass"), 5);
  EXPECT_EQ(report.result.at("buffers_before"), 4);
  EXPECT_EQ(report.result.at("buffers_after"), 2);
  EXPECT_EQ(report.result.at("buffer_bytes_before"), 4 * 2 * (8 + 8 + 6 + 6));
  EXPECT_EQ(report.result.at("buffer_bytes_after"), 4 * 2 * (8 + 6));
  // The imperative variant of a pass has 5 ops, and the compiled variant has one op. The ops of the run:
  //   8        6 parameters, the input, the workspace
  //   6        one warm-up pass of each variant
  //   12 * 6   12 measured passes of each variant
  //   8        the graph that is loaded from a file: 6 parameters, the workspace and a pass
  EXPECT_EQ(report.ops, 8 + 6 + 12 * 6 + 8);
  EXPECT_NEAR(report.result.at("ratio"), report.result.at("imperative_s") / report.result.at("compiled_s"),
              1e-9);
  EXPECT_LE(report.result.at("compiled_enqueue_s"), report.result.at("compiled_s"));
}

TEST(Hybridize, ASlowFrontendPaysOncePerPassInsteadOfOncePerOp) {
  RunConfig config = tiny(EngineKind::kThreaded, "cpu");
  config.settings["frontend_us"] = "1000";
  const RunReport report = report_of(config);
  EXPECT_GE(report.result.at("imperative_enqueue_s"), 12 * 5 * 1e-3);
  EXPECT_GE(report.result.at("compiled_enqueue_s"), 12 * 1e-3);
}

TEST(Hybridize, TheModelledDeviceLaunchesOncePerPass) {
  // Each op is a launch, which takes 10 us. 12 imperative passes have 5 ops each, and 12 compiled passes have
  // one op each.
  const RunReport report = report_of(tiny(EngineKind::kThreaded, "virtual:0"));
  EXPECT_GE(report.result.at("imperative_s"), 12 * 5 * 10e-6);
  EXPECT_GE(report.result.at("compiled_s"), 12 * 10e-6);
}

TEST(Hybridize, ADeviceWithoutValuesIsTimedAlone) {
  const RunReport report = report_of(tiny(EngineKind::kThreaded, "virtual:0,preset=h100"));
  EXPECT_EQ(report.result.count("values_equal"), 0u);
  EXPECT_GT(report.result.at("ratio"), 0);
}

}  // namespace
}  // namespace runahead::samples
