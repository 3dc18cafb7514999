// The CUDA module simulated on the host: streams are threads, device memory is host memory, an event is a
// time of the steady clock. Therefore all code that uses the module's interface runs on machines without a
// GPU. A sanitizer can check this code for races. The devices report that they are simulated.
//
// The same library, under a second name, is also the CUPTI module (host_cupti.h).
//
// Not simulated: kernels and cuBLAS (see tests/gpu), and errors that only a real card reports.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace runahead::host_cuda {

inline constexpr int kHostDevices = 2;
inline constexpr const char* kHostDeviceName = "CUDA played by the host";

// Controls and counters of the simulated module. A test sets the controls and reads the counters. The process
// has one instance.
struct HostCudaControls {
  std::atomic<std::int64_t> launches{0};    // number of primitives and copies so far
  std::atomic<std::int64_t> break_at_launch{// this launch fails while it runs, and breaks the device; 0: none
                                            0};
  std::atomic<std::int64_t> refuse_launch{0};   // number of the launch that is refused; 0: none
  std::atomic<std::int64_t> held_by_others{0};  // bytes of the card's memory that other programs use
  // numbers of objects that exist now; written by the module
  std::atomic<std::int64_t> streams{0}, events{0}, blocks{0}, pinned{0};
};
inline constexpr const char* kHostCudaControlsSymbol = "runahead_host_cuda_controls";
using GetHostCudaControls = HostCudaControls* (*)();

// After use_host_cuda(), "cuda:0" and "cuda:1" are the simulated devices, in this process and in its
// children. The call has no effect if the environment has RUNAHEAD_TEST_REAL_CUDA (tests/gpu/run sets it).
void use_host_cuda();
void use_own_cuda();  // after this call, "cuda:N" is a real device of this machine
[[nodiscard]] bool cuda_is_real();

// REQUIRES: use_host_cuda() was called, and !cuda_is_real().
[[nodiscard]] HostCudaControls& host_cuda_controls();

}  // namespace runahead::host_cuda
