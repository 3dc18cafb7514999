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

// Each run with such a share judges it by its own times, and its report shows the sentence.
TEST(HiddenShare, IsJudgedInEveryRunThatHasOne) {
  struct TimedWorkload {
    const char *workload, *first, *second, *together;
  };
  for (const TimedWorkload& one : {TimedWorkload{"overlap", "compute_s", "copy_s", "together_s"},
                                   TimedWorkload{"auto_parallel", "first_s", "second_s", "together_s"}}) {
    SCOPED_TRACE(one.workload);
    const WorkloadSpec& spec = *find_workload(one.workload);
    EXPECT_TRUE(std::ranges::any_of(spec.results,
                                    [](const ResultTable& table) { return table.sentence == "unreliable"; }));
    RunConfig config{.workload = one.workload, .settings = tiny_settings(one.workload)};
    RunReport report = report_of(std::move(config));
    const AloneAndTogether times{.first_s = report.result.at(one.first),
                                 .second_s = report.result.at(one.second),
                                 .together_s = report.result.at(one.together)};
    EXPECT_EQ(report.result.at("efficiency"), hidden_share(times));
    EXPECT_EQ(report.result_text["unreliable"], doubt_about(times, true)) << "its devices are simulated";
  }
}

}  // namespace
}  // namespace runahead::samples
