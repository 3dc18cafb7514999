// Runs for the tests of samples: small, with waits for conditions.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "samples/runner.h"

namespace runahead::samples {

inline std::unique_ptr<Runner> start_run(RunConfig config, bool start_paused = false) {
  auto started = Runner::start(std::move(config), start_paused);
  if (const auto* error = std::get_if<Runner::StartError>(&started)) {
    ADD_FAILURE() << error->error.message;
    return nullptr;
  }
  return std::move(std::get<std::unique_ptr<Runner>>(started));
}

// The report of a run that must succeed.
inline RunReport report_of(RunConfig config) {
  const std::unique_ptr<Runner> runner = start_run(std::move(config));
  if (runner == nullptr) return {};
  Result<RunReport> report = runner->wait();
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().message);
  return report.ok() ? *report : RunReport{};
}

// True as soon as `condition` is true. False if it is not within 60 s, which only a hang needs.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

using Settings = std::map<std::string, std::string>;
// Sizes at which a whole run takes milliseconds.
inline Settings tiny_settings(const std::string& workload) {
  if (workload == "dependency_graph")
    return {{"steps", "3"}, {"frontend_us", "0"}, {"rows", "300"}, {"columns", "300"}};
  if (workload == "warmup") return {{"steps", "3"}, {"extent", "24"}};
  if (workload == "queue_vs_finish") return {{"steps", "3"}, {"extent", "24"}};
  if (workload == "increment") return {{"steps", "3"}, {"iterations", "10"}};
  if (workload == "barriers") return {{"steps", "2"}, {"extent", "16"}};
  if (workload == "inference_memory")
    return {{"steps", "4"}, {"batch", "32"}, {"features", "16"}, {"hidden", "8"}};
  if (workload == "auto_parallel") return {{"steps", "4"}, {"extent", "24"}, {"second_extent", "16"}};
  if (workload == "memory_hierarchy") {
    return {{"steps", "15"},
            {"block_mib", "1"},
            {"random_reads", "100"},
            {"increments", "100"},
            {"copy_kib", "64"}};
  }
  if (workload == "hybridize") {
    return {{"steps", "3"},   {"batch", "2"},  {"features", "10"},  {"hidden1", "8"},
            {"hidden2", "6"}, {"passes", "4"}, {"frontend_us", "0"}};
  }
  if (workload == "data_parallel") {
    return {{"steps", "4"}, {"batch", "10"}, {"features", "8"}, {"hidden1", "6"}, {"hidden2", "5"}};
  }
  if (workload == "overlap") return {{"steps", "4"}, {"extent", "40"}, {"inner", "8"}};
  return {{"steps", "4"},   {"batch", "32"},    {"features", "16"},  {"hidden1", "8"},
          {"hidden2", "4"}, {"loader_us", "0"}, {"frontend_us", "0"}};
}

}  // namespace runahead::samples
