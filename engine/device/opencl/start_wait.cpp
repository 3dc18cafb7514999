#include "engine/device/opencl/start_wait.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <set>

#include "instrumentation/base/mutex.h"

namespace runahead::engine::opencl {
namespace {

// The state of a command is read this often while its start is awaited. So what the driver does not call for
// is seen at most so much later. What 100 reads per second cost was not measured.
constexpr std::chrono::milliseconds kBetweenLooks{10};

// The threads that wait for the start of a command. The driver may call after the wait has ended. So its call
// has the number of a wait, and no address.
class StartWaits {
 public:
  using Number = std::uintptr_t;

  [[nodiscard]] Number add() {
    const MutexLock lock(mutex_);
    waiting_.insert(++last_);
    return last_;
  }
  void remove(Number number) {
    const MutexLock lock(mutex_);
    waiting_.erase(number);
  }
  // False: kBetweenLooks have passed, and nobody called remove().
  [[nodiscard]] bool removed(Number number) {
    MutexLock lock(mutex_);
    return changed_.wait_for(lock.native(), kBetweenLooks,
                             [&]() RUNAHEAD_REQUIRES(mutex_) { return !waiting_.contains(number); });
  }
  static void CL_CALLBACK called(cl_event, cl_int, void* number);

 private:
  Mutex mutex_;  // never nests
  std::condition_variable changed_;
  std::set<Number> waiting_ RUNAHEAD_GUARDED_BY(mutex_);
  Number last_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
};

// Lives until the process ends, because the driver may call until then.
StartWaits& start_waits() {
  static StartWaits* const only = new StartWaits;
  return *only;
}

void StartWaits::called(cl_event, cl_int, void* number) {
  start_waits().remove(reinterpret_cast<Number>(number));
  start_waits().changed_.notify_all();
}

bool waits_to_begin(cl_event command) {
  cl_int state = CL_QUEUED;
  return read_state(command, state) == CL_SUCCESS && state > CL_RUNNING;
}

}  // namespace

void wait_for_start(cl_event command) {
  const StartWaits::Number number = start_waits().add();
  // If the driver refuses the call, the state is still read every kBetweenLooks.
  (void)clSetEventCallback(command, CL_RUNNING, &StartWaits::called, reinterpret_cast<void*>(number));
  while (!start_waits().removed(number) && waits_to_begin(command)) {
  }
  start_waits().remove(number);
}

}  // namespace runahead::engine::opencl
