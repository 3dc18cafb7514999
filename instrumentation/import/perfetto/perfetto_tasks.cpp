#include "instrumentation/import/perfetto/perfetto_tasks.h"

namespace runahead::importers::perfetto {
using namespace trace;
namespace {

// Kernel threads are children of thread 2, kthreadd. The importer shows all kernel threads as threads of one
// process.
constexpr std::int64_t kKernelThreads = 2;
constexpr std::string_view kKernelThreadsName = "kernel threads";

// Maximum length of a chain of threads in which each thread started the next one. A longer chain is a cycle,
// or is too long to be useful.
constexpr int kMostStarters = 64;

}  // namespace

NodeId TaskBook::track(std::int64_t tid) {
  Task& task = tasks_[tid];
  if (!task.track) task.track = tracks_.pending_thread();
  return *task.track;
}

void TaskBook::set_process(std::int64_t pid, std::int64_t parent_pid, std::string_view name) {
  Process& process = processes_[pid];
  if (parent_pid != 0) process.parent_pid = parent_pid;
  has_kernel_threads_ = has_kernel_threads_ || parent_pid == kKernelThreads;
  if (!name.empty()) process.name = name;
}

void TaskBook::set_thread(std::int64_t tid, std::int64_t pid, std::string_view name) {
  Task& task = tasks_[tid];
  if (pid != 0) task.pid = pid;
  if (!name.empty()) task.name = name;
}

void TaskBook::set_kernel_name(std::int64_t tid, std::string_view name) {
  if (!name.empty()) tasks_[tid].kernel_name = name;
}

void TaskBook::set_started(std::int64_t tid, std::int64_t by, bool same_process) {
  if (same_process) {
    tasks_[tid].started_by = by;
  } else {
    set_process(tid, by, {});
  }
}

void TaskBook::set_own_pid(std::int64_t tid, std::int64_t pid) {
  if (pid != 0) tasks_[tid].own_pid = pid;
}

std::int64_t TaskBook::told_pid(std::int64_t tid) const {
  const auto is_kernel = [&](std::int64_t pid) {
    const auto process = processes_.find(pid);
    return process != processes_.end() && process->second.parent_pid == kKernelThreads;
  };
  const auto task = tasks_.find(tid);
  const std::int64_t listed = task == tasks_.end() ? 0 : task->second.pid;
  if (listed != 0) return is_kernel(listed) ? kKernelThreads : listed;
  if (tid != 0 && processes_.contains(tid)) return is_kernel(tid) ? kKernelThreads : tid;
  const auto described = described_.find(tid);
  if (described != described_.end() && described->second != 0) return described->second;
  return task == tasks_.end() ? 0 : task->second.own_pid;
}

std::int64_t TaskBook::pid(std::int64_t tid) const {
  for (int steps = 0; tid != 0 && steps < kMostStarters; ++steps) {
    if (const std::int64_t pid = told_pid(tid); pid != 0) return pid;
    const auto task = tasks_.find(tid);
    if (task == tasks_.end()) break;
    tid = task->second.started_by;
  }
  return 0;
}

void TaskBook::resolve() {
  described_ = tracks_.processes_of_threads();
  for (const auto& [tid, task] : tasks_) {
    if (!task.track) continue;
    if (const std::int64_t process = pid(tid); process != 0) {
      tracks_.set_process(*task.track, process, tid);
    } else {
      tracks_.set_process_unknown(*task.track, tid);
    }
  }
}

std::string TaskBook::thread_name(std::int64_t tid) const {
  if (const auto task = tasks_.find(tid); task != tasks_.end()) {
    if (!task->second.name.empty()) return task->second.name;
    if (!task->second.kernel_name.empty()) return task->second.kernel_name;
  }
  const auto process = processes_.find(tid);  // the process list also names main threads and kernel threads
  return process == processes_.end() ? std::string() : process->second.name;
}

std::string TaskBook::process_name(std::int64_t pid) const {
  if (pid == kKernelThreads && has_kernel_threads_) return std::string(kKernelThreadsName);
  const auto process = processes_.find(pid);
  if (process != processes_.end() && !process->second.name.empty()) return process->second.name;
  return thread_name(pid);  // a process without a name gets the name of its main thread
}

void TaskBook::name_tracks() {
  tracks_.name_nameless([this](std::int64_t tid) { return thread_name(tid); },
                        [this](std::int64_t pid) { return process_name(pid); });
}

}  // namespace runahead::importers::perfetto
