// An OpenCL driver that is simulated on the host: a driver for the system's loader of OpenCL drivers
// (libOpenCL.so.1). So the OpenCL module is tested on machines without a driver, and with faults that no real
// driver makes on request. It has two devices. A queue is a thread, and a buffer is host memory.
//
// Simulated: what the module uses of contexts, queues, buffers, copies, events with their times, user events
// and callbacks. Of the kernels, only fill() and with_scalar() compute; the others do nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace runahead::host_opencl {

inline constexpr const char* kHostDeviceName = "OpenCL played by the host";
inline constexpr const char* kHostPlatformName = "Host platform";

// Controls and counters of the simulated driver. A test sets the controls and reads the counters. The process
// has one instance. Errors are values of CL/cl.h.
struct HostOpenClControls {
  // of the platform
  std::atomic<std::int32_t> platform_error{0};  // the platform's answer to "which devices are there"
  std::atomic<bool> no_devices{false};          // the platform says that it has none
  // of a device
  std::atomic<bool> fail_build{false};            // no program compiles
  std::atomic<std::int64_t> free_bytes{1 << 30};  // buffers that need more fail
  std::atomic<bool> hold{false};            // true: each command runs until this is false (and notified)
  std::atomic<bool> no_queue_times{false};  // CL_PROFILING_COMMAND_QUEUED and SUBMIT are 0
  // Commands are numbered from 1, over all queues.
  std::atomic<std::int64_t> commands{0};        // number of commands so far
  std::atomic<std::int64_t> refuse_command{0};  // number of a command that is refused; 0: none
  std::atomic<std::int32_t> refuse_error{0};    // what its caller gets
  std::atomic<std::int64_t> break_command{0};   // number of a command that fails while it runs; 0: none
  std::atomic<std::int32_t> break_error{0};     // its status
  // True: its device then refuses and fails everything, until another context of it is made.
  std::atomic<bool> break_loses_device{false};
  // numbers of objects that exist now; written by the driver
  std::atomic<std::int64_t> contexts{0}, queues{0}, buffers{0}, programs{0}, kernels{0}, events{0};
};
inline constexpr const char* kHostOpenClControlsSymbol = "runahead_host_opencl_controls";
using GetHostOpenClControls = HostOpenClControls* (*)();

// After this call, "opencl:0" and "opencl:1" are the simulated devices, in this process and in its children.
// REQUIRES: nothing in this process has asked for OpenCL devices yet, since the loader reads its drivers
// once.
void use_host_opencl();
// REQUIRES: use_host_opencl() was called.
[[nodiscard]] HostOpenClControls& host_opencl_controls();

}  // namespace runahead::host_opencl
