// Threads as the kernel knows them: by number only. Ftrace states the thread of an event. Other packets,
// before or after the event, state the thread's process and both names. In the whole file, a number means one
// thread. If the kernel reused the number for another thread, the two threads are not distinguished.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "instrumentation/import/perfetto/perfetto_tracks.h"

namespace runahead::importers::perfetto {
using namespace trace;

class TaskBook {
 public:
  explicit TaskBook(TrackBook& tracks) : tracks_(tracks) {}  // must outlive this

  // The track for a thread's slices.
  [[nodiscard]] NodeId track(std::int64_t tid);

  // Adds a process from the process list. An empty name is ignored.
  void set_process(std::int64_t pid, std::int64_t parent_pid, std::string_view name);
  void set_thread(std::int64_t tid, std::int64_t pid, std::string_view name);
  // The kernel's name of a thread, from ftrace. If ftrace states several names, the last one is used. A name
  // from the process list has priority over all of them.
  void set_kernel_name(std::int64_t tid, std::string_view name);
  // Stores that one thread started another thread: in its own process, or as a new process.
  void set_started(std::int64_t tid, std::int64_t by, bool same_process);
  // The process number that the thread itself wrote. It may be the number inside its container, so all other
  // sources have priority.
  void set_own_pid(std::int64_t tid, std::int64_t pid);

  // Puts the tracks into their processes. Call it after the last packet.
  void resolve();
  // Names the tracks without a name. Call it after the last track was made.
  void name_tracks();

  // 0: unknown. REQUIRES: resolve() was called.
  [[nodiscard]] std::int64_t pid(std::int64_t tid) const;
  // Empty: unknown.
  [[nodiscard]] std::string thread_name(std::int64_t tid) const;
  [[nodiscard]] std::string process_name(std::int64_t pid) const;

 private:
  struct Task {
    std::optional<NodeId> track;
    std::int64_t pid = 0, own_pid = 0, started_by = 0;
    std::string kernel_name, name;
  };
  struct Process {
    std::int64_t parent_pid = 0;
    std::string name;
  };
  [[nodiscard]] std::int64_t told_pid(std::int64_t tid) const;

  TrackBook& tracks_;
  std::map<std::int64_t, Task> tasks_;  // sorted by number, and so are the tracks made from them
  std::unordered_map<std::int64_t, Process> processes_;
  bool has_kernel_threads_ = false;
  std::unordered_map<std::int64_t, std::int64_t> described_;  // key: tid; value: the process that descriptors
                                                              // state
};

}  // namespace runahead::importers::perfetto
