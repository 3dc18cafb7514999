// A program that uses the public API and has no code for recording: `runahead record` starts it in tests.
//
//   work N           N zones "step", exits 3
//   until-signal F   zones until a signal ends the program; creates file F after some zones
//   handles F        as until-signal, but handles SIGINT: it leaves its loop and exits 4
//   crash N          N zones, then abort() immediately
//   fault N          N zones, then SIGSEGV
//   crash-twice N    N zones, then SIGABRT on two threads at the same time
//   fork-killed N    N zones; SIGTERM ends one forked child, abort() another; exits 0 if both end
//   fork N           N zones in the parent, N in a forked child that exits
//   fork-recorded N  the same; the child is recorded, and ends by _exit()
//   spawn PROGRAM N  runs `PROGRAM work N` twice, one after the other, and also records N zones
//   starts N COMMAND..  N zones; when they are written, runs the command; exits with its code
//   own FILE N       N zones within a Recording that the program makes; prints ok or the error
//   quit N           N zones, then _exit(0)
//   waits N F G      N zones, creates file F when they are written, waits for file G, N zones, exits 3
//   controlled F G   a switch and a parameter; creates file F, exits 5 when both are set, or 3 at file G
#include <runahead/runahead.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

std::atomic<bool> stopping{false};
bool is_forked = false;

void steps(long count) {
  for (long i = 0; i < count; ++i) {
    RUNAHEAD_ZONE("step");
  }
}

// The library writes every 100 ms. An event may miss the write that is already running, but the next write
// contains it. Therefore, after two writes, the file has all events from before this call.
void wait_until_written() {
  const char* const file = std::getenv("RUNAHEAD_RECORD");
  if (file == nullptr) return;
  for (int writes = 0; writes < 2; ++writes) {
    const std::uintmax_t before = std::filesystem::file_size(file);
    while (std::filesystem::file_size(file) == before) std::this_thread::yield();
  }
}

// Records zones until `stopping` is set, or until a signal ends the program.
void steps_for_ever(const char* mark) {
  steps(1000);
  wait_until_written();
  std::ofstream(mark) << "going\n";
  while (!stopping) {
    steps(1);
    std::this_thread::sleep_for(std::chrono::microseconds(20));  // a pace that every build can record
  }
}

int steps_around_a_wait(long count, const char* mark, const char* go_on) {
  steps(count);
  wait_until_written();
  std::ofstream(mark) << "written\n";
  while (!std::filesystem::exists(go_on)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  steps(count);
  return 3;
}

int until_controls_are_set(const char* mark, const char* give_up) {
  const runahead::Switch barrier("barrier", {"none", "every step"});
  const runahead::Parameter depth("depth", 4, 1, 16);
  std::ofstream(mark) << "waits\n";
  while (!std::filesystem::exists(give_up)) {
    if (barrier.choice() == 1 && depth.value() == 8) return 5;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return 3;
}

int with_recorded_child(long count) {
  steps(count);
  if (!runahead::record_child().empty()) return 2;  // does nothing in this process
  const pid_t child = fork();
  if (child == 0) {
    is_forked = true;
    if (!runahead::record_child().empty()) _exit(3);
    steps(count);
    _exit(runahead::end_recording().empty() ? 0 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int with_forked_child(long count) {
  steps(count);
  const pid_t child = fork();
  if (child == 0) {
    is_forked = true;
    steps(count);
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Runs `what` in a forked child. Returns the signal that ended the child, or 0.
template <typename What>
int signal_of_child(int sent, What what) {
  const pid_t child = fork();
  if (child == 0) {
    is_forked = true;
    what();
    _exit(9);
  }
  if (sent != 0) kill(child, sent);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int with_killed_children(long count) {
  steps(count);
  const auto wait_for_ever = [] {
    for (;;) pause();
  };
  const bool ended = signal_of_child(SIGTERM, wait_for_ever) == SIGTERM &&
                     signal_of_child(0, [] { std::abort(); }) == SIGABRT;
  return ended ? 0 : 1;
}

void crash_on_two_threads(long count) {
  steps(count);
  std::atomic<int> ready{0};
  const auto crash = [&ready](int signal) {
    ++ready;
    while (ready < 2) {
    }
    std::raise(signal);
  };
  std::thread other(crash, SIGABRT);
  crash(SIGABRT);
  other.join();
}

int with_spawned_children(char* program, char* count) {
  steps(std::atol(count));
  char word[] = "work";
  for (int i = 0; i < 2; ++i) {
    char* words[]{program, word, count, nullptr};
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, program, nullptr, nullptr, words, environ) != 0) return 1;
    waitpid(child, &status, 0);
  }
  return 0;
}

int with_started_program(long count, char** words) {
  steps(count);
  wait_until_written();
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, words[0], nullptr, nullptr, words, environ) != 0) return 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int with_own_recording(const char* file, long count) {
  runahead::Recording recording{std::string(file)};
  steps(count);
  recording.stop();
  std::puts(recording.ok() ? "ok" : recording.error().c_str());
  return recording.ok() ? 0 : 1;
}

}  // namespace

// The leak sanitizer of gcc 12 calls this function. If it returns 1, there is no leak check. In a forked
// child the leak check must be off, because it takes locks. If another thread of the parent held such a lock
// during the fork, the check would wait forever.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name
extern "C" int __lsan_is_turned_off() { return is_forked ? 1 : 0; }

int main(int argc, char** argv) {
  const std::string mode = argc > 2 ? argv[1] : "";
  runahead::name_thread("main");
  if (mode == "work") return steps(std::atol(argv[2])), 3;
  if (mode == "until-signal") return steps_for_ever(argv[2]), 0;
  if (mode == "handles") {
    std::signal(SIGINT, [](int) { stopping = true; });
    return steps_for_ever(argv[2]), 4;
  }
  if (mode == "crash") {
    steps(std::atol(argv[2]));
    std::abort();
  }
  if (mode == "fault") {
    steps(std::atol(argv[2]));
    std::raise(SIGSEGV);
  }
  if (mode == "crash-twice") return crash_on_two_threads(std::atol(argv[2])), 1;
  if (mode == "fork-killed") return with_killed_children(std::atol(argv[2]));
  if (mode == "fork-recorded") return with_recorded_child(std::atol(argv[2]));
  if (mode == "fork") return with_forked_child(std::atol(argv[2]));
  if (mode == "waits" && argc > 4) return steps_around_a_wait(std::atol(argv[2]), argv[3], argv[4]);
  if (mode == "controlled" && argc > 3) return until_controls_are_set(argv[2], argv[3]);
  if (mode == "spawn" && argc > 3) return with_spawned_children(argv[2], argv[3]);
  if (mode == "starts" && argc > 3) return with_started_program(std::atol(argv[2]), argv + 3);
  if (mode == "own" && argc > 3) return with_own_recording(argv[2], std::atol(argv[3]));
  if (mode == "quit") {
    steps(std::atol(argv[2]));
    wait_until_written();
    _exit(0);
  }
  return 2;
}
