// An OpenCL driver that is simulated on the host: a driver for the system's loader of OpenCL drivers
// (libOpenCL.so.1). So the OpenCL module is tested on machines without a driver, and with faults that no real
// driver makes on request. It has two devices. A queue is a thread, and a buffer is host memory.
//
// Simulated: what the module uses of contexts, queues, buffers, copies, events with their times, user events
// and callbacks. Of the kernels, only fill() and with_scalar() compute; the others do nothing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace runahead::host_opencl {

inline constexpr const char* kHostDeviceName = "OpenCL played by the host";
inline constexpr const char* kHostPlatformName = "Host platform";

// Holds the commands that begin while it is closed. A condition variable also wakes threads of another shared
// library; std::atomic::wait() does not, because each library has its own list of waiting threads.
class Gate {
 public:
  void close() { set(false); }
  void open() { set(true); }
  void pass() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }

 private:
  void set(bool open) {
    {
      const std::lock_guard lock(mutex_);
      open_ = open;
    }
    opened_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = true;
};

// Controls and counters of the simulated driver. A test sets the controls and reads the counters. The process
// has one instance. Errors are values of CL/cl.h.
struct HostOpenClControls {
  // of the platform
  std::atomic<std::int32_t> platform_error{0};  // the platform's answer to "which devices are there"
  std::atomic<bool> no_devices{false};          // the platform says that it has none
  // of a device
  std::atomic<bool> fail_build{false};            // no program compiles
  std::atomic<std::int64_t> free_bytes{1 << 30};  // buffers that need more fail
  // The gates hold kernels, copies and fills, but no other commands.
  Gate gate;                                // closed: each command that begins runs until it is open
  Gate start_gate;                          // closed: no command begins
  std::atomic<bool> no_queue_times{false};  // CL_PROFILING_COMMAND_QUEUED and SUBMIT are 0
  // Commands are numbered from 1, over all queues.
  std::atomic<std::int64_t> commands{0};        // number of commands so far
  std::atomic<std::int64_t> refuse_command{0};  // number of a command that is refused; 0: none
  std::atomic<std::int32_t> refuse_error{0};    // what its caller gets
  std::atomic<std::int64_t> fills{0};           // number of calls of clEnqueueFillBuffer() so far
  // True: the next clFlush() of a queue that had a copy gives refuse_error. Then the driver sets it to false.
  std::atomic<bool> refuse_flush{false};
  std::atomic<std::int64_t> break_command{0};  // number of a command that fails while it runs; 0: none
  std::atomic<std::int32_t> break_error{0};    // its status
  // Not 0: a command that gates hold never runs and fails with this error, and its callbacks are not called.
  // PoCL 3.1 does this to a command that follows a failed one.
  std::atomic<std::int32_t> silent_error{0};
  std::atomic<std::int64_t> start_callbacks{0};  // callbacks asked for at CL_RUNNING so far
  // True: its device then refuses and fails everything, until another context of it is made.
  std::atomic<bool> break_loses_device{false};
  // numbers of objects that exist now; written by the driver
  std::atomic<std::int64_t> contexts{0}, queues{0}, buffers{0}, programs{0}, kernels{0}, events{0};
};
inline constexpr const char* kHostOpenClControlsSymbol = "runahead_host_opencl_controls";
using GetHostOpenClControls = HostOpenClControls* (*)();

// Of the simulated CLBlast. The process has one instance.
struct HostClblastCounters {
  std::atomic<std::int64_t> products{0};     // number of products so far
  std::atomic<std::int64_t> inside{0};       // number of threads that are in a product now
  std::atomic<std::int64_t> overlapping{0};  // number of products that began while another thread was in one
};
inline constexpr const char* kHostClblastCountersSymbol = "runahead_host_clblast_counters";
using GetHostClblastCounters = HostClblastCounters* (*)();

// After this call, "opencl:0" and "opencl:1" are the simulated devices, in this process and in its children.
// REQUIRES: nothing in this process has asked for OpenCL devices yet, since the loader reads its drivers
// once.
void use_host_opencl();
// REQUIRES: use_host_opencl() was called.
[[nodiscard]] HostOpenClControls& host_opencl_controls();

// After this call, the module takes the simulated CLBlast for the installed one. REQUIRES: use_host_opencl()
// was called, and nothing in this process has multiplied on an OpenCL device.
[[nodiscard]] HostClblastCounters& use_host_clblast();

}  // namespace runahead::host_opencl
