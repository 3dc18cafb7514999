// Tests runs that are ended before all their steps are done: by Ctrl-C and by kill -9.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/cli/program.h"
#include "tests/support/between_checks.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;

class InterruptTest : public ProgramTest {
 protected:
  // A run that lasts far longer than the test.
  std::vector<std::string> long_run(const std::string& file) const {
    return {"run",   "training_memory", "--device", "virtual:0", "--barrier", "waitall",
            "--set", "steps=100000",    "--record", file,        "--json"};
  }
  // Waits until the recording contains rows, then sends `signal`. Stops waiting if the program ends by
  // itself.
  static Options signal_once_recorded(const std::string& file, int signal) {
    Options options;
    options.meanwhile = [file, signal](pid_t child) {
      std::error_code none;
      const auto size = [&] {
        return std::filesystem::exists(file, none) ? std::filesystem::file_size(file, none) : 0;
      };
      while (size() < 20'000) {
        siginfo_t ended{};
        if (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            ended.si_pid != 0)
          return;
        between_checks();
      }
      kill(child, signal);
    };
    return options;
  }
};

TEST_F(InterruptTest, CtrlCEndsTheRunFinishesTheRecordingAndSaysSoInOneLine) {
  const std::string file = path("a.runahead");
  const Ended ended = run(long_run(file), signal_once_recorded(file, SIGINT));
  EXPECT_EQ(ended.signal, 0);
  expect_failure(ended, 130, "interrupted");
  const json info = run_json({"info", file, "--json"});
  EXPECT_GT(info.at("slices"), 0);
  EXPECT_EQ(info.at("complete"), true);
}

TEST_F(InterruptTest, CtrlCEndsARunInTheMidstOfItsMeasuringParts) {
  const std::string file = path("a.runahead");
  const Ended ended = run({"run", "auto_parallel", "--device", "cpu", "--set", "steps=100000", "--set",
                           "extent=256", "--record", file, "--json"},
                          signal_once_recorded(file, SIGINT));
  EXPECT_EQ(ended.signal, 0);
  expect_failure(ended, 130, "interrupted after 0 steps");
  EXPECT_EQ(run_json({"info", file, "--json"}).at("complete"), true);
}

TEST_F(InterruptTest, ATerminationIsTheSameWithItsOwnCode) {
  const std::string file = path("a.runahead");
  expect_failure(run(long_run(file), signal_once_recorded(file, SIGTERM)), 143, "interrupted");
}

TEST_F(InterruptTest, ARecordingOfAProgramKilledInTheMiddleOpensUpToItsLastWholeBlock) {
  const std::string file = path("a.runahead");
  const Ended ended = run(long_run(file), signal_once_recorded(file, SIGKILL));
  ASSERT_EQ(ended.signal, SIGKILL);
  const json info = run_json({"info", file, "--json"});
  EXPECT_GT(info.at("slices"), 0);
  EXPECT_GT(info.at("ops"), 0);
  EXPECT_EQ(info.at("metadata").at("workload"), "training_memory");
  EXPECT_EQ(run({"stats", file}).exit_code, 0);
}

}  // namespace
}  // namespace runahead::gui::test
