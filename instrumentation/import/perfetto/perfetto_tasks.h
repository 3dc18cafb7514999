// TaskBook: the threads that ftrace (the kernel's tracer) mentions. An ftrace event states only the number of
// its thread. Other packets, before or after the event, state the process of this thread, and the names of
// the thread and the process. The importer treats each thread number as one thread in the whole file. If the
// kernel later gave the number to a second thread, both threads share one track.
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
  // Stores the name that the kernel gives to a thread, as ftrace states it. If ftrace states several names,
  // the last one is used. A name from the process list has priority over the names from ftrace.
  void set_kernel_name(std::int64_t tid, std::string_view name);
  // Stores that thread `by` started thread `tid`. same_process: the new thread belongs to the process of
  // `by`. Otherwise the new thread is the main thread of a new process.
  void set_started(std::int64_t tid, std::int64_t by, bool same_process);
  // Stores the process number that the thread itself wrote into the trace. A thread in a container may write
  // a number that is valid only in the container. Therefore a process number from the process list or from a
  // descriptor has priority over the number that the thread wrote.
  void set_own_pid(std::int64_t tid, std::int64_t pid);

  // Puts each thread's track into the process of the thread. Call it after the last packet.
  void resolve();
  // Gives a name to each track that has none. Call it after the last track was made.
  void name_tracks();

  // Returns the process of a thread; 0: unknown. REQUIRES: resolve() was called.
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
  // sorted by tid: resolve() makes the tracks of the threads in this order
  std::map<std::int64_t, Task> tasks_;
  std::unordered_map<std::int64_t, Process> processes_;
  bool has_kernel_threads_ = false;
  std::unordered_map<std::int64_t, std::int64_t> described_;  // key: tid; value: the process that descriptors
                                                              // state
};

}  // namespace runahead::importers::perfetto
