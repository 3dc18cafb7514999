// RunStarter: starts the threads of a run, and lets them go before the threads that paint. Mesa's software
// renderer paints with the processors that the run uses. At equal priority the frames delay the run's ops,
// and the measured effect of a barrier is wrong.
//
// A Linux thread inherits the priority (nice value) of the thread that starts it, and may lower its priority
// but not raise it again. Therefore a thread with the normal priority starts the run's threads.
// The thread that creates the RunStarter calls all functions.
#pragma once

#include <condition_variable>
#include <functional>
#include <thread>
#include <vector>

#include "instrumentation/base/mutex.h"

namespace runahead::gui {

// How much the nice value of a painting thread grows. On a processor that a run wants too, painting then gets
// one seventh of the time.
inline constexpr int kPaintNice = 8;

// Returns the ids (as of gettid) of all threads of this process; empty if they cannot be read.
[[nodiscard]] std::vector<int> threads_of_process();

// Returns the calling thread and the threads that exist now but are not in `before`.
[[nodiscard]] std::vector<int> this_and_new_threads(const std::vector<int>& before);

class RunStarter {
 public:
  // `painting`: the threads that paint on processors; empty if a graphics card paints.
  explicit RunStarter(std::vector<int> painting);

  // Calls `start` on the thread with the normal priority, and returns after it. Lowers the priority of the
  // painting threads at the first call: a window without a run keeps its priority. An exception of `start`
  // reaches the caller.
  void call(const std::function<void()>& start);

 private:
  void work(const std::stop_token& stop);

  std::vector<int> painting_;  // empty after the first call
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::function<void()> task_ RUNAHEAD_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: joins before the members that it uses are destroyed
};

}  // namespace runahead::gui
