// Tests that every workload runs to its end on every suitable engine and device, under every barrier.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/device/device_registry.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

using engine::EngineKind;

struct Case {
  std::string workload;
  EngineKind kind;
  std::string device;
};
void PrintTo(const Case& of, std::ostream* out) { *out << of.workload << " on " << of.device; }
std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const WorkloadSpec* spec : list_workloads()) {
    for (const EngineKind kind : {EngineKind::kNaive, EngineKind::kThreaded}) {
      if (!spec->needs_accelerator) cases.push_back({spec->name, kind, "cpu"});
      cases.push_back({spec->name, kind, "virtual:0"});
      cases.push_back({spec->name, kind, "cuda:0"});
      if (engine::check_device("opencl:0").ok()) cases.push_back({spec->name, kind, "opencl:0"});
    }
  }
  return cases;
}
std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  return info.param.workload + (info.param.kind == EngineKind::kNaive ? "_naive_" : "_threaded_") +
         info.param.device.substr(0, info.param.device.find(':'));
}

class EveryWorkload : public ::testing::TestWithParam<Case> {
 protected:
  EveryWorkload() { host_cuda::use_host_cuda(); }
  [[nodiscard]] static RunConfig config(const std::string& barrier) {
    RunConfig config{.workload = GetParam().workload,
                     .devices = {GetParam().device},
                     .settings = tiny_settings(GetParam().workload)};
    config.engine.kind = GetParam().kind;
    const Result<BarrierPolicy> policy = parse_barrier(barrier);
    EXPECT_TRUE(policy.ok());
    if (policy.ok()) config.barrier = *policy;
    return config;
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, EveryWorkload, ::testing::ValuesIn(every_case()), name_of_case);

TEST_P(EveryWorkload, RunsToItsEndUnderEveryBarrier) {
  for (const char* barrier :
       {"none", "wait_to_read", "waitall", "item", "asnumpy", "print", "window:2", "ops:4", "bytes:64k"}) {
    SCOPED_TRACE(barrier);
    ::testing::internal::CaptureStderr();
    const RunReport report = report_of(config(barrier));
    (void)::testing::internal::GetCapturedStderr();
    EXPECT_EQ(report.barrier, barrier);
    EXPECT_EQ(report.steps, static_cast<std::int64_t>(report.params.at("steps")));
    EXPECT_GT(report.ops, 0);
    EXPECT_GT(report.wall_s, 0);
    EXPECT_NEAR(report.enqueue_s + report.blocked_s + report.final_wait_s + report.other_s, report.wall_s,
                1e-9 + 1e-6 * report.wall_s);
    EXPECT_GT(report.peak_bytes, 0);
    EXPECT_GT(report.step_bytes, 0);
    for (const auto& [name, value] : report.result) EXPECT_TRUE(std::isfinite(value)) << name;
  }
}

TEST_P(EveryWorkload, RunsForEverUntilItIsStopped) {
  RunConfig endless = config("none");
  endless.endless = true;
  endless.engine.limit_ops = 1000;  // so that few ops are left to run after the stop
  const std::unique_ptr<Runner> runner = start_run(endless);
  ASSERT_NE(runner, nullptr);
  EXPECT_TRUE(eventually([&] {
    return runner->engine_stats().steps_finished >
           static_cast<std::int64_t>(runner->report().params.at("steps"));
  }));
  runner->stop();
  const Result<RunReport> report = runner->wait();
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(runner->state(), RunState::kFinished);
}

TEST_P(EveryWorkload, SaysWhatItMeasuredInItsOwnWords) {
  ::testing::internal::CaptureStderr();
  const RunReport report = report_of(config("none"));
  (void)::testing::internal::GetCapturedStderr();
  const WorkloadSpec* spec = nullptr;
  for (const WorkloadSpec* one : list_workloads()) {
    if (one->name == report.workload) spec = one;
  }
  ASSERT_NE(spec, nullptr);
  const std::vector<ShownTable> tables = show_results(spec->results, report);
  ASSERT_FALSE(tables.empty());
  for (const ShownTable& table : tables) {
    EXPECT_FALSE(table.title.empty()) << "a result without a label: " << table.rows.front().label;
    for (const ShownRow& row : table.rows) {
      EXPECT_FALSE(row.label.empty());
      EXPECT_EQ(row.figures.size(), std::max<std::size_t>(1, table.columns.size())) << row.label;
    }
  }
}

TEST(DependencyGraph, PrintsWhatItComputes) {
  ::testing::internal::CaptureStderr();
  const RunReport report =
      report_of({.workload = "dependency_graph", .devices = {"cpu"}, .size = "published"});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "[[3. 3.]]\n");
  EXPECT_EQ(report.result.at("z"), 3.0);
  EXPECT_EQ(report.ops, 4);
}

TEST(Increment, ReportsBothHalvesAndTheModel) {
  const RunReport report =
      report_of({.workload = "increment", .settings = {{"steps", "2"}, {"iterations", "100"}}});
  for (const char* name : {"sync_us", "async_us", "t1_us"}) EXPECT_GT(report.result.at(name), 0.0) << name;
  EXPECT_GE(report.result.at("t2_us"), 0.0);
  EXPECT_GE(report.result.at("t3_us"), 0.0);
  const double t1 = report.result.at("t1_us"), t2 = report.result.at("t2_us"), t3 = report.result.at("t3_us");
  EXPECT_NEAR(report.result.at("sync_formula_s"), 200 * (t1 + t2 + t3) * 1e-6, 1e-9);
  EXPECT_NEAR(report.result.at("async_formula_s"), (t1 + 200 * t2 + t3) * 1e-6, 1e-9);
  EXPECT_NEAR(report.result.at("bottleneck_formula_s"), 200 * std::max(t1, t2) * 1e-6, 1e-9);
}

TEST(Increment, ASlowFrontendIsNamedAsTheBottleneck) {
  const RunReport report = report_of(
      {.workload = "increment", .settings = {{"steps", "1"}, {"iterations", "50"}, {"frontend_us", "500"}}});
  EXPECT_GE(report.result.at("t1_us"), 500.0);
  EXPECT_EQ(report.result.at("frontend_is_bottleneck"), 1.0);
  EXPECT_GE(report.result.at("async_us"), 500.0);
}

TEST(Overlap, CopiesWhatTheCpuComputesFromEitherKindOfMemory) {
  for (const char* pageable : {"0", "1"}) {
    Settings settings = tiny_settings("overlap");
    settings["pageable"] = pageable;
    const RunReport report = report_of({.workload = "overlap", .settings = settings});
    EXPECT_EQ(report.result.at("values_equal"), 1.0);
    EXPECT_NEAR(report.result.at("apart_s"), report.result.at("compute_s") + report.result.at("copy_s"),
                1e-9);
    EXPECT_DOUBLE_EQ(report.result.at("pipeline_bound"), 0.75);
  }
}

TEST(TrainingMemory, GivesTheSameLossBitForBitOnEveryEngineDeviceAndBarrier) {
  host_cuda::use_host_cuda();
  const auto losses = [](EngineKind kind, const char* device, BarrierPolicy barrier) {
    RunConfig config{.workload = "training_memory",
                     .devices = {device},
                     .barrier = barrier,
                     .settings = tiny_settings("training_memory")};
    config.engine.kind = kind;
    config.settings["steps"] = "20";
    const RunReport report = report_of(config);
    return std::pair(report.result.at("first_loss"), report.result.at("final_loss"));
  };
  const auto oracle = losses(EngineKind::kNaive, "cpu", {});
  EXPECT_TRUE(std::isfinite(oracle.second));
  EXPECT_LT(oracle.second, oracle.first);
  EXPECT_EQ(losses(EngineKind::kThreaded, "cpu", {}), oracle);
  EXPECT_EQ(losses(EngineKind::kThreaded, "virtual:0", {}), oracle);
  EXPECT_EQ(losses(EngineKind::kNaive, "virtual:0", {}), oracle);
  EXPECT_EQ(losses(EngineKind::kThreaded, "cuda:0", {}), oracle);
  EXPECT_EQ(losses(EngineKind::kThreaded, "cpu", {.kind = BarrierKind::kItem}), oracle);
}

TEST(TrainingMemory, AnotherSeedGivesAnotherLoss) {
  RunConfig config{
      .workload = "training_memory", .devices = {"cpu"}, .settings = tiny_settings("training_memory")};
  const double one = report_of(config).result.at("final_loss");
  config.settings["seed"] = "2";
  EXPECT_NE(report_of(config).result.at("final_loss"), one);
}

TEST(TrainingMemory, WaitsWhereItIsToldTo) {
  for (const char* where : {"0", "1", "2"}) {
    RunConfig config{.workload = "training_memory",
                     .devices = {"cpu"},
                     .barrier = {.kind = BarrierKind::kItem},
                     .settings = tiny_settings("training_memory")};
    config.settings["wait_at"] = where;
    EXPECT_TRUE(std::isfinite(report_of(config).result.at("final_loss"))) << where;
  }
}

}  // namespace
}  // namespace runahead::samples
