// Tests `runahead predict` on recordings of real runs: the model's figures that do not depend on the speed of
// the machine, and the refusals.
#include <gmock/gmock.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/program.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PredictTest : public ProgramTest {
 protected:
  // A run whose steps of the device take long, so that a busy machine does not decide how far it runs ahead.
  std::string run_with(const std::string& barrier, const std::string& device = "virtual:0") const {
    const std::string file = path(barrier + ".runahead");
    const Ended ended = run({"run", "inference_memory", "--device", device, "--barrier", barrier, "--set",
                             "steps=20", "--record", file, "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return file;
  }
};

// A frontend that takes no time (frontend=0) runs as far ahead as the barrier lets it, however busy the
// machine was during the run. So the predictions from two runs are equal.
TEST_F(PredictTest, MemoryAndRunAheadOfAnotherBarrier) {
  const std::string none = run_with("none"), waits = run_with("wait_to_read");
  const auto predicted = [&](const std::string& file, const char* barrier) {
    const json all = run_json({"predict", file, "--change", barrier, "--change", "frontend=0", "--json"});
    EXPECT_LE(all.at("predicted").at("low"), all.at("predicted").at("steps_per_s"));
    EXPECT_GE(all.at("predicted").at("high"), all.at("predicted").at("steps_per_s"));
    return std::pair(all.at("predicted").at("max_run_ahead_steps").get<int>(),
                     all.at("predicted").at("peak_bytes").get<std::int64_t>());
  };
  const auto free = predicted(waits, "barrier=none"), held = predicted(waits, "barrier=wait_to_read");
  EXPECT_EQ(free.first, 20);
  EXPECT_EQ(held.first, 1);
  EXPECT_GT(free.second, 10 * held.second);
  EXPECT_EQ(predicted(none, "barrier=none"), free);
  EXPECT_EQ(predicted(none, "barrier=wait_to_read"), held);
}

// Before its steps, the workload has a part with waits and a part with more memory, which do not count.
TEST_F(PredictTest, TheFiguresAreThoseOfTheStepsThatTheRunReports) {
  const std::string file = path("increment.runahead");
  const json run = run_json({"run", "increment", "--device", "virtual:0", "--barrier", "waitall", "--set",
                             "steps=20", "--set", "iterations=100", "--record", file, "--json"});
  const json all = run_json({"predict", file, "--change", "frontend=1", "--json"});
  const json& measured = all.at("measured");
  EXPECT_LT(run.at("steps_s").get<double>(), run.at("wall_s").get<double>());
  EXPECT_NEAR(measured.at("steps_per_s").get<double>() / run.at("steps_per_s").get<double>(), 1, 0.1);
  for (const json& part : run.at("parts")) {
    if (part.at("name") != "steps") continue;
    EXPECT_EQ(measured.at("peak_bytes"), part.at("peak_bytes"));
  }
  EXPECT_LT(measured.at("peak_bytes"), run.at("peak_bytes"));
  EXPECT_LT(all.at("replayed").at("peak_bytes"), run.at("peak_bytes"));
}

// Each pass updates the buffers that the pass before it updated too, and has an output of its own.
TEST_F(PredictTest, APassOfACompiledGraphDoesNotHoldTheOutputsOfThoseBeforeIt) {
  const std::string file = path("hybridize.runahead");
  // On a busy machine the replay may differ too much from what was recorded.
  Ended ended;
  for (int i = 0; i < 20; ++i) {
    run_json({"run",      "hybridize", "--device",    "virtual:0", "--barrier",  "waitall", "--set",
              "batch=64", "--set",     "features=32", "--set",     "hidden1=16", "--set",   "hidden2=16",
              "--set",    "passes=20", "--set",       "steps=20",  "--record",   file,      "--json"});
    ended = run({"predict", file, "--change", "barrier=item", "--json"});
    if (ended.exit_code == 0) break;
    ASSERT_THAT(ended.err, HasSubstr("no prediction is made"));
  }
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json all = json::parse(ended.out);
  const auto measured = all.at("measured").at("peak_bytes").get<double>();
  EXPECT_NEAR(all.at("replayed").at("peak_bytes").get<double>() / measured, 1, 0.1);
  EXPECT_NEAR(all.at("predicted").at("peak_bytes").get<double>() / measured, 1, 0.1);
}

TEST_F(PredictTest, ASweepMarksTheKnee) {
  const std::string file = run_with("none");
  const json all = run_json({"predict", file, "--change", "frontend=0", "--sweep", "window=1..4", "--json"});
  ASSERT_EQ(all.at("sweep").size(), 4U);
  for (int k = 1; k <= 4; ++k) {
    EXPECT_EQ(all.at("sweep")[k - 1].at("change"), "barrier=window:" + std::to_string(k));
    EXPECT_EQ(all.at("sweep")[k - 1].at("max_run_ahead_steps"), k);
  }
  EXPECT_TRUE(all.contains("knee"));
  const Ended text = run({"predict", file, "--sweep", "window=1..4"});
  EXPECT_THAT(text.out, HasSubstr("(knee)"));
}

// Without a change, the changes that would help are listed. What saves memory is the same on a busy machine:
// the run has no barrier, so its peak is that of all steps.
TEST_F(PredictTest, WithoutAChangeItListsWhatWouldHelpMost) {
  const std::string file = run_with("none");
  const json all = run_json({"predict", file, "--json"});
  EXPECT_TRUE(all.at("changes").empty());
  EXPECT_EQ(all.at("predicted").at("length_ns"), all.at("replayed").at("length_ns"));
  double before = std::numeric_limits<double>::infinity();
  bool saves_memory = false;
  for (const json& candidate : all.at("candidates")) {
    EXPECT_LE(candidate.at("gain"), before);
    before = candidate.at("gain");
    EXPECT_LE(candidate.at("gain_low"), before);
    EXPECT_GE(candidate.at("gain_high"), before);
    const std::string change = candidate.at("changes").at(0);
    const json same = run_json({"predict", file, "--change", change, "--json"}).at("predicted");
    EXPECT_EQ(same.at("steps_per_s"), candidate.at("steps_per_s")) << change;
    EXPECT_EQ(same.at("low"), candidate.at("low")) << change;
    EXPECT_EQ(same.at("peak_bytes"), candidate.at("peak_bytes")) << change;
    saves_memory = saves_memory || candidate.at("peak_change") < -0.5;
  }
  EXPECT_TRUE(saves_memory) << all.at("candidates").dump();
  const Ended text = run({"predict", file});
  EXPECT_THAT(text.out, HasSubstr("--change"));
}

TEST_F(PredictTest, ATwiceAsFastOpMakesARunFaster) {
  const std::string file = run_with("none");
  const json base = run_json({"predict", file, "--change", "frontend=0", "--json"});
  const json faster =
      run_json({"predict", file, "--change", "frontend=0", "--change", "op:dense=0.5", "--json"});
  EXPECT_GT(faster.at("predicted").at("steps_per_s"), base.at("predicted").at("steps_per_s"));
  expect_failure(run({"predict", file, "--change", "op:nothing=0.5"}), 2, "the run has");
}

// The share is that of the workers that the change makes, and not of those of the run: never more than all of
// them.
TEST_F(PredictTest, ABusyShareIsThatOfAllWorkers) {
  const json all = run_json(
      {"predict", run_with("none", "cpu"), "--change", "workers=4", "--change", "frontend=0", "--json"});
  EXPECT_GT(all.at("predicted").at("busy_ratio").at("cpu"), 0);
  EXPECT_LE(all.at("predicted").at("busy_ratio").at("cpu"), 1);
  EXPECT_GT(all.at("predicted").at("steps_per_s"), all.at("replayed").at("steps_per_s"));
}

// Two kernels, with a synchronisation between them, as PyTorch's profiler writes them.
TEST_F(PredictTest, ATraceOfAnotherTool) {
  std::ofstream(path("kineto.json")) << R"({"traceEvents": [
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":0,"dur":5,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":5,"dur":100,"args":{"correlation":1,"device":0,"stream":7}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":1,"tid":1,"ts":10,"dur":100},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":110,"dur":5,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":115,"dur":100,"args":{"correlation":2,"device":0,"stream":7}}
  ]})";
  const json all =
      run_json({"predict", path("kineto.json"), "--change", "sync:cudaDeviceSynchronize=drop", "--json"});
  EXPECT_EQ(all.at("drift"), 0);
  EXPECT_EQ(all.at("measured").at("length_ns"), 215'000);
  EXPECT_EQ(all.at("predicted").at("length_ns"), 206'000);
  EXPECT_EQ(all.at("predicted").at("blocked_ratio"), 0);
  EXPECT_TRUE(all.at("measured").at("peak_bytes").is_null());
  EXPECT_TRUE(all.at("predicted").at("peak_bytes").is_null());
  const Ended text = run({"predict", path("kineto.json")});
  EXPECT_THAT(text.out, HasSubstr("not known"));
  EXPECT_THAT(text.out, HasSubstr("names no steps"));
  EXPECT_THAT(text.out, HasSubstr("sync:cudaDeviceSynchronize=drop"));
  // Each kernel takes 100 of 215 us. The synchronisation costs 9 us.
  const json ranked = run_json({"predict", path("kineto.json"), "--json"}).at("candidates");
  std::vector<std::string> changes;
  for (const json& candidate : ranked) changes.push_back(candidate.at("changes").at(0));
  EXPECT_THAT(changes, ElementsAre("op:a=0.5", "op:b=0.5", "sync:cudaDeviceSynchronize=drop"));
  EXPECT_DOUBLE_EQ(ranked.at(0).at("gain"), 215.0 / 165 - 1);
  EXPECT_DOUBLE_EQ(ranked.at(2).at("gain"), 215.0 / 206 - 1);
  EXPECT_EQ(ranked.at(2).at("kind"), "sync");
  EXPECT_TRUE(ranked.at(2).at("peak_bytes").is_null());
  expect_failure(run({"predict", path("kineto.json"), "--change", "sync:elsewhere=drop"}), 2,
                 "cudaDeviceSynchronize@");
  expect_failure(run({"predict", path("kineto.json"), "--change", "graph=1"}), 2,
                 "'sync:cudaDeviceSynchronize@=drop'");
  const json graph = run_json({"predict", path("kineto.json"), "--change", "graph=1", "--change",
                               "sync:cudaDeviceSynchronize=drop", "--json"});
  EXPECT_EQ(graph.at("predicted").at("length_ns"), 206'000);
  EXPECT_EQ(graph.at("predicted").at("notes").size(), 1U);
  expect_failure(run({"predict", path("kineto.json"), "--change", "streams=2"}), 2, "depend on each other");
}

TEST_F(PredictTest, StreamsAndBulksOfOurEngine) {
  const std::string file = run_with("none");
  const json base = run_json({"predict", file, "--change", "frontend=0", "--json"});
  EXPECT_EQ(base.at("predicted").at("notes").size(), 0U);
  const json two = run_json({"predict", file, "--change", "frontend=0", "--change", "device=+1", "--json"});
  EXPECT_GE(two.at("predicted").at("steps_per_s"), base.at("predicted").at("steps_per_s"));
  EXPECT_EQ(two.at("predicted").at("notes").size(), 1U);
  const Ended text = run({"predict", file, "--sweep", "streams=1..3"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("upper bound"));
  expect_failure(run({"predict", file, "--change", "bulk=4"}), 2, "simulated device");
  const json bulks = run_json({"predict", run_with("waitall", "cpu"), "--change", "bulk=4", "--json"});
  EXPECT_LT(bulks.at("predicted").at("max_run_ahead_ops"), bulks.at("replayed").at("max_run_ahead_ops"));
  EXPECT_EQ(bulks.at("predicted").at("steps"), 20);
  expect_failure(run({"predict", file, "--change", "loading=ahead"}), 2, "loads data");
  expect_failure(run({"predict", file, "--change", "graph=1"}), 2, "another tool");
}

TEST_F(PredictTest, WrongWordsAndFilesThatCannotBeReplayedAreRefused) {
  const std::string file = path("missing.runahead");  // the words are read first
  expect_failure(run({"predict", file, "--change", "barrier"}), 2, "KEY=VALUE");
  expect_failure(run({"predict", file, "--change", "colour=red"}), 2, "unknown change 'colour'");
  expect_failure(run({"predict", file, "--change", "barrier=often"}), 2, "often");
  for (const std::string change :
       {"workers=0", "workers=5000", "copy_workers=x", "alloc=never", "order=newest", "frontend=-1",
        "op:dot=fast", "limit_ops=0", "limit_bytes=much"})
    expect_failure(run({"predict", file, "--change", change}), 2, change);
  expect_failure(run({"predict", file, "--sweep", "window=5..1"}), 2, "KEY=A..B");
  expect_failure(run({"predict", file, "--sweep", "colour=1..2"}), 2, "unknown change 'colour'");
  expect_failure(run({"predict"}), 2, "file");
  expect_failure(run({"predict", file}), 1, "missing.runahead");
  std::ofstream(path("empty.json"))
      << R"({"traceEvents": [{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]})";
  expect_failure(run({"predict", path("empty.json")}), 1, "cannot be replayed");
}

}  // namespace
}  // namespace runahead::gui::test
