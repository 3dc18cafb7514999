// The built program, run by its words: what it printed, and how it ended.
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
  int exit_code = -1;  // -1: by a signal
  int signal = 0;
  std::string out, err;
};

// A folder of this test's own, removed at its end; and the program run in it.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  struct Options {
    std::string stdout_to;  // another file than the captured one, such as /dev/full
    bool stdout_pipe_without_reader = false;
    std::vector<std::string> unset;        // environment variables
    std::size_t address_bytes = 0;         // RLIMIT_AS; 0: as it is
    std::function<void(pid_t)> meanwhile;  // called while the program runs
  };
  Ended run(const std::vector<std::string>& words, const Options& options) const;
  Ended run(const std::vector<std::string>& words) const { return run(words, Options()); }

  // Success, one JSON object and nothing else on stdout. A failed expectation returns an empty object.
  nlohmann::json run_json(const std::vector<std::string>& words) const;

  // A short recorded run: its file.
  std::string recording(const std::string& name = "a.runahead") const;

 private:
  std::filesystem::path folder_;
};

// One line on stderr that holds `part`, nothing on stdout, and this exit code.
void expect_failure(const Ended& ended, int exit_code, const std::string& part);

}  // namespace runahead::gui::test
