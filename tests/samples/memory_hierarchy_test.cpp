#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <numeric>
#include <set>
#include <string_view>

#include "samples/line_fit.h"
#include "samples/workloads/memory_patterns.h"
#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

TEST(LineFit, FindsTheLineThatThePointsLieOn) {
  std::vector<Measured> points;
  for (const double bytes : {4096.0, 65536.0, 1048576.0, 4194304.0})
    points.push_back({bytes, 10e-6 + bytes / 1e9});
  const Line line = fit_line(points);
  EXPECT_NEAR(line.intercept, 10e-6, 1e-12);
  EXPECT_NEAR(line.slope, 1e-9, 1e-15);
}

TEST(LineFit, ALargeCopysNoiseDoesNotDrownTheLatency) {
  // The largest copy is measured one per cent too long. This error is four times the latency of 10 us. The
  // fit must find the latency nevertheless.
  const std::vector<Measured> points = {{4096, 10e-6 + 4096e-9},
                                        {65536, 10e-6 + 65536e-9},
                                        {1048576, 10e-6 + 1048576e-9},
                                        {4194304, (10e-6 + 4194304e-9) * 1.01}};
  EXPECT_NEAR(fit_line(points).intercept, 10e-6, 0.3e-6);
}

std::vector<float> numbered(std::size_t words) {
  std::vector<float> block(words);
  std::iota(block.begin(), block.end(), 1.0f);
  return block;
}

TEST(MemoryPatterns, AReadInOrderReadsEveryWord) {
  std::vector<float> block = numbered(1024);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < block.size(); i += 2) {
    std::uint64_t word = 0;
    std::memcpy(&word, &block[i], sizeof word);
    expected += word;
  }
  EXPECT_EQ(read_in_order(block), expected);
  block[777] += 1;
  EXPECT_NE(read_in_order(block), expected);
}

TEST(MemoryPatterns, AStrideReadsEachWordThatItComesTo) {
  const std::vector<float> block = numbered(100);
  std::uint64_t expected = 0;
  for (const std::size_t i : {0u, 30u, 60u, 90u}) expected += std::bit_cast<std::uint32_t>(block[i]);
  EXPECT_EQ(read_strided(block, 30), expected);
}

TEST(MemoryPatterns, TheChainVisitsEveryLineOnceAndComesBack) {
  for (const std::int64_t lines : {1, 2, 257}) {
    std::vector<float> block(static_cast<std::size_t>(lines * kLineWords), -1.0f);
    write_chain(block, 7);
    std::set<std::int64_t> visited;
    std::int64_t line = 0;
    for (std::int64_t i = 0; i < lines; ++i) {
      line = follow_chain(block, line, 1);
      EXPECT_TRUE(visited.insert(line).second);
    }
    EXPECT_EQ(line, 0);
    EXPECT_EQ(follow_chain(block, 0, lines), 0);
    EXPECT_EQ(static_cast<std::int64_t>(visited.size()), lines);
  }
}

TEST(MemoryPatterns, AnotherSeedIsAnotherChain) {
  std::vector<float> a(64 * kLineWords), b = a;
  write_chain(a, 1);
  write_chain(b, 2);
  EXPECT_NE(a, b);
}

TEST(MemoryPatterns, BothThreadsCountAndTheTimeIsTheirs) {
  for (const bool one_line : {false, true}) EXPECT_GT(count_on_two_threads(one_line, 1000), 0.0);
}

RunConfig tiny(const char* device) {
  return {.workload = "memory_hierarchy", .devices = {device}, .settings = tiny_settings("memory_hierarchy")};
}

TEST(MemoryHierarchy, MeasuresEveryPatternOnEitherEngineAndDevice) {
  for (const engine::EngineKind kind : {engine::EngineKind::kNaive, engine::EngineKind::kThreaded}) {
    for (const char* device : {"cpu", "virtual:0"}) {
      RunConfig config = tiny(device);
      config.engine.kind = kind;
      const RunReport report = report_of(config);
      for (const char* name :
           {"run_ns_per_byte", "random_ns_per_byte", "random_over_run", "stride_4_ns_per_byte",
            "stride_16_ns_per_byte", "stride_64_ns_per_byte", "stride_256_ns_per_byte",
            "stride_1024_ns_per_byte", "one_line_ns", "two_lines_ns", "sharing_ratio",
            "copy_large_ns_per_byte", "copy_small_ns_per_byte", "latency_us"}) {
        ASSERT_TRUE(report.result.count(name)) << name;
        if (std::string_view(name) == "latency_us") continue;  // on a busy machine the fit may give any value
        EXPECT_GT(report.result.at(name), 0) << name;
      }
      EXPECT_EQ(report.result.count("model_latency_us"), std::string_view(device) == "cpu" ? 0u : 1u);
    }
  }
}

TEST(MemoryHierarchy, CopiesTakeNoLessThanTheModelSays) {
  const RunReport report = report_of(tiny("virtual:0"));
  EXPECT_EQ(report.result.at("model_latency_us"), 10);
  EXPECT_EQ(report.result.at("model_bytes_per_s"), 1e9);
  // A copy takes 10 us plus a nanosecond per byte: 64 KiB in one copy, or 64 bytes in each of 1000 copies.
  EXPECT_GE(report.result.at("copy_large_ns_per_byte"), 1.0 + 10e3 / 65536);
  EXPECT_GE(report.result.at("copy_small_ns_per_byte"), 1.0 + 10e3 / 64);
}

TEST(MemoryHierarchy, PageableMemoryHasTheModelsLowerBandwidth) {
  RunConfig config = tiny("virtual:0");
  config.settings["pageable"] = "1";
  const RunReport report = report_of(config);
  EXPECT_EQ(report.result.at("model_bytes_per_s"), 0.5e9);
  EXPECT_GE(report.result.at("copy_large_ns_per_byte"), 2.0 + 10e3 / 65536);
}

TEST(MemoryHierarchy, StepsThatDoNotReachAPatternLeaveItOut) {
  RunConfig config = tiny("cpu");
  config.settings["steps"] = "3";
  const RunReport report = report_of(config);
  EXPECT_EQ(report.result.count("random_ns_per_byte"), 1u);
  EXPECT_EQ(report.result.count("copy_large_ns_per_byte"), 0u);
  EXPECT_EQ(report.result.count("sharing_ratio"), 0u);
}

TEST(MemoryHierarchy, ADeviceWithoutValuesIsCopiedToAtItsOwnModelsTimes) {
  RunConfig config = tiny("virtual:0,preset=h100");
  const RunReport report = report_of(config);
  EXPECT_EQ(report.result.at("model_bytes_per_s"), 55e9);
}

}  // namespace
}  // namespace runahead::samples
