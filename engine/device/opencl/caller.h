// Caller: a thread that calls functions of the host in the order of a stream. OpenCL's own callbacks must not
// block: while one runs, PoCL starts no command. Internal to the OpenCL module.
#pragma once

#include <condition_variable>
#include <deque>
#include <thread>

#include "engine/device/opencl/handles.h"
#include "instrumentation/base/mutex.h"

namespace runahead::engine::opencl {

class Caller {
 public:
  Caller();
  ~Caller();  // waits for the calls that were asked for
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // Calls the function once `reached` has ended (also with an error), then ends the user event `returned`.
  void call_after(const Event& reached, void (*function)(void* data), void* data, const Event& returned);

 private:
  struct Call {
    Event reached;
    void (*function)(void* data) = nullptr;
    void* data = nullptr;
    Event returned;
  };
  void run();

  Mutex mutex_;  // never nests
  std::condition_variable changed_;
  std::deque<Call> calls_ RUNAHEAD_GUARDED_BY(mutex_);
  bool stopping_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace runahead::engine::opencl
