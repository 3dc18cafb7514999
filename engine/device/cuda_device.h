// cuda:N: a GPU as a device of the engine. It has three streams: compute, copies to the device and copies to
// the host. On each stream, works run in the order of submit(). Each stream has two threads. One puts works
// on the stream, so that a copy of pageable memory delays no launch of another stream. The other follows the
// works' events and ends the works at the times of the device's own clock. No thread of the engine waits for
// a stream.
//
// Works that follow each other on the device are put on their streams ahead of time
// (Device::lookahead_ticks), at most kCudaInFlight on one stream. Between streams events keep their order
// (Work::after).
//
// A failure while a work runs is the end of the device, because CUDA keeps the error for ever. The work fails
// with it, and every later work fails with the same message.
#pragma once

#include <memory>
#include <string>

#include "engine/device/cuda_module.h"
#include "engine/device/device.h"

namespace runahead::engine {

inline constexpr int kCudaInFlight = 64;  // the queue of a card takes 1024; after that its launches wait

struct CudaDeviceInfo {
  int index = 0;
  std::string description;  // "NVIDIA H200, 150 GB, compute capability 9.0"
  std::size_t capacity_bytes = 0;
  bool simulated = false;  // a simulated module on the host: tests
};

// `api` must live as long as the program. Error: the device does not open, in the device's words.
[[nodiscard]] Result<std::unique_ptr<Device>> make_cuda_device(const RunaheadCudaApi& api,
                                                               const CudaDeviceInfo& info);

}  // namespace runahead::engine
