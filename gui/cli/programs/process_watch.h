// Tells when another process has ended.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>

#include "instrumentation/base/posix_file.h"

namespace runahead::gui {

class ProcessWatch {
 public:
  explicit ProcessWatch(pid_t pid)
      : process_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))), pid_(pid) {}
  // True if the process has ended, also if nobody has waited for it yet.
  [[nodiscard]] bool ended() const {
    if (!process_.valid()) return ::kill(pid_, 0) != 0 && errno == ESRCH;
    pollfd ended{process_.get(), POLLIN, 0};
    return ::poll(&ended, 1, 0) > 0;
  }

 private:
  FileDescriptor process_;
  pid_t pid_;
};

}  // namespace runahead::gui
