// Runs the built program with the given arguments, and returns its output and exit code.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace runahead::gui::test {

struct Ended {
  int exit_code = -1;  // -1: a signal ended the program
  int signal = 0;
  std::string out, err;
};

// A test with a separate folder, which the test removes at its end. path() names a file in this folder.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  struct Options {
    // the file that receives stdout, for example /dev/full; empty: Ended::out receives it
    std::string stdout_to;
    bool stdout_pipe_without_reader = false;
    std::vector<std::string> unset;        // environment variables to remove
    std::size_t address_bytes = 0;         // RLIMIT_AS; 0: unchanged
    std::function<void(pid_t)> meanwhile;  // called while the program runs
  };
  Ended run(const std::vector<std::string>& words, const Options& options) const;
  Ended run(const std::vector<std::string>& words) const { return run(words, Options()); }

  // Expects success, and exactly one JSON object on stdout. Returns an empty object if an expectation fails.
  nlohmann::json run_json(const std::vector<std::string>& words) const;

  // Records a short run. Returns the path of the recording.
  std::string recording(const std::string& name = "a.runahead") const;

 private:
  std::filesystem::path folder_;
};

// Expects one line on stderr that contains `part`, nothing on stdout, and this exit code.
void expect_failure(const Ended& ended, int exit_code, const std::string& part);

// What a report of `run` or `info` says was lost, without late rows. A busy machine can make rows late; they
// are in the recording, on an extra lane (LossCause::kLateRow).
inline nlohmann::json missing_rows(const nlohmann::json& report) {
  nlohmann::json lost = report.at("lost");
  lost.erase("late_row");
  return lost;
}

}  // namespace runahead::gui::test
