#include <algorithm>

#include "tests/cli/program.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;

class ListTest : public ProgramTest {};
class DevicesTest : public ProgramTest {};
class ProgramItselfTest : public ProgramTest {};

TEST_F(ListTest, EveryWorkloadSaysItsParametersDefaultsAndBarriers) {
  const json listed = run_json({"list", "--json"});
  ASSERT_FALSE(listed.at("workloads").empty());
  for (const json& workload : listed.at("workloads")) {
    SCOPED_TRACE(workload.at("name"));
    EXPECT_FALSE(workload.at("question").get<std::string>().empty());
    EXPECT_FALSE(workload.at("default_device").get<std::string>().empty());
    EXPECT_FALSE(workload.at("barriers").empty());
    std::vector<std::string> names;
    for (const json& parameter : workload.at("parameters")) {
      names.push_back(parameter.at("name"));
      EXPECT_LE(parameter.at("min"), parameter.at("class"));
      EXPECT_LE(parameter.at("published"), parameter.at("max"));
    }
    for (const char* common : {"steps", "seed", "frontend_us"}) {
      EXPECT_NE(std::find(names.begin(), names.end(), common), names.end()) << common;
    }
  }
}

TEST_F(ListTest, EveryExperimentIsThere) {
  std::vector<std::string> names;
  const json listed = run_json({"list", "--json"});
  for (const json& workload : listed.at("workloads")) names.push_back(workload.at("name"));
  for (const char* name : {"warmup", "dependency_graph", "queue_vs_finish", "barriers", "increment",
                           "training_memory", "inference_memory", "auto_parallel", "overlap", "hybridize",
                           "data_parallel", "memory_hierarchy", "hidden_waits"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST_F(ListTest, EveryExerciseIsThereWithWhatToDo) {
  const json exercises = run_json({"list", "--json"}).at("exercises");
  ASSERT_EQ(exercises.size(), 8u);
  for (const json& exercise : exercises) {
    SCOPED_TRACE(exercise.at("number"));
    for (const char* field : {"title", "workload", "barrier", "size", "compare"})
      EXPECT_FALSE(exercise.at(field).get<std::string>().empty()) << field;
    EXPECT_FALSE(exercise.at("steps").empty());
    EXPECT_TRUE(exercise.at("settings").is_object());
  }
}

TEST_F(ListTest, ForAPersonItIsText) {
  const Ended ended = run({"list"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("training_memory"), std::string::npos);
  EXPECT_NE(ended.out.find("wait_to_read"), std::string::npos);
  EXPECT_NE(ended.out.find("Exercises (--exercise):\n  1  "), std::string::npos) << ended.out;
  EXPECT_EQ(ended.err, "");
}

TEST_F(DevicesTest, TheCpuAndTwoVirtualGpusAreHereAndEachThatIsNotSaysWhy) {
  std::vector<std::string> available;
  const json listed = run_json({"devices", "--json"});
  for (const json& device : listed.at("devices")) {
    if (device.at("available")) {
      available.push_back(device.at("name"));
    } else {
      EXPECT_FALSE(device.at("reason").get<std::string>().empty()) << device.at("name");
    }
    EXPECT_EQ(device.at("simulated"), device.at("name").get<std::string>().starts_with("virtual"));
  }
  const json cupti = listed.at("cupti");
  EXPECT_EQ(cupti.at("available").get<bool>(), cupti.at("reason").get<std::string>().empty());
  for (const char* name : {"cpu", "virtual:0", "virtual:1"}) {
    EXPECT_NE(std::find(available.begin(), available.end(), name), available.end()) << name;
  }
}

TEST_F(DevicesTest, ForAPersonASimulatedDeviceIsLabelled) {
  const Ended ended = run({"devices"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("virtual:0 (simulated)"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("CUPTI"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("Up to virtual:7 can be used"), std::string::npos) << ended.out;
}

TEST_F(ProgramItselfTest, SaysItsVersion) {
  const Ended ended = run({"--version"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(ended.out.starts_with("runahead ")) << ended.out;
  for (const std::string line : {"\ncommit: ", "\ncompiler: ", "\nwith: ", "\nwithout: "})
    EXPECT_NE(ended.out.find(line), std::string::npos) << line << ended.out;
}

TEST_F(ProgramItselfTest, HelpNamesEveryCommandAndEachCommandHasItsOwn) {
  const Ended ended = run({"--help"});
  EXPECT_EQ(ended.exit_code, 0);
  for (const std::string command :
       {"gui", "list", "devices", "run", "info", "stats", "export", "convert", "screenshot"}) {
    EXPECT_NE(ended.out.find(command), std::string::npos) << command;
    const Ended own = run({command, "--help"});
    EXPECT_EQ(own.exit_code, 0) << command;
    EXPECT_FALSE(own.out.empty()) << command;
    EXPECT_EQ(own.err, "") << command;
  }
}

TEST_F(ProgramItselfTest, AReaderThatWentAwayIsNoCrash) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"list"}, {"devices", "--json"}, {"--help"}}) {
    Options options;
    options.stdout_pipe_without_reader = true;
    const Ended ended = run(words, options);
    EXPECT_EQ(ended.signal, 0);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
  }
}

TEST_F(ProgramItselfTest, AFullDiskUnderStdoutIsSaid) {
  Options options;
  options.stdout_to = "/dev/full";
  expect_failure(run({"list"}, options), 1, "standard output");
}

}  // namespace
}  // namespace runahead::gui::test
