// Tests `runahead live`, `attach` and `control`: a recording is followed while its program writes it.
#include <gmock/gmock.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>

#include "gui/cli/cli.h"
#include "instrumentation/link/file_follower.h"
#include "tests/cli/program.h"
#include "tests/support/between_checks.h"

namespace runahead::gui::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

std::int64_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

class LiveTest : public ProgramTest {
 protected:
  std::string file() const { return path("a.runahead"); }
  // The program of recorded_program.cpp: zones, a wait for the file `go`, the same number of zones.
  std::vector<std::string> waiting_program(int zones) const {
    return {RUNAHEAD_RECORDED_PROGRAM, "waits", std::to_string(zones), path("mark"), path("go")};
  }
  void go_on() const { std::ofstream(path("go")) << "go on\n"; }
  static std::vector<std::string> live(std::vector<std::string> options, std::vector<std::string> command) {
    std::vector<std::string> words{"live"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
};

// A program that records into `file`. The constructor returns when the program has written its first zones
// and waits for the file `go`. The destructor makes this file and waits for the program's end.
class RecordingProgram {
 public:
  RecordingProgram(std::vector<std::string> words, const std::string& file, const std::string& mark,
                   std::string go)
      : go_(std::move(go)) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      setenv("RUNAHEAD_RECORD", file.c_str(), 1);
      execv(argv[0], argv.data());
      _exit(127);
    }
    while (!fs::exists(mark)) between_checks();
  }
  ~RecordingProgram() {
    std::ofstream(go_) << "go on\n";
    end();
  }
  RecordingProgram(const RecordingProgram&) = delete;
  RecordingProgram& operator=(const RecordingProgram&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Waits for the program's end. Returns its exit code, or -1 after a signal.
  int end() {
    if (int status = 0; !ended_ && waitpid(pid_, &status, 0) == pid_) {
      ended_ = true;
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return exit_code_;
  }

 private:
  std::string go_;
  pid_t pid_ = 0;
  bool ended_ = false;
  int exit_code_ = -1;
};

// True if the process has the file open, or has ended.
bool has_open(pid_t process, const fs::path& file) {
  siginfo_t ended{};
  if (waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      ended.si_pid != 0)
    return true;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd", none)) {
    if (fs::read_symlink(entry.path(), none) == file) return true;
  }
  return false;
}

class AttachTest : public LiveTest {
 protected:
  RecordingProgram record_program() const { return {waiting_program(500), file(), path("mark"), path("go")}; }
  // Runs `attach`, and lets the program end when `attach` has opened its recording.
  Ended attach_until_end(std::vector<std::string> words) const {
    Options options;
    options.meanwhile = [this](pid_t child) {
      while (!has_open(child, file())) between_checks();
      go_on();
    };
    words.insert(words.begin(), {"attach", "--headless"});
    return run(words, options);
  }
};

TEST_F(LiveTest, AllRowsOfTheProgramArriveAndItsExitCodeIsReturned) {
  const Ended ended = run(live({"--headless", "--json"}, {RUNAHEAD_RECORDED_PROGRAM, "work", "1000"}));
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_EQ(ended.err, "");
  const json report = json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << ended.out;
  EXPECT_EQ(report.at("slices"), 1000);
  EXPECT_EQ(missing_rows(report), json::object());
  EXPECT_EQ(report.at("ended"), true);
  EXPECT_EQ(report.at("processes"), 1);
  EXPECT_GT(report.at("pid"), 0);
  EXPECT_EQ(report.at("behind_bytes"), 0);
  EXPECT_FALSE(fs::exists(report.at("recording").get<std::string>()));
}

// `sh` records nothing itself. It starts two programs that do.
std::vector<std::string> two_programs(const std::string& words, const std::string& other_words) {
  const std::string program = RUNAHEAD_RECORDED_PROGRAM;
  return {"sh", "-c", program + " " + words + " & " + program + " " + other_words + "; wait"};
}

TEST_F(LiveTest, TheProcessesThatAProgramStartsAreOnOneTimeline) {
  const Ended ended =
      run(live({"--headless", "--json", "-o", file()}, two_programs("work 1000", "work 500")));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const json report = json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << ended.out << ended.err;
  EXPECT_EQ(report.at("processes"), 2);
  EXPECT_EQ(report.at("slices"), 1500);
  EXPECT_EQ(missing_rows(report), json::object());
  EXPECT_EQ(report.at("recording"), file());
  EXPECT_THAT(ended.err, HasSubstr("recorded " + file() + ": 2 processes, 1500 slices on "));
  const json metadata = run_json({"info", file(), "--json"}).at("metadata");
  EXPECT_EQ(metadata.at("process.0.clock"), "reference");
  EXPECT_EQ(metadata.at("process.1.clock"), "shared");
  // The recordings of the processes are in the joined one, so they are removed.
  const auto is_recording = [](const fs::path& found) { return found.extension() == ".runahead"; };
  EXPECT_EQ(std::ranges::count_if(fs::directory_iterator(fs::path(file()).parent_path()), is_recording), 1);
}

TEST_F(LiveTest, AProgramThatRecordsItselfAndStartsOthersIsJoinedWithThem) {
  const Ended ended = run(live({"--headless", "--json", "-o", file()},
                               {RUNAHEAD_RECORDED_PROGRAM, "spawn", RUNAHEAD_RECORDED_PROGRAM, "100"}));
  const json report = json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << ended.out << ended.err;
  EXPECT_EQ(report.at("processes"), 3);
  EXPECT_EQ(report.at("slices"), 300);
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("slices"), 300);
}

TEST_F(LiveTest, ASwitchOfSeveralProcessesIsTurnedInAllOfThem) {
  Options options;
  options.meanwhile = [this](pid_t) {
    while (!fs::exists(path("mark")) || !fs::exists(path("mark2"))) between_checks();
    // The joined recording is a program in the list; the processes are there too.
    const auto joined = [&]() -> std::string {
      const json list = run_json({"attach", "--json"});
      for (const json& program : list.at("programs")) {
        if (program.at("recording").get<std::string>().ends_with(".joined.runahead"))
          return std::to_string(program.at("pid").get<std::int64_t>());
      }
      return "";
    };
    std::string pid;
    while ((pid = joined()).empty()) between_checks();
    while (run({"control", pid, "barrier=every step", "depth=8"}).exit_code != 0) between_checks();
  };
  const Ended ended =
      run(live({"--headless", "--json"}, two_programs("controlled " + path("mark") + " " + path("never"),
                                                      "controlled " + path("mark2") + " " + path("never"))),
          options);
  const json report = json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << ended.out << ended.err;
  EXPECT_EQ(report.at("processes"), 2);
}

TEST_F(LiveTest, TheRecordingOfAProcessThatWasKilledStays) {
  const std::string program = RUNAHEAD_RECORDED_PROGRAM, mark = path("mark");
  const std::string other = path("a.joined.runahead");
  std::ofstream(other) << "a file of the user";
  const Ended ended = run(live({"--headless", "-o", file()},
                               {"sh", "-c",
                                program + " until-signal " + mark + " & P=$!; while [ ! -e " + mark +
                                    " ]; do sleep 0.01; done; kill -9 $P; " + program + " work 10"}));
  EXPECT_THAT(ended.err, HasSubstr("1 recording of processes that did not end well stays beside it"));
  const json info = run_json({"info", file(), "--json"});
  EXPECT_EQ(info.at("metadata").at("processes"), "2");
  EXPECT_EQ(info.at("metadata").at("process.0.ended"), "no");
  EXPECT_GE(info.at("slices"), 1010);
  EXPECT_GE(run_json({"info", path("a.first.runahead"), "--json"}).at("slices"), 1000);
  EXPECT_EQ(fs::file_size(other), 18u);
}

TEST_F(LiveTest, ASignalEndsItWhenOnlyProcessesThatWereLeftBehindRecord) {
  const std::string program = RUNAHEAD_RECORDED_PROGRAM;
  Options options;
  options.meanwhile = [this](pid_t live) {
    while (!fs::exists(path("left"))) between_checks();
    // A signal goes to the program, until `live` has seen that the program has ended. When `live` has renamed
    // the recording, it is about to end, and a signal would end it before it has said why.
    for (siginfo_t end{}; end.si_pid == 0 && !fs::exists(path("a.first.runahead")); between_checks()) {
      kill(live, SIGTERM);
      if (waitid(P_PID, static_cast<id_t>(live), &end, WEXITED | WNOHANG | WNOWAIT) != 0) break;
    }
  };
  // The shell ends at once, and leaves a program that records for ever.
  const Ended ended =
      run(live({"--headless", "-o", file()},
               {"sh", "-c",
                "(trap '' TERM; exec " + program + " waits 100 " + path("mark") + " " + path("go") +
                    ") & while [ ! -e " + path("mark") + " ]; do sleep 0.01; done; touch " + path("left")}),
          options);
  EXPECT_THAT(ended.err, HasSubstr("stays beside it")) << ended.out;
  EXPECT_GE(run_json({"info", file(), "--json"}).at("slices"), 100);
  go_on();
  // The program looks for a file in our folder, so the folder stays until its recording has ended.
  while (link::is_being_written(path("a.first.runahead"))) between_checks();
}

TEST_F(LiveTest, RecordingsOfSeveralProcessesAreMerged) {
  ASSERT_EQ(run({"record", "-o", file(), "--", "sh", "-c", two_programs("work 30", "work 20")[2]}).exit_code,
            0);
  std::vector<std::string> words{"merge", "--json", "-o", path("all.runahead"), file()};
  for (const auto& entry : fs::directory_iterator(fs::path(file()).parent_path())) {
    if (entry.path() != file() && entry.path().extension() == ".runahead") words.push_back(entry.path());
  }
  ASSERT_EQ(words.size(), 6u);
  const json report = run_json(words);
  EXPECT_EQ(report.at("slices"), 50);
  EXPECT_EQ(report.at("processes").size(), 2u);
  EXPECT_EQ(report.at("processes")[1].at("clock"), "shared");
  EXPECT_EQ(report.at("processes")[1].at("error_ns"), 0);
  const Ended refused = run({"merge", file(), "-o", file()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is one of the traces"));
}

TEST_F(LiveTest, ARecordingThatIsKeptHasAllRows) {
  const Ended ended = run(live({"--headless", "-o", file()}, {RUNAHEAD_RECORDED_PROGRAM, "work", "1000"}));
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("followed " + file() + ": 1000 slices, 0 ops, "));
  EXPECT_THAT(ended.out, HasSubstr("; the recording has ended\n"));
  EXPECT_EQ(lines_of(ended.out), 1);
  EXPECT_THAT(ended.err, HasSubstr("recorded " + file() + ": 1000 slices on "));
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("complete"), true);
  EXPECT_EQ(run(live({"--headless", "-o", file()}, {RUNAHEAD_RECORDED_PROGRAM, "work", "10"})).exit_code, 3);
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("slices"), 10);
}

TEST_F(LiveTest, AfterTheDurationTheProgramGoesOn) {
  Options options;
  options.stdout_to = path("report.txt");
  options.meanwhile = [this](pid_t) {
    while (!fs::exists(path("report.txt")) || fs::file_size(path("report.txt")) == 0) between_checks();
    go_on();
  };
  const Ended ended =
      run(live({"--headless", "--duration", "0", "--json", "-o", file()}, waiting_program(100)), options);
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  const json report = json::parse(std::ifstream(path("report.txt")), nullptr, false);
  EXPECT_EQ(report.at("ended"), false);
  EXPECT_LE(report.at("slices"), 100);
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("slices"), 200);
}

TEST_F(LiveTest, TheOutputOfTheProgramDoesNotMixWithTheJson) {
  const Ended ended =
      run(live({"--headless", "--json"}, {RUNAHEAD_RECORDED_PROGRAM, "own", path("b.runahead"), "10"}));
  EXPECT_TRUE(json::parse(ended.out, nullptr, false).is_object()) << ended.out;
  EXPECT_NE(ended.err, "");
}

TEST_F(LiveTest, ASignalGoesToTheProgramAndAllRowsUntilItsEndArrive) {
  Options options;
  options.meanwhile = [this](pid_t child) {
    while (!fs::exists(path("mark"))) between_checks();
    kill(child, SIGTERM);
  };
  const Ended ended =
      run(live({"--headless", "--json"}, {RUNAHEAD_RECORDED_PROGRAM, "until-signal", path("mark")}), options);
  EXPECT_EQ(ended.exit_code, 128 + SIGTERM);
  EXPECT_THAT(ended.err, HasSubstr("was ended by signal 15"));
  const json report = json::parse(ended.out, nullptr, false);
  EXPECT_GE(report.at("slices"), 1000);
  json lost = report.at("lost");
  if (lost.contains("unfinished_slice")) {  // the signal came within a slice
    EXPECT_EQ(lost.at("unfinished_slice"), 1);
    lost.erase("unfinished_slice");
  }
  EXPECT_EQ(lost, json::object());
}

TEST_F(LiveTest, TheWindowGetsTheFileAndTheProgramOutlivesIt) {
  fs::path seen;
  WindowEntry window;
  window.open = [&](const WindowRequest& request) -> Result<int> {
    seen = request.files.front();
    EXPECT_TRUE(link::is_being_written(seen));
    go_on();
    return 0;
  };
  std::vector<std::string> words = live({}, waiting_program(100));
  words.insert(words.begin(), "runahead");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  EXPECT_EQ(run_command_line(static_cast<int>(argv.size()), argv.data(), window), 3);
  EXPECT_EQ(seen.filename(), fs::path(RUNAHEAD_RECORDED_PROGRAM).filename().string() + ".runahead");
  EXPECT_FALSE(fs::exists(seen.parent_path()));
}

TEST_F(LiveTest, AProgramThatRecordsNothingIsToldSo) {
  expect_failure(run(live({"--headless"}, {"sh", "-c", "exit 0"})), 1, "'sh' recorded nothing: neither it");
  expect_failure(run(live({"--headless"}, {"sh", "-c", "exit 7"})), 7, "'sh' recorded nothing");
}

TEST_F(LiveTest, WhatCannotBeIsRefusedBefore) {
  expect_failure(run(live({"--headless"}, {"no-such-program"})), 1, "'no-such-program': not found");
  expect_failure(run(live({"--headless", "-o", path("none/a.runahead")}, {"true"})), 1,
                 "its folder does not exist");
  expect_failure(run({"live", "--headless"}), 2, "command");
  expect_failure(run(live({"--json"}, {"true"})), 2, "--headless");
  expect_failure(run(live({"--headless", "--duration", "soon"}, {"true"})), 2, "'soon'");
  expect_failure(run(live({"--headless", "-o", ""}, {"true"})), 2, "--output");
}

TEST_F(AttachTest, AFileIsFollowedUntilItsProgramEnds) {
  const RecordingProgram program = record_program();
  const Ended ended = attach_until_end({file(), "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const json report = json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << ended.out;
  EXPECT_EQ(report.at("recording"), file());
  EXPECT_EQ(report.at("pid"), program.pid());
  EXPECT_EQ(report.at("slices"), 1000);
  EXPECT_EQ(missing_rows(report), json::object());
  EXPECT_EQ(report.at("ended"), true);
  EXPECT_GE(report.at("behind_ms").at("worst"), report.at("behind_ms").at("median"));
}

TEST_F(AttachTest, ACopyOpensWithAllRows) {
  const RecordingProgram program = record_program();
  const Ended ended = attach_until_end({file(), "-o", path("copy.runahead")});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("followed " + file() + ": 1000 slices, "));
  const json copy = run_json({"info", path("copy.runahead"), "--json"});
  EXPECT_EQ(copy.at("slices"), 1000);
  EXPECT_EQ(copy.at("complete"), true);
}

TEST_F(AttachTest, ACopyOfAProgramThatRecordsOnHasTheRowsUntilNow) {
  const RecordingProgram program = record_program();
  const Ended ended = run({"attach", file(), "--headless", "--duration", "0", "-o", path("copy.runahead")});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(": 500 slices, "));
  EXPECT_THAT(ended.out, HasSubstr("; the program records on\n"));
  EXPECT_EQ(run_json({"info", path("copy.runahead"), "--json"}).at("slices"), 500);
  expect_failure(run({"attach", file(), "--headless", "-o", file()}), 1, "is the recording itself");
}

TEST_F(AttachTest, CtrlCEndsTheFollowingAndNotTheProgram) {
  const RecordingProgram program = record_program();
  Options options;
  options.meanwhile = [this](pid_t child) {
    while (!has_open(child, file())) between_checks();
    kill(child, SIGINT);
  };
  const Ended ended = run({"attach", file(), "--headless", "--json"}, options);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const json report = json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << ended.out;
  EXPECT_EQ(report.at("slices"), 500);
  EXPECT_EQ(report.at("ended"), false);
  EXPECT_TRUE(link::is_being_written(file()));
}

TEST_F(AttachTest, WithoutASourceTheProgramsThatRecordAreListed) {
  const json nobody = run_json({"attach", "--json"});
  EXPECT_TRUE(nobody.at("programs").is_array());
  const RecordingProgram program = record_program();
  const json programs = run_json({"attach", "--json"}).at("programs");
  const auto found =
      std::ranges::find_if(programs, [&](const json& p) { return p.at("pid") == program.pid(); });
  ASSERT_NE(found, programs.end()) << programs.dump();
  EXPECT_EQ(found->at("recording"), file());
  EXPECT_THAT(found->at("command").get<std::string>(), HasSubstr(" waits 500 "));
}

TEST_F(AttachTest, AProgramIsFollowedByItsNumber) {
  const RecordingProgram program = record_program();
  const Ended ended = attach_until_end({std::to_string(program.pid()), "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  const json report = json::parse(ended.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << ended.out;
  EXPECT_EQ(report.at("recording"), file());
  EXPECT_EQ(report.at("slices"), 1000);
  EXPECT_EQ(report.at("ended"), true);
}

TEST_F(AttachTest, WhatIsNotWrittenNowIsRefused) {
  expect_failure(run({"attach", recording(), "--headless"}), 1,
                 "no program is writing it; open it with `runahead " + file() + "`");
  expect_failure(run({"attach", path("none.runahead"), "--headless"}), 1, "none.runahead");
  expect_failure(run({"attach", std::to_string(getpid()), "--headless"}), 1, "does not record");
  expect_failure(run({"attach", "99999999999", "--headless"}), 1, "not a process number");
}

TEST_F(AttachTest, WordsThatDoNotFitAreRefused) {
  expect_failure(run({"attach", file(), "-o", path("b.runahead")}), 2, "-o needs --headless");
  expect_failure(run({"attach", file(), "--json"}), 2, "--headless");
  expect_failure(run({"attach", "--headless"}), 2, "SOURCE");
  expect_failure(run({"attach", ""}), 2, "source");
  expect_failure(run({"attach", file(), "--headless", "--duration", "-1"}), 2, "'-1'");
}

TEST_F(AttachTest, ControlsAreOfAProgramThatRecords) {
  expect_failure(run({"control", "a.runahead"}), 2, "not a process number");
  expect_failure(run({"control", "1", "barrier"}), 2, "'barrier': not NAME=VALUE");
  expect_failure(run({"control"}), 2, "source");
  expect_failure(run({"control", std::to_string(getpid())}), 1, "does not record");
}

TEST_F(AttachTest, ControlsAreListedAndSet) {
  RecordingProgram program({RUNAHEAD_RECORDED_PROGRAM, "controlled", path("mark"), path("go")}, file(),
                           path("mark"), path("go"));
  const std::string pid = std::to_string(program.pid());
  const Ended listed = run({"control", pid});
  EXPECT_THAT(listed.out, HasSubstr("barrier  none   none, every step\n"));
  EXPECT_THAT(listed.out, HasSubstr("depth    4      1 to 16\n"));
  expect_failure(run({"control", pid, "barrier=sometimes"}), 1, "every step");
  expect_failure(run({"control", pid, "depth=17"}), 1, "16");
  const Ended first = run({"control", pid, "barrier=every step"});
  EXPECT_EQ(first.out, "");
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const json controls = run_json({"control", pid, "--json"});
  EXPECT_EQ(controls.at("pid"), program.pid());
  EXPECT_EQ(controls.at("controls"),
            json::parse(R"([{"name": "barrier", "value": "every step", "choices": ["none", "every step"]},
                            {"name": "depth", "value": "4", "least": 1, "most": 16}])"));
  ASSERT_EQ(run({"control", pid, "depth=8"}).exit_code, 0);
  EXPECT_EQ(program.end(), 5);
}

TEST_F(AttachTest, AProgramWithoutControlsHasNone) {
  const RecordingProgram program = record_program();
  const std::string pid = std::to_string(program.pid());
  const Ended listed = run({"control", pid});
  const Ended set = run({"control", pid, "barrier=waitall"});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_EQ(listed.out, "program " + pid + " has no controls\n");
  expect_failure(set, 1, "barrier");
}

}  // namespace
}  // namespace runahead::gui::test
