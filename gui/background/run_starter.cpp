#include "gui/background/run_starter.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <future>
#include <system_error>
#include <utility>

namespace runahead::gui {

std::vector<int> threads_of_process() {
  std::vector<int> threads;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry("/proc/self/task", failed), end; !failed && entry != end;
       entry.increment(failed)) {
    threads.push_back(std::atoi(entry->path().filename().c_str()));
  }
  return threads;
}

std::vector<int> this_and_new_threads(const std::vector<int>& before) {
  const int own = ::gettid();
  std::vector<int> threads{own};
  for (const int thread : threads_of_process()) {
    if (thread != own && std::ranges::find(before, thread) == before.end()) threads.push_back(thread);
  }
  return threads;
}

// Does nothing for a thread that has ended.
static void lower_priority(int thread) {
  const auto id = static_cast<id_t>(thread);
  (void)::setpriority(PRIO_PROCESS, id, ::getpriority(PRIO_PROCESS, id) + kPaintNice);
}

RunStarter::RunStarter(std::vector<int> painting) : painting_(std::move(painting)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void RunStarter::call(const std::function<void()>& start) {
  for (const int thread : std::exchange(painting_, {})) lower_priority(thread);
  std::promise<void> done;
  {
    const MutexLock lock(mutex_);
    task_ = [&start, &done] {
      try {
        start();
        done.set_value();
      } catch (...) {
        done.set_exception(std::current_exception());
      }
    };
  }
  changed_.notify_one();
  done.get_future().get();
}

void RunStarter::work(const std::stop_token& stop) {
  while (true) {
    MutexLock lock(mutex_);
    changed_.wait(lock, stop, [this]() RUNAHEAD_REQUIRES(mutex_) { return task_ != nullptr; });
    if (stop.stop_requested()) return;
    const std::function<void()> task = std::exchange(task_, nullptr);
    lock.unlock();
    task();
  }
}

}  // namespace runahead::gui
