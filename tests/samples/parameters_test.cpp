#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "samples/workload.h"

namespace runahead::samples {
namespace {

const WorkloadSpec& training() {
  for (const WorkloadSpec* spec : list_workloads()) {
    if (spec->name == "training_memory") return *spec;
  }
  ADD_FAILURE();
  return *list_workloads().front();
}
std::string error_of(const std::map<std::string, std::string>& settings, const char* size = "class") {
  const Result<Parameters> parameters = make_parameters(training(), size, settings);
  EXPECT_FALSE(parameters.ok());
  return parameters.ok() ? "" : parameters.error().message;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Workloads, EachSaysWhatItIsAndHasDefaultsWithinItsRanges) {
  std::set<std::string> names;
  for (const WorkloadSpec* spec : list_workloads()) {
    SCOPED_TRACE(spec->name);
    EXPECT_TRUE(names.insert(spec->name).second);
    for (const std::string& text :
         {spec->title, spec->question, spec->look_for, spec->published, spec->default_device})
      EXPECT_FALSE(text.empty());
    for (const char* common : {"steps", "seed", "frontend_us"}) {
      EXPECT_EQ(std::count_if(spec->parameters.begin(), spec->parameters.end(),
                              [&](const ParameterSpec& p) { return p.name == common; }),
                1)
          << common;
    }
    for (const ParameterSpec& parameter : spec->parameters) {
      EXPECT_FALSE(parameter.help.empty()) << parameter.name;
      EXPECT_FALSE(parameter.title.empty()) << parameter.name;
      for (const double value : {parameter.class_value, parameter.published_value}) {
        EXPECT_GE(value, parameter.min) << parameter.name;
        EXPECT_LE(value, parameter.max) << parameter.name;
      }
    }
    EXPECT_TRUE(make_parameters(*spec, "class", {}).ok());
    EXPECT_TRUE(make_parameters(*spec, "published", {}).ok());
    EXPECT_TRUE(make_workload(spec->name).ok());
  }
  // The list of workloads has exactly one name for each source file that defines a workload.
  std::set<std::string> sources;
  for (const auto& entry : std::filesystem::directory_iterator(RUNAHEAD_SOURCE_ROOT "/samples/workloads")) {
    std::ifstream in(entry.path());
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (text.find("\nconstexpr WorkloadEntry k") != std::string::npos) sources.insert(entry.path().stem());
  }
  EXPECT_EQ(names, sources);
  for (const char* name :
       {"dependency_graph", "warmup", "queue_vs_finish", "increment", "barriers", "training_memory",
        "inference_memory", "overlap", "auto_parallel", "memory_hierarchy", "hybridize", "data_parallel"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Workloads, AnUnknownNameIsNamedAndTheOthersListed) {
  const auto workload = make_workload("trainning");
  ASSERT_FALSE(workload.ok());
  EXPECT_TRUE(has(workload.error().message, "'trainning'")) << workload.error().message;
  EXPECT_TRUE(has(workload.error().message, "training_memory, dependency_graph")) << workload.error().message;
}

TEST(Parameters, TheSizeChoosesDefaultsAndSettingsGoOverThem) {
  const Result<Parameters> published = make_parameters(training(), "published", {{"batch", "64"}});
  ASSERT_TRUE(published.ok());
  EXPECT_EQ(published->at("hidden1"), 2048);
  EXPECT_EQ(published->at("batch"), 64);
  EXPECT_EQ(make_parameters(training(), "class", {{"rate", "1e-2"}})->at("rate"), 0.01);
}

TEST(Parameters, AnUnknownOneIsNamedAndTheOthersListed) {
  const std::string error = error_of({{"batchs", "3"}});
  EXPECT_TRUE(has(error, "'batchs'") && has(error, "batch, features")) << error;
}

TEST(Parameters, WhatIsNoNumberOrOutOfRangeIsRefusedByName) {
  EXPECT_TRUE(has(error_of({{"batch", "many"}}), "'many'"));
  EXPECT_TRUE(has(error_of({{"batch", ""}}), "not a number"));
  EXPECT_TRUE(has(error_of({{"batch", "12x"}}), "not a number"));
  EXPECT_TRUE(has(error_of({{"batch", "nan"}}), "not a number"));
  EXPECT_TRUE(has(error_of({{"batch", "2.5"}}), "whole"));
  EXPECT_TRUE(has(error_of({{"batch", "0"}}), "out of range"));
  EXPECT_TRUE(has(error_of({{"frontend_us", "-1"}}), "out of range"));
}

TEST(Parameters, AnUnknownSizeIsNamed) { EXPECT_TRUE(has(error_of({}, "huge"), "'huge'")); }

}  // namespace
}  // namespace runahead::samples
