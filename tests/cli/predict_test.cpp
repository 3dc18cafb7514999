// Tests `runahead predict` on recordings of real runs: the model's figures that do not depend on the speed of
// the machine, and the refusals.
#include <gmock/gmock.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class PredictTest : public ProgramTest {
 protected:
  // A run whose steps of the device take long, so that a busy machine does not decide how far it runs ahead.
  std::string run_with(const std::string& barrier) const {
    const std::string file = path(barrier + ".runahead");
    const Ended ended = run({"run", "inference_memory", "--device", "virtual:0", "--barrier", barrier,
                             "--set", "steps=20", "--record", file, "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return file;
  }
};

TEST_F(PredictTest, MemoryAndRunAheadOfAnotherBarrier) {
  const json measured_none = run_json({"predict", run_with("none"), "--change", "barrier=none", "--json"});
  const std::string waits = run_with("wait_to_read");
  const json from_waits = run_json({"predict", waits, "--change", "barrier=none", "--json"});
  EXPECT_LE(from_waits.at("drift"), 0.05);
  EXPECT_EQ(from_waits.at("replayed").at("peak_bytes"), from_waits.at("measured").at("peak_bytes"));
  EXPECT_EQ(from_waits.at("predicted").at("max_run_ahead_steps"), 20);
  EXPECT_EQ(from_waits.at("predicted").at("peak_bytes"), measured_none.at("measured").at("peak_bytes"));
  EXPECT_LE(from_waits.at("predicted").at("low"), from_waits.at("predicted").at("steps_per_s"));
  EXPECT_GE(from_waits.at("predicted").at("high"), from_waits.at("predicted").at("steps_per_s"));
  const json from_none =
      run_json({"predict", path("none.runahead"), "--change", "barrier=wait_to_read", "--json"});
  EXPECT_EQ(from_none.at("predicted").at("peak_bytes"), from_waits.at("measured").at("peak_bytes"));
  EXPECT_EQ(from_none.at("predicted").at("max_run_ahead_steps"), 1);
}

TEST_F(PredictTest, ASweepMarksTheKnee) {
  const std::string file = run_with("none");
  const json all = run_json({"predict", file, "--sweep", "window=1..4", "--json"});
  ASSERT_EQ(all.at("sweep").size(), 4U);
  for (int k = 1; k <= 4; ++k) {
    EXPECT_EQ(all.at("sweep")[k - 1].at("change"), "barrier=window:" + std::to_string(k));
    EXPECT_EQ(all.at("sweep")[k - 1].at("max_run_ahead_steps"), k);
  }
  EXPECT_TRUE(all.contains("knee"));
  const Ended text = run({"predict", file, "--sweep", "window=1..4"});
  EXPECT_THAT(text.out, HasSubstr("(knee)"));
}

TEST_F(PredictTest, ATwiceAsFastOpMakesItsTimeHalf) {
  const std::string file = run_with("none");
  const json base = run_json({"predict", file, "--json"});
  const json faster = run_json({"predict", file, "--change", "op:dense=0.5", "--json"});
  EXPECT_GT(faster.at("predicted").at("steps_per_s"), base.at("predicted").at("steps_per_s"));
  expect_failure(run({"predict", file, "--change", "op:nothing=0.5"}), 2, "the run has");
}

TEST_F(PredictTest, WrongWordsAndFilesThatCannotBeReplayedAreRefused) {
  const std::string file = recording();
  expect_failure(run({"predict", file, "--change", "barrier"}), 2, "KEY=VALUE");
  expect_failure(run({"predict", file, "--change", "colour=red"}), 2, "unknown change 'colour'");
  expect_failure(run({"predict", file, "--change", "barrier=often"}), 2, "often");
  expect_failure(run({"predict", file, "--change", "workers=0"}), 2, "workers=0");
  expect_failure(run({"predict", file, "--sweep", "window=5..1"}), 2, "KEY=A..B");
  expect_failure(run({"predict"}), 2, "file");
  expect_failure(run({"predict", path("missing.runahead")}), 1, "missing.runahead");
  std::ofstream(path("empty.json"))
      << R"({"traceEvents": [{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]})";
  expect_failure(run({"predict", path("empty.json")}), 1, "cannot be replayed");
}

}  // namespace
}  // namespace runahead::gui::test
