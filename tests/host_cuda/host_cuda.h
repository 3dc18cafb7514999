// The CUDA module played by the host: streams are threads, device memory is the host's, an event is a moment
// of the steady clock. So all of ours that stands on the module's interface is run, and its races looked for,
// on machines without a GPU. The devices say that they are simulated.
//
// The same library under a second name is the CUPTI module (host_cupti.h).
//
// What it does not play: kernels and cuBLAS (tests/gpu), and what a card refuses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace runahead::host_cuda {

inline constexpr int kHostDevices = 2;
inline constexpr const char* kHostDeviceName = "CUDA played by the host";

// Set by a test, read by the module; the process's.
struct HostCudaControls {
  std::atomic<std::int64_t> launches{0};  // primitives and copies so far
  std::atomic<std::int64_t> break_at_launch{
      0};  // that one fails while it runs, and the device with it; 0: none
  std::atomic<std::int64_t> refuse_launch{0};   // that one is refused, and that is all; 0: none
  std::atomic<std::int64_t> held_by_others{0};  // bytes of the card's memory
  std::atomic<std::int64_t> streams{0}, events{0}, blocks{0}, pinned{0};  // that are there now
};
inline constexpr const char* kHostCudaControlsSymbol = "runahead_host_cuda_controls";
using GetHostCudaControls = HostCudaControls* (*)();

// From here on "cuda:0" and "cuda:1" are these, in this process and those that it starts; not where the
// environment has RUNAHEAD_TEST_REAL_CUDA (tests/gpu/run).
void use_host_cuda();
void use_own_cuda();  // from here on they are this machine's
[[nodiscard]] bool cuda_is_real();

// REQUIRES: use_host_cuda(), and that it is not real.
[[nodiscard]] HostCudaControls& host_cuda_controls();

}  // namespace runahead::host_cuda
