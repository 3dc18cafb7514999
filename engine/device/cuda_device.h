// cuda:N: a GPU as a device of the engine. A stream each for compute, copies to the device and copies to the
// host; on each, works run in the order of submit(). A thread for each stream puts them there (a copy of
// pageable memory holds up no launch); one more follows their events and ends works at the times that the
// device's own clock gives them. No thread of the engine waits for a stream.
//
// Works that follow one another on the device are put on their streams ahead (Device::lookahead_ticks), at
// most kInFlight on one; between streams they are ordered by events (Work::after).
//
// A failure while a work runs is the device's end (CUDA keeps it for ever): that work fails with it, and
// every later one with the same words.
#pragma once

#include <memory>
#include <string>

#include "engine/device/cuda_module.h"
#include "engine/device/device.h"

namespace runahead::engine {

inline constexpr int kCudaInFlight = 64;  // a card's own queue takes 1024, and then its launches wait

struct CudaDeviceInfo {
  int index = 0;
  std::string description;  // "NVIDIA H200, 150 GB, compute capability 9.0"
  std::size_t capacity_bytes = 0;
  bool simulated = false;  // a module of the host's: tests
};

// `api` lives as long as the program. The error: the device does not open, in its words.
[[nodiscard]] Result<std::unique_ptr<Device>> make_cuda_device(const RunaheadCudaApi& api,
                                                               const CudaDeviceInfo& info);

}  // namespace runahead::engine
