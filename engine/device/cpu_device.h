// CpuDevice: the host. Runs each work item on the thread that submits it. The engine provides the worker
// threads.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/device/device.h"

namespace runahead::engine {

[[nodiscard]] std::unique_ptr<Device> make_cpu_device(std::size_t capacity_bytes);
[[nodiscard]] std::string cpu_description();

}  // namespace runahead::engine
