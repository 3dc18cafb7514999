// A process of ours that works beside this one, such as the joiner and the bridge. It ends when its pipe
// `stop` is closed, also because this process was killed. It says lines over its pipe `said`.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"

namespace runahead::gui {

struct BesideProcess {
  pid_t pid = 0;
  FileDescriptor stop, said;  // our ends
};

// Starts the process, which calls `run` with its ends of the pipes, and then ends. SIGINT, SIGTERM and SIGHUP
// are often sent to a whole group of processes; this process ignores them and waits for `stop`, so that it
// completes its file. REQUIRES: this process has one thread.
[[nodiscard]] Result<BesideProcess> start_beside(
    const std::function<void(FileDescriptor stop, FileDescriptor say_to)>& run);

// In such a process: the signals that it ignores and that its parent did not. A program that it starts must
// not ignore them.
[[nodiscard]] sigset_t signals_ignored_beside();

}  // namespace runahead::gui
