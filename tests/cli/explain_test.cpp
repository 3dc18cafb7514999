// Tests `runahead explain` on a trace as PyTorch's profiler writes it, without records of synchronisations.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;

class ExplainTest : public ProgramTest {
 protected:
  // Three steps of 1 ms. In each: a kernel of 400 us, aten::item that waits for it, and 300 us of Python
  // before the next kernel.
  [[nodiscard]] std::string kineto() const {
    json events = json::array();
    const auto add = [&](const char* category, const char* name, int pid, int tid, int ts, int dur,
                         json args) {
      events.push_back({{"ph", "X"},
                        {"cat", category},
                        {"name", name},
                        {"pid", pid},
                        {"tid", tid},
                        {"ts", ts},
                        {"dur", dur},
                        {"args", std::move(args)}});
    };
    for (int step = 0; step < 3; ++step) {
      const int at = step * 1000, id = step * 10;
      add("user_annotation", ("ProfilerStep#" + std::to_string(step)).c_str(), 1, 1, at, 1000,
          json::object());
      add("python_function", "train.py(7): step", 1, 1, at + 1, 998, json::object());
      add("cuda_runtime", "cudaLaunchKernel", 1, 1, at + 300, 10, {{"correlation", id + 1}});
      add("kernel", "gemm", 0, 7, at + 315, 400, {{"correlation", id + 1}, {"stream", 7}, {"device", 0}});
      add("cpu_op", "aten::item", 1, 1, at + 400, 330, json::object());
      add("cuda_runtime", "cudaStreamSynchronize", 1, 1, at + 420, 300, {{"correlation", id + 2}});
    }
    std::ofstream(path("kineto.json")) << json({{"traceEvents", events}}).dump();
    return path("kineto.json");
  }
};

TEST_F(ExplainTest, SaysWhatASynchronisationWaitedForAndWhatItCost) {
  const json all = run_json({"explain", kineto(), "--json"});
  EXPECT_EQ(all.at("steps").at("count"), 3);
  EXPECT_EQ(all.at("steps").at("median_ns"), 1'000'000);
  ASSERT_EQ(all.at("synchronisations").size(), 1U);
  const json& sync = all.at("synchronisations")[0];
  EXPECT_EQ(sync.at("call"), "cudaStreamSynchronize");
  EXPECT_EQ(sync.at("place"), "aten::item in train.py(7): step");
  EXPECT_EQ(sync.at("explicit"), false);
  EXPECT_EQ(sync.at("count"), 3);
  EXPECT_EQ(sync.at("awaited"), "gemm");
  EXPECT_EQ(sync.at("stream"), "stream 7");
  EXPECT_EQ(sync.at("running_ns"), 3 * 295'000);
  EXPECT_EQ(sync.at("wake_up_ns"), 3 * 5'000);
  EXPECT_EQ(sync.at("inferred"), 3);
  EXPECT_EQ(sync.at("idle_after_ns"), 2 * 600'000);
  EXPECT_EQ(all.at("attributed_ratio"), 1.0);
  EXPECT_EQ(all.at("inferred_edges"), 3);
}

TEST_F(ExplainTest, PartsOfEachTableAddUp) {
  const json all = run_json({"explain", kineto(), "--json"});
  const std::int64_t length = all.at("to_ns").get<std::int64_t>() - all.at("from_ns").get<std::int64_t>();
  std::int64_t path_ns = 0;
  for (const auto& [path_class, ns] : all.at("critical_path").items()) path_ns += ns.get<std::int64_t>();
  EXPECT_EQ(path_ns, length);
  ASSERT_EQ(all.at("devices").size(), 1U);
  const json& device = all.at("devices")[0];
  std::int64_t idle_ns = 0;
  for (const auto& [cause, ns] : device.at("idle").items()) idle_ns += ns.get<std::int64_t>();
  EXPECT_NEAR(static_cast<double>(idle_ns) / static_cast<double>(length), device.at("idle_ratio"), 1e-9);
  EXPECT_NEAR(device.at("idle_ratio").get<double>() + device.at("busy_ratio").get<double>(), 1, 1e-9);
  EXPECT_GT(device.at("idle").at("python").get<std::int64_t>(), 600'000);
}

TEST_F(ExplainTest, TheCriticalPathHasNamesAndSteps) {
  const json all = run_json({"explain", kineto(), "--json"});
  const json& names = all.at("critical_path_names");
  ASSERT_FALSE(names.empty());
  std::int64_t sum_ns = all.at("critical_path_more").at("ns");
  bool has_kernel = false;
  for (const json& entry : names) {
    sum_ns += entry.at("ns").get<std::int64_t>();
    if (entry.at("class") != "kernel") continue;
    has_kernel = true;
    EXPECT_EQ(entry.at("name"), "gemm");
    EXPECT_EQ(entry.at("ns"), 3 * 400'000);
    EXPECT_EQ(entry.at("count"), 3);
  }
  EXPECT_TRUE(has_kernel);
  EXPECT_EQ(sum_ns, 3'000'000);
  ASSERT_EQ(all.at("critical_path_steps").size(), 3U);
  for (const json& step : all.at("critical_path_steps")) {
    EXPECT_EQ(step.at("to_ns").get<std::int64_t>() - step.at("from_ns").get<std::int64_t>(), 1'000'000);
    EXPECT_EQ(step.at("kernel"), 400'000);
  }
}

TEST_F(ExplainTest, ADeviceHasItsIdleTimeByStepAndByStream) {
  const json all = run_json({"explain", kineto(), "--json"});
  const json& device = all.at("devices")[0];
  // the mean of each cause is rounded down
  EXPECT_NEAR(device.at("per_step").at("idle_ns").get<double>(), 600'000, 5);
  EXPECT_EQ(device.at("per_step").at("worst_idle_ns"), 600'000);
  ASSERT_EQ(device.at("streams").size(), 1U);
  EXPECT_EQ(device.at("streams")[0].at("name"), "stream 7");
  EXPECT_EQ(device.at("streams")[0].at("idle"), device.at("idle"));
  EXPECT_EQ(device.at("more_streams"), 0);
  EXPECT_EQ(device.at("communication_ns"), 0);
}

TEST_F(ExplainTest, FindingsHaveTheirCostWorstFirstAndTheRulesOfNsysLast) {
  const json all = run_json({"explain", kineto(), "--json"});
  std::vector<std::string> rules;
  for (const json& finding : all.at("findings")) rules.push_back(finding.at("rule"));
  EXPECT_EQ(rules, (std::vector<std::string>{"launch_bound", "sync_in_every_step", "nsys_gpu_time_util",
                                             "nsys_cuda_api_sync"}));
  EXPECT_EQ(all.at("findings")[1].at("count"), 3);
  EXPECT_EQ(all.at("findings")[1].at("per_step_ns"), 400'000);
}

TEST_F(ExplainTest, TheTextNamesEvidenceAndParts) {
  const Ended ended = run({"explain", kineto()});
  EXPECT_EQ(ended.exit_code, 0);
  for (const char* words :
       {"3 steps, median 1.00 ms", "waits for the device in 3 of 3 steps", "inferred",
        "idle: the host ran Python", "idle per step: 600 µs on average", "Critical path: ", "gemm "}) {
    EXPECT_NE(ended.out.find(words), std::string::npos) << words << " is missing in\n" << ended.out;
  }
}

TEST_F(ExplainTest, ATraceWithoutADeviceSaysWhatToRecord) {
  std::ofstream(path("cpu.json")) << R"([{"ph": "X", "name": "f", "pid": 1, "tid": 1, "ts": 1, "dur": 5}])";
  const json all = run_json({"explain", path("cpu.json"), "--json"});
  EXPECT_TRUE(all.at("findings").empty());
  ASSERT_EQ(all.at("to_record").size(), 1U);
  EXPECT_NE(all.at("to_record")[0].get<std::string>().find("no work of a device"), std::string::npos);
}

// Two ranks with 20 all-reduces of 100 us. Rank 1 comes 300 us after rank 0. Its clock is 2 s ahead.
TEST_F(ExplainTest, SeveralFilesAreRanksOfOneProgram) {
  std::vector<std::string> words{"explain", "--json"};
  for (int rank = 0; rank < 2; ++rank) {
    json events = json::array();
    for (int i = 0; i < 20; ++i) {
      const std::int64_t begin = 1'000'000 + rank * 2'000'000 + i * (1000 + i) + rank * 300;
      events.push_back({{"ph", "X"},
                        {"cat", "kernel"},
                        {"name", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"},
                        {"pid", 0},
                        {"tid", 20},
                        {"ts", begin},
                        {"dur", 400 - rank * 300},
                        {"args", {{"stream", 20}, {"device", 0}, {"Seq", i}, {"Process Group Name", "0"}}}});
    }
    words.push_back(path("rank" + std::to_string(rank) + ".json"));
    std::ofstream(words.back())
        << json({{"distributedInfo", {{"rank", rank}}}, {"traceEvents", events}}).dump();
  }
  const json all = run_json(words);
  ASSERT_EQ(all.at("ranks").size(), 2U);
  EXPECT_EQ(all.at("ranks")[1].at("rank"), 1);
  EXPECT_EQ(all.at("ranks")[1].at("clock"), "collectives");
  EXPECT_EQ(all.at("ranks")[1].at("offset_ns"), 300'000) << "of its time 0, its first kernel";
  EXPECT_EQ(all.at("ranks")[1].at("devices").size(), 1U);
  ASSERT_EQ(all.at("collectives").size(), 20U);
  EXPECT_EQ(all.at("collectives")[0].at("last"), 1);
  EXPECT_EQ(all.at("collectives")[0].at("ranks")[0].at("waited_ns"), 300'000);
  EXPECT_EQ(all.at("last_by_rank")[1].at("came_last"), 20);
  EXPECT_EQ(all.at("last_by_rank")[1].at("caused_ns"), 20 * 300'000);
  ASSERT_EQ(all.at("findings").size(), 1U);
  EXPECT_EQ(all.at("findings")[0].at("rule"), "straggler");
  words.erase(words.begin() + 1);
  const Ended text = run(words);
  EXPECT_NE(text.out.find("rank 1 came last in 20 of 20 collectives"), std::string::npos) << text.out;
}

TEST_F(ExplainTest, AFileThatIsNoTraceIsRefused) {
  std::ofstream(path("text.txt")) << "hello";
  expect_failure(run({"explain", path("text.txt")}), 1, "text.txt");
  expect_failure(run({"explain"}), 2, "file");
}

}  // namespace
}  // namespace runahead::gui::test
