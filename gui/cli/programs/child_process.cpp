#include "gui/cli/programs/child_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "instrumentation/base/spawn.h"

namespace runahead::gui {
namespace {

constexpr int kPassedOn[]{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

// The child's process number; 0: not started yet; -1: the child has ended. Written by Child, read by the
// signal handler.
std::atomic<pid_t> the_child{0};
// A signal that came before the child was started. Written by the signal handler, read by Child::start().
std::atomic<int> early_signal{0};
// The number of signals so far, also of those from the terminal.
std::atomic<int> signals_seen{0};
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// Signal handler. The handler may run on any thread, because libraries may have started threads. The handler
// does not pass on a signal that the kernel sent because of the terminal (Ctrl-C), because the kernel sends
// such a signal to all foreground processes anyway.
extern "C" void runahead_pass_on(int number, siginfo_t* info, void*) {
  signals_seen.fetch_add(1);
  if (info->si_code > 0) return;
  const int before = errno;
  const pid_t child = the_child.load();
  if (child == 0) early_signal.store(number);
  if (child > 0) kill(child, number);
  errno = before;
}

Error start_error(const std::string& word, int error) {
  const std::string which = "'" + word + "': ";
  if (error == ENOENT) return Error{which + "not found; give a program of PATH, or its path"};
  if (error == EACCES) return Error{which + "not executable; give a program, or allow it with chmod +x"};
  return Error{which + "cannot be started: " + std::generic_category().message(error)};
}

}  // namespace

// Passes signals on to the child while this object exists. Signals that this process already ignored (in a
// background job) stay ignored.
class Child::SignalsPassedOn {
 public:
  SignalsPassedOn() {
    early_signal = 0;
    for (std::size_t i = 0; i < std::size(kPassedOn); ++i) {
      sigaction(kPassedOn[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;
      struct sigaction action {};
      action.sa_sigaction = runahead_pass_on;
      // Without SA_RESTART, a signal makes waitid() return. Then tsan (ThreadSanitizer) can run the signal
      // handlers that it has deferred.
      action.sa_flags = SA_SIGINFO;
      sigaction(kPassedOn[i], &action, nullptr);
    }
  }
  ~SignalsPassedOn() {
    for (std::size_t i = 0; i < std::size(kPassedOn); ++i) sigaction(kPassedOn[i], &before_[i], nullptr);
    the_child = 0;
  }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

 private:
  struct sigaction before_[std::size(kPassedOn)]{};
};

Child::Child() : signals_(std::make_unique<SignalsPassedOn>()) {}
Child::~Child() = default;

Result<std::unique_ptr<Child>> Child::start(const std::vector<std::string>& words,
                                            const std::map<std::string, std::string>& environment,
                                            ChildOutput output) {
  signal(SIGCHLD, SIG_DFL);  // if SIGCHLD were ignored, the child's exit status would be lost
  std::unique_ptr<Child> child(new Child);
  const SpawnOptions options{
      .environment = environment, .folder = {}, .out = output == ChildOutput::kStderr ? STDERR_FILENO : -1};
  if (const int error = spawn(words, options, child->pid_); error != 0) return start_error(words[0], error);
  the_child = child->pid_;
  if (const int number = early_signal.exchange(0); number != 0) kill(child->pid_, number);
  return child;
}

// WNOWAIT: the child's process number stays reserved until waitpid(), so the signal handler cannot send a
// signal to an unrelated process.
bool Child::ended() const {
  siginfo_t end{};
  return waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid != 0;
}

bool Child::interrupted_after_end() {
  if (!signals_at_end_ && ended()) signals_at_end_ = signals_seen.load();
  return signals_at_end_ && signals_seen.load() != *signals_at_end_;
}

ChildEnd Child::wait() {
  siginfo_t end{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  the_child = -1;
  if (!signals_at_end_) signals_at_end_ = signals_seen.load();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {.exit_code = 128 + WTERMSIG(status), .signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status)};
}

Result<ChildEnd> run_child(const std::vector<std::string>& words,
                           const std::map<std::string, std::string>& environment) {
  const Result<std::unique_ptr<Child>> child = Child::start(words, environment);
  if (!child) return child.error();
  return (*child)->wait();
}

}  // namespace runahead::gui
