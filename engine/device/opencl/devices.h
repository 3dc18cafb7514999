// The OpenCL devices of this machine, and the memory on the open ones. Internal to the OpenCL module.
//
// Every device of every platform is listed. A CPU with at least two compute units is also listed as two
// halves (sub-devices), after all others: so workloads of two devices run on a machine that has one.
//
// If the environment has RUNAHEAD_OPENCL_NO_DOUBLE, the kernels are compiled as for a device without double.
//
// Arithmetic wants addresses, and OpenCL 1.2 has only buffers. So each buffer gets a range of addresses that
// nothing else has and that nobody can read; place_of() leads from an address in this range to the buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "engine/device/device_module.h"
#include "engine/device/opencl/handles.h"
#include "instrumentation/base/mutex.h"

namespace runahead::engine::opencl {

struct OpenDevice {
  cl_device_id id = nullptr;
  bool has_double = false;
  Context context;
  Program program;
  Queue memory;  // for what is not ordered with any stream
};

// A device's buffer and a place in it.
struct Place {
  std::shared_ptr<OpenDevice> device;
  Memory buffer;
  std::size_t at_bytes = 0;
};

void discover(RunaheadDiscovery* out);
// Opens the device with this index of discover(), and compiles the kernels. A device that is open already is
// shared.
[[nodiscard]] std::int32_t open_device(std::int32_t index, std::shared_ptr<OpenDevice>& out);

[[nodiscard]] std::int32_t take_memory(const std::shared_ptr<OpenDevice>& device, std::size_t bytes,
                                       void** out);
[[nodiscard]] std::int32_t give_memory(void* memory);
// Writes zeros to the memory. The device of a CPU takes its memory from the host, page by page.
[[nodiscard]] std::int32_t touch_memory(void* memory, std::size_t bytes);
// nullopt: `address` is not in memory that take_memory() gave, so it is host memory.
[[nodiscard]] std::optional<Place> place_of(const void* address);

// Host memory that the drivers of all open devices pin: a buffer over it, which is mapped.
[[nodiscard]] std::int32_t pin(void* memory, std::size_t bytes);
[[nodiscard]] std::int32_t unpin(void* memory);

}  // namespace runahead::engine::opencl
