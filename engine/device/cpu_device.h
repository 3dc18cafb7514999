// CpuDevice: the host. Runs a work on the thread that submits it; the engine brings the worker threads.
#pragma once

#include <memory>

#include "engine/device/device.h"

namespace runahead::engine {

[[nodiscard]] std::unique_ptr<Device> make_cpu_device();
[[nodiscard]] std::string cpu_description();

}  // namespace runahead::engine
