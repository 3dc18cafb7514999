// Tests `runahead record`: programs record themselves because this command started them.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdint>

#include "tests/cli/program.h"
#include "tests/support/between_checks.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class RecordTest : public ProgramTest {
 protected:
  std::string file() const { return path("a.runahead"); }
  std::vector<std::string> record(std::vector<std::string> command) const {
    std::vector<std::string> words{"record", "-o", file(), "--"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
  // Records the program of recorded_program.cpp.
  Ended record_program(std::vector<std::string> words, const Options& options = Options()) const {
    words.insert(words.begin(), RUNAHEAD_RECORDED_PROGRAM);
    return run(record(words), options);
  }
  std::int64_t zones(const std::string& recording) const {
    const json answer =
        run_json({"query", recording, "SELECT count(*) FROM slice WHERE name = 'step'", "--json"});
    return answer.at("rows").at(0).at(0).get<std::int64_t>();
  }
  // Sends `signal` to `runahead record` only, once the program has created the file `mark`.
  Options signal_once_going(int signal) const {
    Options options;
    options.meanwhile = [mark = path("mark"), signal](pid_t child) {
      while (!std::filesystem::exists(mark)) {
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

// torchrun may be started by Slurm or MPI. Its own variables name the rank then.
TEST_F(RecordTest, TheRankOfTheProcessIsRecorded) {
  const auto rank_with = [this](std::vector<std::string> variables) -> std::string {
    std::vector<std::string> words{"record", "-o", path("rank.runahead"), "--", "env"};
    for (const char* const other : {"RANK", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                    "MV2_COMM_WORLD_RANK", "SLURM_PROCID", "SLURM_NTASKS"})
      words.insert(words.end(), {"-u", other});
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(), {RUNAHEAD_RECORDED_PROGRAM, "work", "1"});
    EXPECT_EQ(run(words).exit_code, 3);
    return run_json({"info", path("rank.runahead"), "--json"}).at("metadata").value("process.rank", "none");
  };
  EXPECT_EQ(rank_with({}), "none");
  EXPECT_EQ(rank_with({"RANK=5"}), "none");
  EXPECT_EQ(rank_with({"RANK=5", "LOCAL_RANK=1", "SLURM_PROCID=0", "SLURM_NTASKS=2", "PMI_RANK=7"}), "5");
  EXPECT_EQ(rank_with({"OMPI_COMM_WORLD_RANK=2"}), "2");
  EXPECT_EQ(rank_with({"SLURM_PROCID=0", "SLURM_NTASKS=1"}), "none");
  EXPECT_EQ(rank_with({"SLURM_PROCID=3", "SLURM_NTASKS=4"}), "3");
}

TEST_F(RecordTest, AProgramIsRecordedFromItsStartToItsEndAndItsExitStatusReturned) {
  const Ended ended = record_program({"work", "1000"});
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("recorded " + file() + ": 1000 slices on "));
  EXPECT_THAT(ended.err, HasSubstr("nothing lost"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_EQ(zones(file()), 1000);
  const json info = run_json({"info", file(), "--json"});
  EXPECT_EQ(info.at("complete"), true);
  EXPECT_THAT(info.at("metadata").at("command").get<std::string>(), HasSubstr("work 1000"));
}

TEST_F(RecordTest, CtrlCGoesToTheProgramAndItsRecordingIsEndedWell) {
  const Ended ended = record_program({"until-signal", path("mark")}, signal_once_going(SIGINT));
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("ended by signal 2"));
  EXPECT_THAT(ended.err, Not(HasSubstr("cut off")));
  EXPECT_GT(zones(file()), 100);
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("metadata").at("recording.ended"), "yes");
}

TEST_F(RecordTest, AProgramThatHandlesCtrlCItselfDoesSo) {
  const Ended ended = record_program({"handles", path("mark")}, signal_once_going(SIGINT));
  EXPECT_EQ(ended.exit_code, 4) << ended.err;
  EXPECT_THAT(ended.err, Not(HasSubstr("cut off")));
  EXPECT_GT(zones(file()), 100);
}

TEST_F(RecordTest, OfAProgramThatCrashesAllIsThere) {
  const Ended ended = record_program({"crash", "500"});
  EXPECT_EQ(ended.exit_code, 128 + SIGABRT);
  EXPECT_THAT(ended.err, HasSubstr("ended by signal 6"));
  EXPECT_THAT(ended.err, HasSubstr("500 slices"));
  EXPECT_THAT(ended.err, HasSubstr("nothing lost"));
  EXPECT_EQ(zones(file()), 500);
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("complete"), true);
}

// With these sanitizers, the program would not end by SIGSEGV, because they handle this signal.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(RecordTest, OfAProgramWithAFaultAllIsThere) {
  const Ended ended = record_program({"fault", "500"});
  EXPECT_EQ(ended.exit_code, 128 + SIGSEGV);
  EXPECT_THAT(ended.err, HasSubstr("ended by signal 11"));
  EXPECT_EQ(zones(file()), 500);
}
#endif

TEST_F(RecordTest, OfAProgramThatCrashesOnTwoThreadsAllIsThere) {
  for (int round = 0; round < 5; ++round) {
    const Ended ended = record_program({"crash-twice", "20000"});
    EXPECT_EQ(ended.exit_code, 128 + SIGABRT);
    EXPECT_EQ(zones(file()), 20000);
    EXPECT_EQ(run_json({"info", file(), "--json"}).at("complete"), true);
  }
}

TEST_F(RecordTest, SignalsEndAForkedChildAsWithoutARecording) {
  const Ended ended = record_program({"fork-killed", "200"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(zones(file()), 200);
}

TEST_F(RecordTest, AProgramThatLeavesWithoutItsExitHandlersIsSaidToBeCutOff) {
  const Ended ended = record_program({"quit", "500"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("cut off, rows after its last block are unknown"));
  EXPECT_THAT(ended.err, Not(HasSubstr("nothing lost")));
  EXPECT_EQ(zones(file()), 500);
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("complete"), false);
}

TEST_F(RecordTest, AForkedChildEndsAsEverIsNotRecordedAndIsCounted) {
  const Ended ended = record_program({"fork", "200"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("1 forked process not recorded"));
  EXPECT_EQ(zones(file()), 200);
}

TEST_F(RecordTest, AForkedChildThatAsksForItGetsAFileOfItsOwn) {
#if defined(__SANITIZE_ADDRESS__) && defined(__clang__)
  // If a thread of the parent allocates during the fork, the allocator of clang 16's address sanitizer stays
  // locked in the child, and the child waits forever.
  GTEST_SKIP() << "with this sanitizer, a forked child must not allocate";
#endif
  const Ended ended = record_program({"fork-recorded", "200"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("1 more process"));
  EXPECT_THAT(ended.err, Not(HasSubstr("not recorded")));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(file()).parent_path())) {
    if (entry.path().extension() != ".runahead") continue;
    ++files;
    EXPECT_EQ(zones(entry.path().string()), 200) << entry.path();
    EXPECT_EQ(run_json({"info", entry.path().string(), "--json"}).at("complete"), true) << entry.path();
  }
  EXPECT_EQ(files, 2);
}

TEST_F(RecordTest, EachProcessThatAProgramStartsGetsAFileOfItsOwn) {
  const Ended ended = record_program({"spawn", RUNAHEAD_RECORDED_PROGRAM, "300"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.err, HasSubstr("2 more processes"));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(file()).parent_path())) {
    if (entry.path().extension() != ".runahead") continue;
    ++files;
    EXPECT_EQ(zones(entry.path()), 300) << entry.path();
  }
  EXPECT_EQ(files, 3);
}

TEST_F(RecordTest, ARecordingOfTheProgramsOwnBecomesPartOfThisOne) {
  const Ended ended = record_program({"own", path("own.runahead"), "100"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out, "ok\n");
  EXPECT_THAT(ended.err, HasSubstr("own.runahead' was not written"));
  EXPECT_EQ(zones(file()), 100);
  EXPECT_FALSE(std::filesystem::exists(path("own.runahead")));
}

TEST_F(RecordTest, ARunOfOursIsRecordedToo) {
  const Ended ended = run(record(
      {RUNAHEAD_PROGRAM, "run", "training_memory", "--device", "virtual:0", "--set", "steps=5", "--json"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(json::parse(ended.out).at("record"), file());
  EXPECT_THAT(ended.err, HasSubstr("recorded " + file()));
  // `runahead run` records CUDA's activity itself. Therefore `runahead record` must print nothing about CUDA.
  EXPECT_THAT(ended.err, Not(HasSubstr("CUDA")));
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("metadata").at("workload"), "training_memory");
}

TEST_F(RecordTest, InPartsEachOpensAlone) {
  const std::vector<std::string> words{RUNAHEAD_PROGRAM, "run",     "training_memory",
                                       "--barrier",      "waitall", "--device",
                                       "virtual:0",      "--set",   "steps=40"};
  std::vector<std::string> all{"record", "-o", file(), "--rotate", "100ms", "--"};
  all.insert(all.end(), words.begin(), words.end());
  const Ended ended = run(all);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("recorded " + path("a.0001.runahead") + " to a.00"));
  EXPECT_FALSE(std::filesystem::exists(file()));
  // The first part files may have no ops. The workload first touches its memory, and on a slow machine this
  // takes longer than the time of a part file.
  std::int64_t parts = 0, parts_with_slices = 0, parts_with_ops = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(file()).parent_path())) {
    if (!entry.path().filename().string().starts_with("a.0")) continue;
    const json info = run_json({"info", entry.path().string(), "--json"});
    ++parts;
    parts_with_slices += info.at("slices") > 0 ? 1 : 0;
    parts_with_ops += info.at("ops") > 0 ? 1 : 0;
  }
  EXPECT_GE(parts, 2);
  EXPECT_GT(parts_with_slices, 0);
  EXPECT_GT(parts_with_ops, 0);
}

TEST_F(RecordTest, OfALongRunTheEndIsKeptInOneFile) {
  const json report = run_json({"run", "training_memory", "--barrier", "waitall", "--device", "virtual:0",
                                "--set", "steps=120", "--record", file(), "--keep-last", "400ms", "--json"});
  EXPECT_EQ(report.at("record_files"), json::array({file()}));
  const json info = run_json({"info", file(), "--json"});
  EXPECT_GT(info.at("lost").at("let_go"), 0);
  EXPECT_EQ(info.at("complete"), true);
  const double kept_ns = info.at("end_ns").get<double>() - info.at("begin_ns").get<double>();
  EXPECT_GE(kept_ns, 0.4e9);
}

TEST_F(RecordTest, AfterAKillThePartsOfTheEndOpen) {
  Options options;
  options.meanwhile = [first = path("a.0001.runahead"), sixth = path("a.0006.runahead")](pid_t child) {
    while (!std::filesystem::exists(sixth) || std::filesystem::exists(first)) between_checks();
    kill(child, SIGKILL);
  };
  const Ended ended = run({"run", "training_memory", "--barrier", "waitall", "--device", "virtual:0", "--set",
                           "steps=100000", "--record", file(), "--keep-last", "400ms"},
                          options);
  ASSERT_EQ(ended.signal, SIGKILL);
  EXPECT_FALSE(std::filesystem::exists(path("a.0001.runahead")));
  EXPECT_GT(run_json({"info", path("a.0004.runahead"), "--json"}).at("slices"), 0);
  EXPECT_GT(run_json({"info", path("a.0005.runahead"), "--json"}).at("slices"), 0);
}

TEST_F(RecordTest, LimitsThatCannotBeAreRefused) {
  const auto limited = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "increment", "--record", file()});
    return run(words);
  };
  expect_failure(limited({"--rotate", "10"}), 2, "64 KiB");
  expect_failure(limited({"--keep-last", "soon"}), 2, "'soon': neither a size, such as 64M, nor a time");
  expect_failure(limited({"--rotate", "1M", "--keep-last", "1M"}), 2, "--");
  expect_failure(run({"run", "increment", "--rotate", "1M"}), 2, "--record");
  expect_failure(run({"record", "-o", file(), "--rotate", "10", "--", "true"}), 2, "64 KiB");
}

TEST_F(RecordTest, AProgramThatStartsCudaIsRecordedFromThereAndToldWhyItsGpuIsNot) {
  const json here = run_json({"devices", "--json"}).at("cupti");
  const Ended ended = run(record({RUNAHEAD_INJECTED_PROGRAM, "twice"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("recorded " + file() + ": "));
  if (here.at("available")) {
    EXPECT_THAT(ended.err, HasSubstr("; the GPU's activity is in it"));
  } else {
    EXPECT_THAT(ended.err,
                HasSubstr("; the GPU's activity is not in it: " + here.at("reason").get<std::string>()));
  }
  EXPECT_THAT(ended.err, Not(HasSubstr("more process")));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("complete"), true);
}

TEST_F(RecordTest, AProgramThatStartsCudaAndCrashesLeavesAll) {
  const Ended ended = run(record({RUNAHEAD_INJECTED_PROGRAM, "crash"}));
  EXPECT_THAT(ended.err, HasSubstr("was ended by signal 6"));
  EXPECT_THAT(ended.err, HasSubstr("nothing lost"));
  EXPECT_THAT(ended.err, HasSubstr("; the GPU's activity is"));
  EXPECT_EQ(run_json({"info", file(), "--json"}).at("metadata").at("recording.ended"), "yes");
}

#ifdef RUNAHEAD_GPU_PROGRAM
TEST_F(RecordTest, WhatAProgramLaunchesOnItsGpuIsInTheRecordingWithTheArrowsToIt) {
  const Ended ended = run(record({RUNAHEAD_GPU_PROGRAM, "launch", "1000"}));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("recorded " + file() + ": 2000 slices on "));
  EXPECT_THAT(ended.err, HasSubstr("nothing lost"));
  EXPECT_THAT(ended.err, HasSubstr("; the GPU's activity is in it\n"));
  const auto one = [&](const std::string& question) {
    return run_json({"query", file(), question, "--json"}).at("rows").at(0).at(0);
  };
  EXPECT_EQ(one("SELECT count(*) FROM slice WHERE name = 'gemm(float*, int)'"), 1000);
  EXPECT_EQ(one("SELECT count(*) FROM slice WHERE name = 'cudaLaunchKernel'"), 1000);
  EXPECT_EQ(one("SELECT count(*) FROM flow"), 1000);
}

TEST_F(RecordTest, OfAProgramThatCrashesTheKernelsThatWereWrittenOpen) {
  const Ended ended = run(record({RUNAHEAD_GPU_PROGRAM, "crash", "100"}));
  EXPECT_THAT(ended.err, HasSubstr("was ended by signal 6"));
  EXPECT_THAT(ended.err, HasSubstr("200 slices on "));
  EXPECT_THAT(ended.err, HasSubstr("the GPU's activity is in it"));
}
#endif

TEST_F(RecordTest, OfAProgramWithoutCudaItIsSaidThatNoneWasSeen) {
  EXPECT_THAT(record_program({"work", "10"}).err, HasSubstr("; no CUDA was seen"));
}

TEST_F(RecordTest, AnotherProfilersInjectionIsLeftAloneAndSaid) {
  ::setenv("CUDA_INJECTION64_PATH", "/opt/other.so", 1);
  const Ended ended = record_program({"work", "10"});
  ::unsetenv("CUDA_INJECTION64_PATH");
  EXPECT_THAT(ended.err, HasSubstr("CUDA_INJECTION64_PATH was set already"));
}

TEST_F(RecordTest, AProgramThatKnowsNothingOfItRecordsNothingAndIsToldSo) {
  const Ended ended = run(record({"sh", "-c", "echo said; exit 0"}));
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.out, "said\n");
  EXPECT_THAT(ended.err, HasSubstr("'sh' recorded nothing"));
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_EQ(run(record({"sh", "-c", "exit 7"})).exit_code, 7);
}

TEST_F(RecordTest, WhatCannotBeStartedOrWrittenIsRefusedBefore) {
  expect_failure(run(record({"no-such-program"})), 1, "'no-such-program': not found");
  expect_failure(run(record({"/etc/passwd"})), 1, "'/etc/passwd': not executable");
  expect_failure(run({"record", "-o", path("none/a.runahead"), "--", "true"}), 1,
                 "its folder does not exist");
  expect_failure(run({"record", "--", "true"}), 2, "--output");
  expect_failure(run({"record", "-o", file()}), 2, "command");
}

TEST_F(RecordTest, WordsAfterTheDashesAreTheProgramsOwn) {
  const Ended ended = run(record({"sh", "-c", "echo \"$1 $2\"", "run", "--json", "--", "list"}));
  EXPECT_EQ(ended.out, "--json --\n");
}

}  // namespace
}  // namespace runahead::gui::test
