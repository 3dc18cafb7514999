#include "engine/device/opencl/caller.h"

#include <utility>

namespace runahead::engine::opencl {

Caller::Caller() : thread_([this] { run(); }) {}

Caller::~Caller() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void Caller::call_after(const Event& reached, void (*function)(void* data), void* data,
                        const Event& returned) {
  const MutexLock lock(mutex_);
  calls_.push_back({.reached = reached, .function = function, .data = data, .returned = returned});
  changed_.notify_all();
}

void Caller::run() {
  for (;;) {
    Call call;
    {
      MutexLock lock(mutex_);
      changed_.wait(lock.native(),
                    [this]() RUNAHEAD_REQUIRES(mutex_) { return stopping_ || !calls_.empty(); });
      if (calls_.empty()) return;
      call = std::move(calls_.front());
      calls_.pop_front();
    }
    cl_event const reached = call.reached.get();
    (void)clWaitForEvents(1, &reached);
    call.function(call.data);
    (void)clSetUserEventStatus(call.returned.get(), CL_COMPLETE);
  }
}

}  // namespace runahead::engine::opencl
