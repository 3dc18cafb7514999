// A card simulated on the host. The CUDA module (cuda_module.cpp and cuda_kernels.cu) is compiled for the
// host and runs on a simulated CUDA runtime: a stream is a thread, device memory is host memory, an event is
// a time of the steady clock, and the threads of a kernel's block are fibres (grid.h). Therefore all code
// that uses the module, the module itself and its kernels run on machines without a GPU and without the CUDA
// Toolkit. A sanitizer can check this code. The devices report that they are simulated. The runtime ends the
// process when a call would be an error or a race on a card (runtime.h).
//
// The same library, under a second name, is also the CUPTI module (host_cupti.h).
//
// Not simulated: cuBLAS's own rounding, the speed, and errors that only a real card reports.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace runahead::host_cuda {

inline constexpr int kHostDevices = 2;
inline constexpr const char* kHostDeviceName = "CUDA played by the host";

// Controls and counters of the simulated runtime. A test sets the controls and reads the counters. The
// process has one instance.
struct HostCudaControls {
  std::atomic<std::int64_t> launches{0};  // number of kernels and copies so far
  std::atomic<std::int64_t> break_at_launch{
      0};  // this launch fails while it runs, and breaks the device; 0: none
  std::atomic<std::int64_t> refuse_launch{0};     // number of the launch that is refused; 0: none
  std::atomic<std::int64_t> records{0};           // number of calls of cudaEventRecord() so far
  std::atomic<std::int64_t> refuse_record{0};     // number of the call that is refused; 0: none
  std::atomic<std::int64_t> synchronizes{0};      // number of calls of cudaStreamSynchronize() so far
  std::atomic<std::int64_t> fail_synchronize{0};  // this call waits, and then fails; 0: none
  std::atomic<std::int64_t> held_by_others{0};    // bytes of the card's memory that other programs use
  std::atomic<std::uint64_t> order_seed{0};       // decides the order of the blocks and threads of kernels
  std::atomic<bool> keep_going{false};            // a misuse does not end the process
  std::atomic<bool> no_peers{false};              // no device reaches the memory of another one
  std::atomic<bool> ignore_pool_access{
      false};                                // cudaMemPoolSetAccess() does nothing, as if it was not called
  std::atomic<std::int64_t> peer_copies{0};  // number of calls of cudaMemcpyPeerAsync() so far
  // numbers of objects that exist now, and of misuses so far; written by the module
  std::atomic<std::int64_t> streams{0}, events{0}, blocks{0}, pinned{0}, misuses{0};
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
