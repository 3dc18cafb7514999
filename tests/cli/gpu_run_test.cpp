// Tests runs on a GPU; the host simulates the GPU if the machine has none. The ops from the engine and the
// activities from CUPTI are on one timeline. Work that the engine and CUPTI both report is counted once.
#include <gmock/gmock.h>

#include "tests/cli/program.h"
#include "tests/host_cuda/host_cuda.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class GpuRunTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    host_cuda::use_host_cuda();
  }
  void TearDown() override {
    host_cuda::use_own_cuda();
    ProgramTest::TearDown();
  }
  json recorded_run(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"run",      "training_memory", "--device",         "cuda:0", "--set",
                                   "steps=10", "--record",        path("a.runahead"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_json(words);
  }
  std::int64_t count(const std::string& what) const {
    const json answer = run_json({"query", path("a.runahead"), "SELECT count(*) FROM " + what, "--json"});
    return answer.empty() ? -1 : answer["rows"][0][0].get<std::int64_t>();
  }
};

TEST_F(GpuRunTest, ShowsTheCardsOwnActivityBesideTheOpsThatItBelongsTo) {
  const json run = recorded_run({});
  ASSERT_TRUE(run["cupti"]["recorded"]) << run["cupti"]["why_not"];
  EXPECT_EQ(run["cupti"]["lost"], 0);
  const std::string kernels = "slice WHERE track_name = 'compute, by CUPTI'";
  const std::string copies = "slice WHERE track_name = 'copy to device, by CUPTI'";
  EXPECT_GT(count(kernels), 100);
  EXPECT_EQ(count(copies), 10);
  // Each kernel and each copy is part of exactly one enqueued op.
  const std::string part = " AND op IN (SELECT id FROM op) AND flags = 'part_of_op'";
  EXPECT_EQ(count(kernels + part), count(kernels));
  EXPECT_EQ(count(copies + part), count(copies));
}

TEST_F(GpuRunTest, TiesEachPieceOfWorkToItsLaunchAndTheLaunchToItsEnqueue) {
  recorded_run({});
  const std::string works = "slice WHERE track_name LIKE '%, by CUPTI'";
  EXPECT_EQ(count("flow WHERE kind = 'launch_to_device'"), count(works));
  EXPECT_EQ(count("flow JOIN track a ON a.id = from_track JOIN track b ON b.id = to_track WHERE a.kind = "
                  "'frontend' AND b.name LIKE 'cuda:0 %: CUDA calls'"),
            count(works));
}

TEST_F(GpuRunTest, LeavesCuptiOutWhereThatIsAsked) {
  const json run = recorded_run({"--no-cupti"});
  EXPECT_FALSE(run["cupti"]["recorded"]);
  EXPECT_THAT(run["cupti"]["why_not"].get<std::string>(), HasSubstr("turned off"));
  EXPECT_EQ(count("track WHERE name LIKE '%CUPTI'"), 0);
  EXPECT_GT(count("slice WHERE track_name = 'compute'"), 100);
}

TEST_F(GpuRunTest, SaysNothingOfCuptiWhereNoGpuIsUsed) {
  const json run = run_json({"run", "increment", "--device", "cpu", "--set", "steps=10", "--json"});
  EXPECT_FALSE(run.contains("cupti"));
}

}  // namespace
}  // namespace runahead::gui::test
