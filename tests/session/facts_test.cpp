#include <gtest/gtest.h>

#include <regex>

#include "gui/session/session_facts.h"

namespace runahead::gui {
namespace {

TEST(Facts, TheTimeIsIso8601InUtc) {
  EXPECT_TRUE(std::regex_match(iso8601_now(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")))
      << iso8601_now();
}

TEST(Facts, ACaptureSaysWhatRanWhereAndByWhichProgram) {
  samples::RunConfig config;
  config.workload = "training_memory";
  config.devices = {"virtual:0", "cpu"};
  config.barrier = {BarrierKind::kWindow, 2};
  config.engine.kind = engine::EngineKind::kNaive;
  config.settings["steps"] = "7";
  const std::map<std::string, std::string> facts = capture_facts(config);
  EXPECT_EQ(facts.at("workload"), "training_memory");
  EXPECT_EQ(facts.at("device"), "virtual:0, cpu");
  EXPECT_EQ(facts.at("barrier"), "window:2");
  EXPECT_EQ(facts.at("engine"), "naive");
  EXPECT_EQ(facts.at("setting.steps"), "7");
  EXPECT_EQ(facts.at("runahead.version"), program_version());
  EXPECT_FALSE(facts.at("host").empty());
  EXPECT_FALSE(facts.at("started_at").empty());
}

TEST(Facts, WithoutADeviceTheWorkloadsOwnIsNamed) {
  samples::RunConfig config;
  for (const samples::WorkloadSpec* spec : samples::list_workloads()) {
    config.workload = spec->name;
    EXPECT_EQ(device_names(config), spec->default_device);
  }
}

}  // namespace
}  // namespace runahead::gui
