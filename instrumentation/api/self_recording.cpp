// If RUNAHEAD_RECORD is set in the environment, a program that uses the library records itself. The recording
// lasts from the loading of the library to the end of the process: its exit, SIGINT, SIGTERM or SIGHUP, or a
// crash. A crashing thread waits at most two seconds for another thread to write the recorded data. A process
// may end in another way: _exit, kill -9, a stack overflow on a thread other than the first, or a crash while
// it holds a lock that the writing needs. In these cases, the file contains everything except the last 100
// ms.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>
#include <thread>

#include "instrumentation/api/api_recording.h"
#include "instrumentation/record/files/file_names.h"
#include "instrumentation/record/files/record_request.h"

namespace runahead::api {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::array kCrashes{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr int kMostSecondsToWrite = 2;

// A signal handler posts this semaphore. The watcher (the thread that runs end_by_signal()) waits for it.
sem_t signal_came;
// The number of the signal. The handler stores the number before it posts `signal_came`. If two threads
// crash, both store a number, and the last one stored remains.
std::atomic<int> the_signal{0};

extern "C" void runahead_note_signal(int number) {
  const int before = errno;
  the_signal.store(number, std::memory_order_relaxed);  // sem_post() makes the number visible to the watcher
  ::sem_post(&signal_came);
  errno = before;
}

sem_t crash_written;  // posted by the watcher, awaited by each crashing thread

// A crashed thread waits here while the watcher writes. A second thread that crashes in this time waits too.
// After the wait, the signal has its default effect, so the core dump shows the place of the crash. The wait
// has a time limit, because the watcher may need a lock that a crashed thread holds (such as the heap's
// lock).
extern "C" void runahead_note_crash(int number) {
  the_signal.store(number, std::memory_order_relaxed);  // sem_post() makes the number visible to the watcher
  ::sem_post(&signal_came);
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += kMostSecondsToWrite;
  while (::sem_timedwait(&crash_written, &until) != 0 && errno == EINTR) {
  }
  ::sem_post(&crash_written);  // wakes the next thread that waits here
  std::signal(number, SIG_DFL);
  ::raise(number);  // takes effect when this function returns: until then, the signal is blocked
}

bool is_crash(int number) { return std::find(kCrashes.begin(), kCrashes.end(), number) != kCrashes.end(); }

void tell(record::NoteKind kind, const Status& status) {
  if (status || record::leave_note(kind, status.error().message)) return;
  std::fprintf(stderr, "runahead: %s\n", status.error().message.c_str());
}

// Runs on its own thread: a signal handler must not call the functions that end a recording.
void end_by_signal() {
  while (::sem_wait(&signal_came) != 0) {
  }
  tell(record::NoteKind::kFailed, stop_own_recording());
  const int number = the_signal.load(std::memory_order_relaxed);
  if (is_crash(number)) {
    ::sem_post(&crash_written);
    return;
  }
  std::signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(number);  // ends the process as it would have ended without the handler
}

// Gives the first thread an alternate stack: after a stack overflow, its own stack has no room for a handler.
void make_signal_stack() {
  static std::array<char, 64u << 10> memory;
  stack_t stack{}, before{};
  if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  ::sigaltstack(&stack, nullptr);
}

// Installs our handler only for crash signals for which neither the program nor a sanitizer has a handler.
void watch_crashes() {
  make_signal_stack();
  for (const int number : kCrashes) {
    struct sigaction before {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = runahead_note_crash;
    action.sa_flags = SA_ONSTACK;
    ::sigaction(number, &action, nullptr);
  }
}

// A forked child has no watcher: its signals end it immediately, as without a recording. Signals are blocked
// from before the fork until the child has removed the handlers. Otherwise a handler could run without a
// watcher.
thread_local sigset_t mask_before_fork;

void hold_signals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &mask_before_fork);
}

void pass_signals() { ::pthread_sigmask(SIG_SETMASK, &mask_before_fork, nullptr); }

template <typename Signals>
void forget(const Signals& signals, void (*ours)(int)) {
  for (const int number : signals) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    if (now.sa_handler == ours) std::signal(number, SIG_DFL);
  }
}

void forget_signals() {
  forget(kSignals, runahead_note_signal);
  forget(kCrashes, runahead_note_crash);
  pass_signals();
}

// If a signal would end the process, our handler ends the recording first. A program that handles signals
// itself installs its own handlers later; its handlers then replace ours.
void watch_signals() {
  if (::sem_init(&signal_came, 0, 0) != 0 || ::sem_init(&crash_written, 0, 0) != 0) return;
  // A forked child that records calls this function too. It has inherited the handlers.
  static const int registered = ::pthread_atfork(hold_signals, pass_signals, forget_signals);
  (void)registered;
  std::thread(end_by_signal).detach();
  watch_crashes();
  for (const int number : kSignals) {
    struct sigaction before {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = runahead_note_signal;
    // No SA_RESETHAND: the handler stays installed, so a repeated signal does not end the process while the
    // recording is being ended.
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

// While this object lives, new threads start with all signals blocked: signals are for the program's own
// threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// The file of the environment recording of this process; in a forked child that does not record, that of its
// parent. Never destroyed.
std::string& own_file() {
  static std::string& file = *new std::string;
  return file;
}

Status begin_requested(const std::string& process_name = {}) {
  const Result<std::optional<record::RecordRequest>> request = record::take_record_request();
  if (!request) return request.error();
  if (!*request) return Ok{};
  std::string file = (*request)->file.string();
  // No notes give each process a file of its own.
  if (file == own_file()) file = record::name_beside(file, "pid" + std::to_string(::getpid())).string();
  const SignalsBlocked blocked;
  if (Status started = start_own_recording(file, (*request)->limits, process_name); !started) return started;
  own_file() = file;
  watch_signals();
  return Ok{};
}

[[gnu::constructor]] void begin() { tell(record::NoteKind::kNotBegun, begin_requested()); }

[[gnu::destructor]] void end() {
  if (forgotten_by_fork()) record::leave_note(record::NoteKind::kForgotten, "");
  tell(record::NoteKind::kFailed, stop_own_recording());
}

}  // namespace

Status record_forked_child(const std::string& process_name) {
  if (!forgotten_by_fork()) return Ok{};
  Status begun = begin_requested(process_name);
  if (!begun) record::leave_note(record::NoteKind::kNotBegun, begun.error().message);
  return begun;
}

}  // namespace runahead::api
