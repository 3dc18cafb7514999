// Tests harmful arguments and names on the command line: files that must not be replaced, invalid numbers,
// names with terminal control characters, endless query results.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/cli/program.h"
#include "tests/support/rounds.h"

namespace runahead::gui::test {
namespace {

namespace fs = std::filesystem;

class HostileTest : public ProgramTest {
 protected:
  [[nodiscard]] std::string bytes(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(fs::path(path("a")).parent_path()))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
};

class ScreenshotTest : public HostileTest {
 protected:
  void SetUp() override {
    HostileTest::SetUp();
    if (run({"screenshot", "none", "-o", path("none.png")}).err.find("no window") != std::string::npos)
      GTEST_SKIP() << "this build has no window";
  }
};

TEST_F(ScreenshotTest, DoesNotReplaceTheTraceNorAnythingThatIsNoPicture) {
  const std::string trace = recording(), before = bytes("a.runahead");
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::ofstream(path("thesis.txt")) << "years of work\n";
  fs::create_symlink(trace, path("link.png"));
  const std::vector<std::string> there = files();
  expect_failure(run({"screenshot", trace, "-o", trace}), 1, "is a recording");
  expect_failure(run({"screenshot", trace, "-o", path("link.png")}), 1, "is a recording");
  expect_failure(run({"screenshot", trace, "-o", path("pipe")}), 1, "not a regular file");
  expect_failure(run({"screenshot", trace, "-o", "/dev/null"}), 1, "not a regular file");
  expect_failure(run({"screenshot", trace, "-o", path("thesis.txt")}), 1, "is not a PNG");
  EXPECT_EQ(bytes("a.runahead"), before);
  EXPECT_EQ(bytes("thesis.txt"), "years of work\n");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(files(), there);
}

TEST_F(HostileTest, AnEmptyValueIsRefusedWhereverItIsGiven) {
  const std::string trace = recording();
  expect_failure(run({"record", "-o", "", "--", "true"}), 2, "its value is empty");
  expect_failure(run({"run", "increment", "--record", ""}), 2, "--record: its value is empty");
  expect_failure(run({"run", "increment", "--device", ""}), 2, "--device: its value is empty");
  expect_failure(run({"screenshot", trace, "-o", ""}), 2, "its value is empty");
  expect_failure(run({"export", trace, "-o", "", "--format", "csv"}), 2, "its value is empty");
  expect_failure(run({"convert", trace, "-o", ""}), 2, "its value is empty");
  expect_failure(run({"gui", trace, "--screenshot", ""}), 2, "--screenshot: its value is empty");
  expect_failure(run({"gui", trace, "--report", ""}), 2, "--report: its value is empty");
  expect_failure(run({"info", ""}), 2, "file: its value is empty");
}

// A trace file of another tool must be protected like a recording.
TEST_F(HostileTest, AnExportOrAReportDoesNotReplaceATraceOfAnotherKind) {
  const std::string trace = recording();
  std::ofstream(path("foreign.json"))
      << R"({"traceEvents": [{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]})";
  ASSERT_EQ(run({"export", trace, "-o", path("foreign.pftrace")}).exit_code, 0);
  const std::string chrome = bytes("foreign.json"), perfetto = bytes("foreign.pftrace");
  for (const std::string format : {"csv", "chrome"})
    expect_failure(run({"export", trace, "-o", path("foreign.pftrace"), "--format", format}), 1,
                   "exists and is not");
  for (const std::string format : {"csv", "perfetto"})
    expect_failure(run({"export", trace, "-o", path("foreign.json"), "--format", format}), 1,
                   "exists and is not");
  const Ended report = run({"gui", path("foreign.json"), "--report", path("foreign.json")});
  if (report.err.find("no window") == std::string::npos) expect_failure(report, 1, "is not a report");
  EXPECT_EQ(bytes("foreign.json"), chrome);
  EXPECT_EQ(bytes("foreign.pftrace"), perfetto);
}

TEST_F(HostileTest, WhatCannotBeRecordedIsSaidBeforeTheProgramStarts) {
  const std::string touched = path("touched");
  expect_failure(run({"record", "-o", "/proc/a.runahead", "--", "touch", touched}), 1, "cannot write here");
  expect_failure(run({"record", "-o", path("no/a.runahead"), "--", "touch", touched}), 1, "folder");
  EXPECT_FALSE(fs::exists(touched));
}

// The shell removes the folder that is its working directory, and then starts the program there.
TEST_F(HostileTest, AWorkingDirectoryThatIsGoneIsSaidInOneLine) {
  for (const std::string words : {"record -o x -- true", "run increment --set steps=1 --record x"}) {
    const std::string line = "mkdir '" + path("gone") + "' && cd '" + path("gone") + "' && rmdir '" +
                             path("gone") + "' && exec '" RUNAHEAD_PROGRAM "' " + words + " >'" +
                             path("out") + "' 2>'" + path("err") + "'";
    const int status = std::system(line.c_str());
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1) << words;
    EXPECT_EQ(bytes("out"), "");
    const std::string said = bytes("err");
    EXPECT_NE(said.find("'x'"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

TEST_F(HostileTest, NumbersThatAreNoneAreRefusedWithWhatIsAllowed) {
  for (const std::string number : {"nan", "inf", "-1", "1e400", "", "0x10", "5 us"}) {
    expect_failure(run({"run", "increment", "--spin", number}), 2, "from 0 to 1e+06");
    expect_failure(run({"gui", "--scale", number}), 2, "from 1 to 2.5");
    expect_failure(run({"screenshot", "a", "-o", "b", "--scale", number}), 2, "from 1 to 2.5");
    expect_failure(run({"run", "--exercise", number}), 2, "there are 1 to 8");
  }
  expect_failure(run({"run", "--exercise", "0"}), 2, "there are 1 to 8");
}

TEST_F(HostileTest, NamesDoNotSpeakToTheTerminal) {
  std::ofstream(path("a.json"))
      << R"([{"ph":"X","name":"\u001b[31mred\u009b1m\nnext","ts":1,"dur":2,"pid":1,"tid":1},)"
         R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"p\u001b]0;title\u0007"}},)"
         R"({"ph":"X","name":"a\u202eb","ts":5,"dur":1,"pid":1,"tid":1}])";
  const std::string file = path("a.json");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"stats", file},
                                                {"info", file},
                                                {"compare", file, file},
                                                {"query", file, "SELECT * FROM slice"},
                                                {"query", file, "SELECT name FROM track"},
                                                {"stats", file, "--json"},
                                                {"query", file, "SELECT name FROM slice", "--json"},
                                                {"info", path("\x1b[31m")}}) {
    const Ended ended = run(words);
    for (const std::string& said : {ended.out, ended.err}) {
      EXPECT_EQ(said.find('\x1b'), std::string::npos) << words[0];
      EXPECT_EQ(said.find("\xc2\x9b"), std::string::npos) << words[0];
      EXPECT_EQ(said.find("\xe2\x80\xae"), std::string::npos) << words[0];
    }
  }
  EXPECT_NE(run({"stats", file}).out.find("\\x1b[31mred\\u009b1m\\nnext"), std::string::npos);
}

// The query has an endless result. Rows are printed while the query runs, and the query ends when nobody
// reads the rows.
TEST_F(HostileTest, AnEndlessAnswerIsWrittenRowByRow) {
  const std::string trace = recording();
  const std::string endless =
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
  for (const std::string form : {"", " --csv", " --json"}) {
    const std::string line = "'" RUNAHEAD_PROGRAM "' query '" + trace + "' '" + endless + "'" + form +
                             " 2>'" + path("err") + "' | head -n 40 >'" + path("out") + "'";
    ASSERT_EQ(std::system(line.c_str()), 0);
    const std::string rows = bytes("out");
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 40) << form;
    EXPECT_NE(rows.find("30"), std::string::npos) << form;
    EXPECT_EQ(bytes("err"), "") << form;
  }
}

TEST_F(HostileTest, AnInterruptedExportAndConversionLeaveNothingAndSaySo) {
  ASSERT_EQ(run({"run", "increment", "--device", "cpu", "--set",
                 "iterations=" + std::to_string(runahead::testing::rounds(20'000)), "--set", "steps=8",
                 "--record", path("a.runahead")})
                .exit_code,
            0);
  const fs::path folder = fs::path(path("a")).parent_path();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"export", path("a.runahead"), "-o", path("b.json")},
        {"export", path("a.runahead"), "-o", path("b.pftrace")},
        {"convert", path("a.runahead"), "-o", path("b.runahead")}}) {
    Options options;
    // Interrupts the command as soon as its unfinished output (a .part file) exists. Stops waiting for this
    // file if the command ends.
    options.meanwhile = [&](pid_t child) {
      const auto begun = [&] {
        return std::ranges::any_of(fs::directory_iterator(folder), [](const auto& entry) {
          return entry.path().string().find(".part") != std::string::npos;
        });
      };
      siginfo_t ended{};
      while (!begun() && waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             ended.si_pid == 0) {
        std::this_thread::yield();
      }
      kill(child, SIGINT);
    };
    expect_failure(run(words, options), 130, "interrupted");
    const std::vector<std::string> left = files();
    EXPECT_TRUE(std::ranges::none_of(left, [](const std::string& name) { return name.starts_with("b."); }))
        << ::testing::PrintToString(left);
  }
}

TEST_F(HostileTest, ARunThatIsRecordedFromOutsideSaysWhereItsOwnRecordingIs) {
  const Ended ended = run({"record", "-o", path("q.runahead"), "--", RUNAHEAD_PROGRAM, "run", "increment",
                           "--set", "steps=1", "--record", path("z.runahead")});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.err.find("'" + path("z.runahead") + "' was not written, all is in this one"),
            std::string::npos)
      << ended.err;
  EXPECT_TRUE(fs::exists(path("q.runahead")));
}

TEST_F(HostileTest, ScriptsExplainThemselvesAndDoNothingElse) {
  for (const std::string script : {"run", "test", "bench"}) {
    for (const std::string word : {"--help", "-h"}) {
      const std::string line =
          "'" RUNAHEAD_SOURCE_FOLDER "/scripts/" + script + "' " + word + " >'" + path("out") + "' 2>&1";
      EXPECT_EQ(std::system(line.c_str()), 0) << script;
      EXPECT_TRUE(bytes("out").starts_with("scripts/" + script)) << bytes("out");
      EXPECT_EQ(bytes("out").find("building"), std::string::npos) << bytes("out");
    }
  }
}

// Runs a copy of the scripts with fake tools: dpkg-query says that every package is installed, and cmake
// fails. Thus the test checks only the steps before the build.
TEST_F(HostileTest, ScriptsComeAsFarAsTheBuild) {
  fs::copy(RUNAHEAD_SOURCE_FOLDER "/scripts", path("scripts"), fs::copy_options::recursive);
  fs::create_directory(path("bin"));
  for (const std::string tool : {"cmake", "dpkg-query", "apt-get"}) {
    std::ofstream(path("bin/" + tool))
        << (tool == "cmake" ? "#!/bin/sh\nexit 1\n" : "#!/bin/sh\nprintf 'ii '\n");
    fs::permissions(path("bin/" + tool), fs::perms::owner_all);
  }
  for (const std::string words :
       {"run", "run --barrier item", "run list", "test", "test -R Lane", "bench", "bench engine"}) {
    const std::string line = "PATH='" + path("bin") + "':\"$PATH\" " + path("scripts") + "/" + words + " >'" +
                             path("out") + "' 2>'" + path("err") + "'";
    EXPECT_NE(std::system(line.c_str()), 0) << words;
    EXPECT_NE(bytes("err").find("failed: cmake"), std::string::npos) << words << ": " << bytes("err");
  }
}

}  // namespace
}  // namespace runahead::gui::test
