#include "samples/hidden_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/samples/run_support.h"

namespace runahead::samples {
namespace {

using ::testing::HasSubstr;

TEST(HiddenShare, IsThatOfTheShorterTime) {
  EXPECT_DOUBLE_EQ(hidden_share({.first_s = 4, .second_s = 2, .together_s = 4}), 1);
  EXPECT_DOUBLE_EQ(hidden_share({.first_s = 2, .second_s = 4, .together_s = 5}), 0.5);
  EXPECT_DOUBLE_EQ(hidden_share({.first_s = 2, .second_s = 4, .together_s = 7}), -0.5);
}

TEST(HiddenShare, IsUnreliableIfOverlapCannotExplainIt) {
  for (const bool modelled : {true, false}) {
    EXPECT_EQ(doubt_about({4, 2, 4}, modelled), "");
    EXPECT_EQ(doubt_about({4, 2, 7}, modelled), "");
    EXPECT_THAT(doubt_about({4, 2, 3.8}, modelled), HasSubstr("Overlap cannot do that"));
  }
}

TEST(HiddenShare, IsUnreliableIfNoiseIsALargePartOfTheShorterTime) {
  EXPECT_THAT(doubt_about({1, 0.19, 1}, false), HasSubstr("less than a fifth"));
  EXPECT_THAT(doubt_about({0.19, 1, 1}, false), HasSubstr("less than a fifth"));
  EXPECT_EQ(doubt_about({1, 0.21, 1}, false), "");
  EXPECT_EQ(doubt_about({1, 0.19, 1}, true), "") << "a model repeats";
}

// Each run with such a share judges it, and its report shows the sentence.
TEST(HiddenShare, IsJudgedInEveryRunThatHasOne) {
  for (const char* workload : {"overlap", "auto_parallel", "data_parallel"}) {
    const WorkloadSpec& spec = *find_workload(workload);
    EXPECT_TRUE(std::ranges::any_of(spec.results, [](const ResultTable& table) {
      return table.sentence == "unreliable";
    })) << workload;
    RunConfig config{.workload = workload, .settings = tiny_settings(workload)};
    const RunReport report = report_of(std::move(config));
    if (report.result.at("efficiency") > kMostHiddenShare) {
      EXPECT_EQ(report.result_text.count("unreliable"), 1u) << workload;
    }
  }
}

}  // namespace
}  // namespace runahead::samples
