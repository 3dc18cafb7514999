#include "gui/cli/programs/beside_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace runahead::gui {

namespace {

sigset_t ignored_here;  // set before `run`, and not changed any more

}  // namespace

sigset_t signals_ignored_beside() { return ignored_here; }

Result<BesideProcess> start_beside(
    const std::function<void(FileDescriptor stop, FileDescriptor say_to)>& run) {
  int stop[2], said[2];
  if (::pipe2(stop, O_CLOEXEC) != 0) return Error{"pipe: " + system_error_text(errno)};
  FileDescriptor stop_here(stop[1]), stop_there(stop[0]);
  if (::pipe2(said, O_CLOEXEC) != 0) return Error{"pipe: " + system_error_text(errno)};
  FileDescriptor said_here(said[0]), said_there(said[1]);
  const pid_t process = ::fork();
  if (process < 0) return Error{"fork: " + system_error_text(errno)};
  if (process == 0) {
    stop_here.reset();
    said_here.reset();
    sigemptyset(&ignored_here);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      if (::signal(number, SIG_IGN) != SIG_IGN) sigaddset(&ignored_here, number);
    }
    run(std::move(stop_there), std::move(said_there));
    ::_exit(0);
  }
  return BesideProcess{process, std::move(stop_here), std::move(said_here)};
}

}  // namespace runahead::gui
