#include "tests/cli/program.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;

class ExerciseTest : public ProgramTest {};
class PublishedTest : public ProgramTest {};

TEST_F(ExerciseTest, RunsByItsNumberAloneWithItsOwnSettings) {
  const json report = run_json({"run", "--exercise", "2", "--json"});
  EXPECT_EQ(report.at("exercise"), 2);
  EXPECT_EQ(report.at("workload"), "training_memory");
  EXPECT_EQ(report.at("device"), "virtual:0");
  EXPECT_EQ(report.at("barrier"), "window:2");
  EXPECT_EQ(report.at("steps"), 60);
}

TEST_F(ExerciseTest, OtherWordsChangeWhatItSets) {
  const json report = run_json(
      {"run", "--exercise", "2", "--barrier", "none", "--device", "cpu", "--set", "steps=3", "--json"});
  EXPECT_EQ(report.at("exercise"), 2);
  EXPECT_EQ(report.at("barrier"), "none");
  EXPECT_EQ(report.at("device"), "cpu");
  EXPECT_EQ(report.at("steps"), 3);
}

TEST_F(ExerciseTest, AsTextItSaysWhatToDoAndWhatToCompare) {
  const Ended ended = run({"run", "--exercise", "5"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("exercise 5: ")) << ended.out;
  EXPECT_NE(ended.out.find("Compare: "), std::string::npos) << ended.out;
}

TEST_F(ExerciseTest, WrongNumbersAndAnotherWorkloadAreRefused) {
  expect_failure(run({"run", "--exercise", "99"}), 2, "there are 1 to 8");
  expect_failure(run({"run", "--exercise", "0"}), 2, "exercise");
  expect_failure(run({"run", "overlap", "--exercise", "2"}), 2, "runs training_memory");
  expect_failure(run({"run"}), 2, "workload is required");
}

TEST_F(PublishedTest, FiguresStandBesideThoseMeasuredWithTheShapeOfBoth) {
  const json report = run_json({"run", "increment", "--set", "steps=1", "--json"});
  EXPECT_TRUE(report.at("exercise").is_null());
  const json& rows = report.at("published");
  ASSERT_GE(rows.size(), 2u);
  EXPECT_EQ(rows[1].at("label"), "a wait after each");
  EXPECT_EQ(rows[1].at("published"), 1.0607);
  EXPECT_EQ(rows[1].at("unit"), "s");
  const json& result = report.at("result");
  EXPECT_NEAR(rows[1].at("shape_published").get<double>(), 1.2053, 1e-3);
  EXPECT_NEAR(rows[1].at("shape_here").get<double>(),
              result.at("sync_s").get<double>() / result.at("async_s").get<double>(), 1e-9);
}

TEST_F(PublishedTest, WhatThisRunDidNotMeasureSaysWhichRunWould) {
  const json report = run_json({"run", "training_memory", "--set", "steps=3", "--device", "cpu", "--json"});
  bool found = false;
  for (const json& row : report.at("published")) {
    EXPECT_EQ(row.at("here").is_null(), !row.at("note").is_null()) << row;
    found = found || (row.at("here").is_null() &&
                      row.at("note").get<std::string>().find("wait_to_read") != std::string::npos);
  }
  EXPECT_TRUE(found) << report.at("published");
}

TEST_F(PublishedTest, AsTextTheyAreATable) {
  const Ended ended = run({"run", "queue_vs_finish", "--set", "steps=2"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("published beside here"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("2.1746 s"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("to queued"), std::string::npos) << ended.out;
}

}  // namespace
}  // namespace runahead::gui::test
