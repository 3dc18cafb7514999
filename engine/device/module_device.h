// ModuleDevice: a device of a module (cuda:N, opencl:N) as a device of the engine. It has three streams:
// compute, copies to the device and copies to the host. On each stream, work items run in the order of
// submit(). Each stream has two threads, the launcher and the ender. The launcher puts work items on the
// stream. Each stream has its own launcher, so that a copy of pageable memory delays no launch on another
// stream. The ender waits for the events of each work item. Then it reports to the engine that the item has
// ended, with the end time that ModuleClock gives. No thread of the engine waits for a stream.
//
// A work item may be put on its stream before its predecessors on this device have ended
// (Device::lookahead_ticks). At most kModuleInFlight items are on one stream. Events keep the order between
// items on different streams (Work::after).
//
// If a work item fails while it runs, the device cannot be used again, because CUDA keeps the error forever.
// This item and every later item fail with the same message.
#pragma once

#include <memory>
#include <string>

#include "engine/device/device.h"
#include "engine/device/device_module.h"

namespace runahead::engine {

// The maximum number of work items on one stream. A card's queue holds 1024 launches. If it is full, a
// further launch blocks the calling thread.
inline constexpr int kModuleInFlight = 64;

struct ModuleDeviceInfo {
  std::string name;         // "cuda:0"
  int index = 0;            // of the device in RunaheadDiscovery::devices
  std::string description;  // "NVIDIA H200, 150 GB, compute capability 9.0"
  std::size_t capacity_bytes = 0;
  bool simulated = false;  // true: the module simulates a GPU on the host, for tests
};

// `api` must live as long as the program. Error: the device does not open; the error text comes from the
// module.
[[nodiscard]] Result<std::unique_ptr<Device>> make_module_device(const RunaheadDeviceApi& api,
                                                                 const ModuleDeviceInfo& info);

}  // namespace runahead::engine
