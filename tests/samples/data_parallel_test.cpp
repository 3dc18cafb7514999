#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "samples/hidden_share.h"
#include "samples/late_ops.h"
#include "samples/workloads/gradient_sum.h"
#include "samples/workloads/replica.h"
#include "tests/engine/array/every_engine.h"
#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

using engine::Array;
using engine::EngineKind;
using engine::OpenEngine;

std::vector<float> read(const Array& array) {
  const Result<std::vector<float>> values = array.asnumpy();
  EXPECT_TRUE(values.ok()) << (values.ok() ? "" : values.error().message);
  return values.ok() ? *values : std::vector<float>{};
}

// ---- the sum over devices ---------------------------------------------------------------------------------

class SumOverDevices : public ::testing::TestWithParam<SumBy> {};
INSTANTIATE_TEST_SUITE_P(Either, SumOverDevices, ::testing::Values(SumBy::kRoot, SumBy::kRing),
                         [](const auto& test) { return test.param == SumBy::kRoot ? "Root" : "Ring"; });

TEST_P(SumOverDevices, GivesEveryDeviceTheSumThatDoublePrecisionGives) {
  const OpenEngine open({}, "virtual:0");
  for (const std::size_t devices : {1u, 2u, 3u, 5u}) {
    std::vector<Chunks> chunks;
    std::vector<double> exact(17, 0.0);
    for (std::size_t d = 0; d < devices; ++d) {
      // Every second set of arrays is on the virtual GPU. Therefore the sum uses links between devices.
      const engine::Context& there = d % 2 == 0 ? open.cpu : open.here;
      const std::vector<Array> arrays = {engine::normal(there, {2, 3}, {5, 10 * d}),
                                         engine::normal(there, {11}, {5, 10 * d + 1})};
      std::size_t at = 0;
      for (const Array& array : arrays) {
        for (const float value : read(array)) exact[at++] += static_cast<double>(value);
      }
      chunks.push_back(pack(arrays, chunks_for(GetParam(), static_cast<std::int64_t>(devices), 17)));
    }
    sum_over_devices(chunks, GetParam());
    std::vector<float> first;
    for (const Chunks& own : chunks) {
      std::vector<float> whole;
      for (const Array& chunk : own) {
        for (const float value : read(chunk)) whole.push_back(value);
      }
      ASSERT_EQ(whole.size(), exact.size());
      for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(whole[i], exact[i], 1e-5);
      if (first.empty()) first = whole;
      EXPECT_EQ(whole, first);  // the sum has the same bits on each device
    }
  }
}

TEST_P(SumOverDevices, FewerElementsThanDevicesAreSummedToo) {
  const OpenEngine open({});
  std::vector<Chunks> chunks;
  for (int d = 0; d < 4; ++d)
    chunks.push_back(pack({engine::ones(open.cpu, {2})}, chunks_for(GetParam(), 4, 2)));
  sum_over_devices(chunks, GetParam());
  for (const Chunks& own : chunks) EXPECT_EQ(read(own.front()), (std::vector<float>{4, 4}));
}

TEST(Pack, CutsAndUpdatesAcrossTheArraysBorders) {
  const OpenEngine open({});
  const Array a = engine::from_host(open.cpu, {3}, std::vector<float>{1, 2, 3});
  const Array b = engine::from_host(open.cpu, {4}, std::vector<float>{4, 5, 6, 7});
  const Chunks chunks = pack({a, b}, 3);
  EXPECT_EQ(read(chunks[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(read(chunks[1]), (std::vector<float>{3, 4}));
  EXPECT_EQ(read(chunks[2]), (std::vector<float>{5, 6, 7}));
  const Array p = engine::ones(open.cpu, {3}), q = engine::zeros(open.cpu, {4});
  sgd_update_from(chunks, {p, q}, 1.0f, 2);
  EXPECT_EQ(read(p), (std::vector<float>{0.5f, 0.0f, -0.5f}));
  EXPECT_EQ(read(q), (std::vector<float>{-2.0f, -2.5f, -3.0f, -3.5f}));
}

// ---- a replica --------------------------------------------------------------------------------------------

// Computes the forward and backward pass of a replica in double precision, one number after the other. The
// tests compare the result of the replica with this reference.
struct Reference {
  std::array<std::vector<double>, kReplicaLayers> weight, bias, weight_gradient, bias_gradient;
  std::vector<double> loss;

  void pass(const std::vector<double>& x, const std::array<std::size_t, kReplicaLayers + 1>& units) {
    const std::size_t rows = x.size() / units[0];
    for (std::size_t l = 0; l < kReplicaLayers; ++l) {
      weight_gradient[l].assign(weight[l].size(), 0.0);
      bias_gradient[l].assign(bias[l].size(), 0.0);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      std::array<std::vector<double>, kReplicaLayers> input, result;
      input[0].assign(x.begin() + static_cast<std::ptrdiff_t>(r * units[0]),
                      x.begin() + static_cast<std::ptrdiff_t>((r + 1) * units[0]));
      for (std::size_t l = 0; l < kReplicaLayers; ++l) {
        result[l] = bias[l];
        for (std::size_t u = 0; u < units[l + 1]; ++u) {
          for (std::size_t i = 0; i < units[l]; ++i)
            result[l][u] += weight[l][u * units[l] + i] * input[l][i];
        }
        if (l + 1 == kReplicaLayers) break;
        for (const double z : result[l]) input[l + 1].push_back(std::max(z, 0.0));
      }
      const double error = result.back().front() - 1;
      loss.push_back(error * error / 2);
      std::vector<double> g = {error};
      for (std::size_t l = kReplicaLayers; l-- > 0;) {
        std::vector<double> below(units[l], 0.0);
        for (std::size_t u = 0; u < units[l + 1]; ++u) {
          bias_gradient[l][u] += g[u];
          for (std::size_t i = 0; i < units[l]; ++i) {
            weight_gradient[l][u * units[l] + i] += g[u] * input[l][i];
            if (l > 0 && result[l - 1][i] > 0) below[i] += g[u] * weight[l][u * units[l] + i];
          }
        }
        g = below;
      }
    }
  }
};

TEST(Replica, ItsLossAndGradientsAreThoseOfDoublePrecision) {
  const auto wide = [](const Array& array) {
    const std::vector<float> values = read(array);
    return std::vector<double>(values.begin(), values.end());
  };
  const OpenEngine open({});
  const Replica replica(open.cpu, {4, 6, 5, 1}, 3);
  const Array x = engine::normal(open.cpu, {7, 4}, {3, 50}), y = engine::ones(open.cpu, {7});
  const Replica::Pass pass = replica.pass(x, y);
  Reference reference;
  for (std::size_t l = 0; l < kReplicaLayers; ++l) {
    reference.weight[l] = wide(replica.parameters(l)[0]);
    reference.bias[l] = wide(replica.parameters(l)[1]);
  }
  reference.pass(wide(x), {4, 6, 5, 1});
  const auto expect_near = [](const std::vector<double>& got, const std::vector<double>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5) << i;
  };
  expect_near(wide(pass.loss), reference.loss);
  for (std::size_t l = 0; l < kReplicaLayers; ++l) {
    SCOPED_TRACE(l);
    expect_near(wide(pass.gradients[l][0]), reference.weight_gradient[l]);
    expect_near(wide(pass.gradients[l][1]), reference.bias_gradient[l]);
  }
}

// ---- the workload -----------------------------------------------------------------------------------------

RunConfig replicas_on(std::vector<std::string> devices, Settings more = {},
                      EngineKind kind = EngineKind::kThreaded) {
  Settings settings = tiny_settings("data_parallel");
  for (const auto& [name, value] : more) settings[name] = value;
  RunConfig config{.workload = "data_parallel", .devices = std::move(devices), .settings = settings};
  config.engine.kind = kind;
  return config;
}
// The largest allowed difference between two losses, relative to the loss. A comment in data_parallel.cpp
// states this tolerance.
constexpr double kLossTolerance = 1e-4;

TEST(DataParallel, TrainsAsOneDeviceDoesHoweverTheGradientsAreSummed) {
  const RunReport alone = report_of(replicas_on({"cpu"}, {{"steps", "12"}}, EngineKind::kNaive));
  const double first = alone.result.at("first_loss"), last = alone.result.at("final_loss");
  EXPECT_LT(last, first);
  for (const std::vector<std::string>& devices : {std::vector<std::string>{"virtual:0"},
                                                  {"virtual:0", "virtual:1"},
                                                  {"cpu", "virtual:0", "virtual:1"},
                                                  {"virtual:0", "virtual:1", "virtual:2", "virtual:3"},
                                                  {"cpu", "cpu", "cpu", "cpu"}}) {
    for (const char* ring : {"0", "1"}) {
      for (const char* early : {"0", "1"}) {
        for (const EngineKind kind : {EngineKind::kNaive, EngineKind::kThreaded}) {
          const RunReport report =
              report_of(replicas_on(devices, {{"steps", "12"}, {"ring", ring}, {"early", early}}, kind));
          EXPECT_NEAR(report.result.at("first_loss"), first, kLossTolerance * first);
          EXPECT_NEAR(report.result.at("final_loss"), last, kLossTolerance * last);
          EXPECT_EQ(report.result.at("replicas_equal"), 1.0);
        }
      }
    }
  }
}

TEST(DataParallel, ABarrierInEachStepChangesNoValue) {
  const RunReport free = report_of(replicas_on({"virtual:0", "virtual:1"}));
  for (const BarrierKind kind : {BarrierKind::kWaitAll, BarrierKind::kItem}) {
    RunConfig config = replicas_on({"virtual:0", "virtual:1"});
    config.barrier = {.kind = kind};
    EXPECT_EQ(report_of(config).result.at("final_loss"), free.result.at("final_loss"));
  }
}

TEST(DataParallel, SaysTheBytesOfItsGradientsAndWhatIsSent) {
  const RunReport two = report_of(replicas_on({"virtual:0", "virtual:1"}));
  const double gradients = 4 * (8 * 6 + 6 + 6 * 5 + 5 + 5 + 1);
  EXPECT_EQ(two.result.at("gradient_bytes"), gradients);
  EXPECT_EQ(two.result.at("sent_bytes"), 2 * gradients);
  EXPECT_EQ(two.params_bytes, 2 * gradients);
  const RunReport one = report_of(replicas_on({"virtual:0"}));
  EXPECT_EQ(one.result.at("sent_bytes"), 0);
  EXPECT_EQ(one.result.count("communication_s"), 0u);
}

TEST(DataParallel, CommunicationTakesNoLessThanTheLinksModelSays) {
  // The gradients are sent in three buckets. Each bucket goes to the root device and back, and each direction
  // has a latency of 10 us.
  const RunReport root = report_of(replicas_on({"virtual:0", "virtual:1"}));
  EXPECT_GE(root.result.at("communication_s"), 6 * 10e-6);
  EXPECT_GT(root.result.at("compute_s"), 0);
  EXPECT_GT(root.result.at("step_s"), 0);
}

TEST(DataParallel, FewerRowsThanDevicesAreRefusedInOneLine) {
  const auto runner = start_run(replicas_on({"cpu", "cpu", "cpu"}, {{"batch", "2"}}));
  ASSERT_NE(runner, nullptr);
  const Result<RunReport> report = runner->wait();
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("2 rows"), std::string::npos) << report.error().message;
}

TEST(DataParallel, AStepAllocatesWhatItSays) {
  for (const std::vector<std::string>& devices :
       {std::vector<std::string>{"cpu"}, {"virtual:0", "virtual:1"}}) {
    RunConfig config = replicas_on(devices, {{"steps", "3"}, {"batch", "32"}, {"features", "64"}});
    config.barrier = {.kind = BarrierKind::kWaitAll};
    const RunReport report = report_of(config);
    // At most one step is in flight. Much memory is freed within a step, so the peak can be less than all
    // memory that a step allocates.
    EXPECT_LE(report.peak_bytes, report.params_bytes + 2 * report.step_bytes);
    EXPECT_GE(report.peak_bytes, report.params_bytes);
  }
}

// Every op takes 10 us on the devices, and the frontend is far ahead of the devices. Therefore nearly all
// memory of a run is in use at the same time. The run must have touched all this memory before it trains.
TEST(DataParallel, TrainingTouchesNoMemoryForTheFirstTime) {
  for (const std::vector<std::string>& devices : {std::vector<std::string>{"virtual:0"},
                                                  {"virtual:0", "virtual:1"},
                                                  {"virtual:0", "cpu", "virtual:1"}}) {
    for (const char* ring : {"0", "1"}) {
      for (const char* early : {"0", "1"}) {
        const RunReport report = report_of(replicas_on(devices, {{"steps", "40"},
                                                                 {"batch", "32"},
                                                                 {"features", "70"},
                                                                 {"hidden1", "60"},
                                                                 {"ring", ring},
                                                                 {"early", early}}));
        EXPECT_EQ(report.result.at("training_new_bytes"), 0)
            << devices.size() << " devices, ring " << ring << ", early " << early;
      }
    }
  }
}

TEST(DataParallel, WhatLateOpsMakeUnreliableIsSaid) {
  const RunReport report = report_of(replicas_on({"virtual:0", "virtual:1"}));
  const double shorter_s = std::min(report.result.at("compute_s"), report.result.at("communication_s"));
  const auto late_ops = static_cast<std::int64_t>(report.result.at("training_late_ops"));
  EXPECT_LE(late_ops, report.late_ops);
  EXPECT_EQ(report.result_text.count("unreliable") != 0,
            lengthened_s(late_ops, 4) > kMostOfLateOps * shorter_s ||
                report.result.at("efficiency") > kMostHiddenShare);
}

TEST(LateOps, LengthenEachStepByAMillisecondForEveryOneOfThem) {
  EXPECT_EQ(lengthened_s(0, 60), 0);
  EXPECT_DOUBLE_EQ(lengthened_s(30, 60), 0.5e-3);
}

TEST(DataParallel, ADeviceWithoutValuesIsTimedAlone) {
  const RunReport report = report_of(replicas_on({"virtual:0,preset=h100", "virtual:1,preset=h100"}));
  EXPECT_EQ(report.result.count("final_loss"), 0u);
  EXPECT_GT(report.result.at("step_s"), 0);
}

}  // namespace
}  // namespace runahead::samples
