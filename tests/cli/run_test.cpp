#include <algorithm>
#include <cstdint>

#include "tests/cli/program.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;

class RunTest : public ProgramTest {};

TEST_F(RunTest, JsonHasEveryField) {
  const json report = run_json({"run", "training_memory", "--device", "cpu", "--set", "steps=5", "--json"});
  for (const char* field : {"wall_s",
                            "enqueue_s",
                            "blocked_s",
                            "final_wait_s",
                            "other_s",
                            "results_wait_s",
                            "bulk_members",
                            "steps_s",
                            "steps_per_s",
                            "peak_bytes",
                            "end_bytes",
                            "params_bytes",
                            "step_bytes",
                            "rss_increase_bytes",
                            "max_run_ahead_steps",
                            "max_run_ahead_ops",
                            "max_run_ahead_bytes",
                            "late_ops",
                            "steps",
                            "ops"}) {
    ASSERT_TRUE(report.contains(field)) << field;
    EXPECT_TRUE(report[field].is_number()) << field;
    EXPECT_GE(report[field].get<double>(), 0) << field;
  }
  EXPECT_EQ(report.at("workload"), "training_memory");
  EXPECT_EQ(report.at("device"), "cpu");
  EXPECT_EQ(report.at("engine"), "threaded");
  EXPECT_EQ(report.at("barrier"), "none");
  EXPECT_EQ(report.at("steps"), 5);
  EXPECT_EQ(report.at("params").at("steps"), 5);
  EXPECT_TRUE(report.at("result").contains("first_loss"));
  EXPECT_TRUE(report.at("result").contains("final_loss"));
  EXPECT_TRUE(report.at("record").is_null());
  EXPECT_EQ(missing_rows(report), json::object());
  EXPECT_FALSE(report.contains("runs"));
}

TEST_F(RunTest, TheReportHasTheFiguresOfEachPart) {
  const std::vector<std::string> words{"run", "hybridize", "--set", "steps=3", "--set", "passes=4"};
  std::vector<std::string> with_json = words;
  with_json.emplace_back("--json");
  const json parts = run_json(with_json).at("parts");
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].at("name"), "preparation");
  EXPECT_EQ(parts[0].at("measured"), false);
  EXPECT_TRUE(parts[0].at("blocked_ratio").is_null());
  EXPECT_EQ(parts[1].at("name"), "op by op");
  EXPECT_TRUE(parts[1].at("steps_per_s").is_null()) << "no step runs in this part";
  EXPECT_EQ(parts[2].at("name"), "compiled");
  EXPECT_EQ(parts[2].at("steps"), 3);
  const double length_s = parts[2].at("to_s").get<double>() - parts[2].at("from_s").get<double>();
  EXPECT_NEAR(parts[2].at("steps_per_s").get<double>(), 3 / length_s, 1e-6 / length_s);
  for (std::size_t i = 1; i < parts.size(); ++i) EXPECT_EQ(parts[i].at("from_s"), parts[i - 1].at("to_s"));
}

TEST_F(RunTest, EachBarrierOfAScheduleHasItsSegment) {
  const json report = run_json({"run", "training_memory", "--device", "virtual:0", "--switch", "300ms:item",
                                "--switch", "600ms:window:2", "--duration", "900ms", "--set", "batch=32",
                                "--limit", "ops:500", "--json"});
  const json& segments = report.at("segments");
  ASSERT_EQ(segments.size(), 3u);
  double before_s = 0;
  const char* barriers[] = {"none", "item", "window:2"};
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const json& segment = segments[i];
    EXPECT_EQ(segment.at("barrier"), barriers[i]);
    EXPECT_EQ(segment.at("from_s").get<double>(), before_s);
    EXPECT_LE(segment.at("from_s").get<double>(), segment.at("drained_s").get<double>());
    EXPECT_LE(segment.at("drained_s").get<double>(), segment.at("to_s").get<double>());
    EXPECT_EQ(segment.at("settled"), false) << "half a second is not enough";
    EXPECT_TRUE(segment.at("steps_per_s_spread").is_null());
    EXPECT_GE(segment.at("late_ops"), 0);
    before_s = segment.at("to_s").get<double>();
  }
  EXPECT_GT(segments[0].at("peak_bytes"), 0);
}

TEST_F(RunTest, ARunOfADurationHasOneSegmentAndOthersHaveNone) {
  const json timed =
      run_json({"run", "training_memory", "--duration", "200ms", "--set", "batch=32", "--json"});
  ASSERT_EQ(timed.at("segments").size(), 1u);
  EXPECT_EQ(timed.at("segments")[0].at("from_s"), 0.0);
  EXPECT_FALSE(run_json({"run", "training_memory", "--set", "steps=2", "--json"}).contains("segments"));
}

// Runahead divides the waiting time into parts by cause, such as an op that executes or an op that waits in a
// queue. Returns the sum of these parts. `waits` is the JSON object of all waits, or of the waits at one
// site.
double sum_of_parts(const json& waits) {
  double sum = 0;
  for (const char* part : {"executing_s", "copying_s", "queueing_s", "dispatch_s", "enqueue_s", "wake_up_s",
                           "limit_s", "other_s"}) {
    EXPECT_GE(waits.at(part).get<double>(), 0) << part;
    sum += waits.at(part).get<double>();
  }
  return sum;
}

TEST_F(RunTest, JsonTellsWhatTheWaitsWaitedForAndTheStatsOfItsRecordingTellTheSame) {
  const json waits = run_json({"run", "training_memory", "--device", "virtual:0", "--barrier", "item",
                               "--set", "steps=5", "--record", path("w.runahead"), "--json"})
                         .at("waits");
  EXPECT_GE(waits.at("count"), 5);
  EXPECT_GE(waits.at("chain_ops"), waits.at("count"));
  EXPECT_GT(waits.at("executing_s"), 0);
  EXPECT_NEAR(sum_of_parts(waits), waits.at("total_s").get<double>(), 1e-9);
  double by_site = 0;
  for (const json& site : waits.at("by_site")) {
    EXPECT_NEAR(sum_of_parts(site), site.at("stopwatch_s").get<double>(), 1e-9);
    EXPECT_LE(site.at("ops_before_s"), site.at("stopwatch_s"));
    by_site += site.at("stopwatch_s").get<double>();
  }
  EXPECT_NEAR(by_site, waits.at("total_s").get<double>(), 1e-9);
  EXPECT_EQ(waits.at("by_site").at(0).at("site"), "item");
  EXPECT_EQ(run_json({"stats", path("w.runahead"), "--json"}).at("waits"), waits);
}

TEST_F(RunTest, TheTableSetsTheStopwatchBesideTheTrueTime) {
  const Ended ended = run({"run", "training_memory", "--barrier", "waitall", "--set", "steps=3"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("stopwatch  ops before  wake-up"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("\n  waitall "), std::string::npos) << ended.out;
}

TEST_F(RunTest, StepsPerSecondIsStepsByWallTime) {
  const json report = run_json({"run", "training_memory", "--device", "cpu", "--set", "steps=8", "--json"});
  EXPECT_NEAR(report.at("steps_per_s").get<double>() * report.at("steps_s").get<double>(), 8, 0.01);
  EXPECT_LE(report.at("steps_s").get<double>(), report.at("wall_s").get<double>());
}

TEST_F(RunTest, EveryWorkloadRunsOnItsOwnDeviceAndLosesNothing) {
  const json listed = run_json({"list", "--json"});
  for (const json& workload : listed.at("workloads")) {
    SCOPED_TRACE(workload.at("name"));
    double steps = 2;
    for (const json& parameter : workload.at("parameters")) {
      if (parameter.at("name") == "steps") steps = std::max(steps, parameter.at("min").get<double>());
    }
    const json report = run_json(
        {"run", workload.at("name"), "--set", "steps=" + std::to_string(static_cast<int>(steps)), "--json"});
    EXPECT_EQ(missing_rows(report), json::object());
    EXPECT_GT(report.at("ops"), 0);
    double of_wall_s = 0;
    for (const char* part : {"enqueue_s", "blocked_s", "final_wait_s", "other_s"})
      of_wall_s += report.at(part).get<double>();
    EXPECT_NEAR(of_wall_s, report.at("wall_s").get<double>(), 1e-6);
    std::int64_t ops = 0;
    for (const json& device : report.at("devices")) ops += device.at("ops").get<std::int64_t>();
    EXPECT_EQ(ops, report.at("ops"));
  }
}

TEST_F(RunTest, TheSameSeedGivesTheSameLossOnBothEngines) {
  const auto final_loss = [this](const std::string& engine, const std::string& seed) {
    return run_json({"run", "training_memory", "--device", "cpu", "--engine", engine, "--set", "steps=6",
                     "--set", "seed=" + seed, "--json"})
        .at("result")
        .at("final_loss")
        .get<double>();
  };
  const double loss = final_loss("threaded", "11");
  EXPECT_EQ(loss, final_loss("naive", "11"));
  EXPECT_NE(loss, final_loss("threaded", "12"));
}

TEST_F(RunTest, ABarrierEachStepKeepsTheFrontendFromRunningAhead) {
  const json report = run_json({"run", "training_memory", "--device", "virtual:0", "--barrier", "waitall",
                                "--set", "steps=6", "--json"});
  EXPECT_EQ(report.at("barrier"), "waitall");
  EXPECT_LE(report.at("max_run_ahead_steps"), 1);
  EXPECT_GT(report.at("blocked_s"), 0);
}

TEST_F(RunTest, TheSafetyLimitIsWhatItIsToldToBe) {
  const auto report = [this](const std::string& limit) {
    return run_json(
        {"run", "training_memory", "--device", "virtual:0", "--limit", limit, "--set", "steps=10", "--json"});
  };
  const json by_ops = report("ops:20"), by_bytes = report("bytes:5M");
  EXPECT_EQ(by_ops.at("settings").at("limit_ops"), "20");
  EXPECT_LE(by_ops.at("max_run_ahead_ops"), 20);
  EXPECT_GT(by_ops.at("held_by_limit"), 0);
  EXPECT_EQ(by_bytes.at("settings").at("limit_bytes"), "5000000");
  EXPECT_LT(by_bytes.at("max_run_ahead_bytes"), report("bytes:1G").at("max_run_ahead_bytes"));
  EXPECT_GT(by_bytes.at("held_by_limit"), 0);
}

TEST_F(RunTest, ARunThatFitsItsCapacityRuns) {
  const json report = run_json(
      {"run", "training_memory", "--device", "virtual:0", "--capacity", "3G", "--set", "steps=2", "--json"});
  EXPECT_EQ(report.at("settings").at("capacity_bytes"), "3000000000");
}

TEST_F(RunTest, RepeatGivesEachRunAndTheMedianOfEveryFigure) {
  const json report =
      run_json({"run", "training_memory", "--device", "cpu", "--set", "steps=3", "--repeat", "3", "--json"});
  ASSERT_EQ(report.at("runs").size(), 3u);
  std::vector<double> walls;
  for (const json& run : report.at("runs")) walls.push_back(run.at("wall_s"));
  std::sort(walls.begin(), walls.end());
  EXPECT_DOUBLE_EQ(report.at("wall_s").get<double>(), walls[1]);
  EXPECT_EQ(report.at("steps"), 3);
}

TEST_F(RunTest, WhatAWorkloadPrintsGoesToStderrAndStdoutStaysOneObject) {
  const Ended ended =
      run({"run", "dependency_graph", "--device", "cpu", "--set", "size=published", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(json::parse(ended.out, nullptr, false).is_object()) << ended.out;
  EXPECT_NE(ended.err.find("[[3. 3.]]"), std::string::npos) << ended.err;
}

TEST_F(RunTest, AWorkloadHasItsWorkersUnlessOthersAreAskedFor) {
  const auto workers = [&](std::vector<std::string> words) {
    const Ended ended = run(std::move(words));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return json::parse(ended.out, nullptr, false).at("settings").at("workers").get<std::string>();
  };
  EXPECT_EQ(workers({"run", "dependency_graph", "--json"}), "2");
  EXPECT_EQ(workers({"run", "dependency_graph", "--workers", "1", "--json"}), "1");
}

TEST_F(RunTest, ForAPersonItIsATableWithUnits) {
  const Ended ended = run({"run", "training_memory", "--device", "virtual:0", "--set", "steps=3"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("virtual:0 (simulated)"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("peak memory"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("of the first batch"), std::string::npos) << ended.out;
}

TEST_F(RunTest, ADeviceThatTheWorkloadAddsIsNamedAndTheCpuIsNotSimulated) {
  const std::vector<std::string> words{"run",   "auto_parallel", "--device", "cpu",
                                       "--set", "extent=24",     "--set",    "steps=3"};
  std::vector<std::string> as_json = words;
  as_json.push_back("--json");
  const json report = run_json(as_json);
  EXPECT_EQ(report.at("device"), "cpu, virtual:0");
  ASSERT_EQ(report.at("devices").size(), 2u);
  EXPECT_EQ(report.at("devices").at(0).at("name"), "cpu");
  EXPECT_EQ(report.at("devices").at(0).at("simulated"), false);
  EXPECT_EQ(report.at("devices").at(0).at("added"), false);
  EXPECT_EQ(report.at("devices").at(1).at("name"), "virtual:0");
  EXPECT_EQ(report.at("devices").at(1).at("simulated"), true);
  EXPECT_EQ(report.at("devices").at(1).at("added"), true);
  const Ended table = run(words);
  EXPECT_NE(table.out.find("virtual:0, a simulated device, joined: auto_parallel needs two devices\n"),
            std::string::npos)
      << table.out;
}

TEST_F(RunTest, RecordWritesAFileThatOpensAndNamesIt) {
  const json report = run_json({"run", "training_memory", "--device", "virtual:0", "--set", "steps=4",
                                "--record", path("a.runahead"), "--json"});
  EXPECT_EQ(report.at("record"), path("a.runahead"));
  const json info = run_json({"info", path("a.runahead"), "--json"});
  EXPECT_EQ(info.at("ops"), report.at("ops"));
  EXPECT_EQ(info.at("complete"), true);
  EXPECT_EQ(info.at("metadata").at("workload"), "training_memory");
}

}  // namespace
}  // namespace runahead::gui::test
