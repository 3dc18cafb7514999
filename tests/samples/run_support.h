// Starts small runs for the tests of samples, and waits for conditions.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "samples/runner.h"
#include "tests/support/between_checks.h"

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

// Returns true as soon as `condition` is true. Returns false after 60 s; only a hang takes that long.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    between_checks();
  }
  return true;
}

using Settings = std::map<std::string, std::string>;
// Settings with which a complete run takes milliseconds. REQUIRES: a workload has this name.
inline Settings tiny_settings(const std::string& workload) { return find_workload(workload)->tiny_settings; }

}  // namespace runahead::samples
