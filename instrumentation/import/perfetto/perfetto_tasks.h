// Threads as the kernel knows them, by number alone. Ftrace says which thread an event is of; of which
// process that is, and what both are called, other packets tell, before or after. A number is one thread in
// all of a file: one that the kernel used again for another thread is not told apart.
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

  // The track of a thread's slices.
  [[nodiscard]] NodeId track(std::int64_t tid);

  // From the list of processes. An empty name says nothing.
  void set_process(std::int64_t pid, std::int64_t parent_pid, std::string_view name);
  void set_thread(std::int64_t tid, std::int64_t pid, std::string_view name);
  // From ftrace. The kernel's name of a thread: the last one holds, and one from the list of processes is
  // preferred.
  void set_kernel_name(std::int64_t tid, std::string_view name);
  // A thread started by another one: in its process, or as a process of its own.
  void set_started(std::int64_t tid, std::int64_t by, bool same_process);
  // As the thread itself writes it, so perhaps as its container numbers processes: the weakest word.
  void set_own_pid(std::int64_t tid, std::int64_t pid);

  // After the last packet: puts the tracks into their processes.
  void resolve();
  // After the last track is made: names those that have no name.
  void name_tracks();

  // REQUIRES: resolve() was called. 0: not known.
  [[nodiscard]] std::int64_t pid(std::int64_t tid) const;
  // Empty: not known.
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
  std::map<std::int64_t, Task> tasks_;  // in order: so are the tracks that come of it
  std::unordered_map<std::int64_t, Process> processes_;
  bool has_kernel_threads_ = false;
  std::unordered_map<std::int64_t, std::int64_t> described_;  // by tid: the process, as descriptors say
};

}  // namespace runahead::importers::perfetto
