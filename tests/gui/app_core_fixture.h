// The fixture for tests of the window's state. It polls the AppCore as the window does, and can simulate a
// full disk.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <functional>

#include "gui/core/app_core.h"
#include "tests/support/between_checks.h"
#include "tests/support/scratch_folder.h"

namespace runahead::gui {

class AppCoreTest : public ::testing::Test {
 protected:
  // Few ops may be in flight: then a run touches little memory before its first step, and stops quickly.
  AppCoreTest() : core_(Settings{}, {}, [] {}) { core_.apply(SetEngine{.options = {.limit_ops = 1000}}); }

  // Polls as the window does, until `condition` is true. Returns false after a minute.
  bool poll_until(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < deadline) {
      core_.poll();
      if (condition()) return true;
      between_checks();
    }
    return false;
  }
  bool steps_taken(std::int64_t n) {
    return poll_until([&] { return core_.model().run && core_.model().run->steps >= n; });
  }
  // Polls once more: the run may have ended after the last poll.
  bool run_ended() {
    const bool ended = poll_until([&] { return !core_.model().live(); });
    core_.poll();
    return ended;
  }
  void start_small_run() {
    core_.apply(ChooseWorkload{"training_memory"});
    core_.apply(ChooseDevice{"virtual:0"});
    core_.apply(StartRun{});
    ASSERT_EQ(core_.error(), "");
  }
  // Runs five steps of training_memory.
  void run_to_its_end() {
    core_.apply(ChooseWorkload{"training_memory"});
    core_.apply(ChooseDevice{"virtual:0"});
    core_.apply(SetEndless{false});
    core_.apply(SetParameter{"steps", 5});
    core_.apply(StartRun{});
    ASSERT_TRUE(run_ended()) << core_.error();
  }

  runahead::testing::ScratchFolder folder_;
  AppCore core_;
};

// Simulates a full disk for one process: while this object exists, no file of the process may grow beyond
// `bytes`.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

}  // namespace runahead::gui
