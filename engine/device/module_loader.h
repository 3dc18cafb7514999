// Opens the device modules at run time, and finds their devices. A module is a shared library of ours that
// links with the libraries of a vendor: librunahead_cuda.so with CUDA, librunahead_opencl.so with OpenCL. If
// something is missing, the result contains the reason. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "engine/device/device_module.h"

namespace runahead::engine {

enum class ModuleKind : std::uint8_t { kCuda, kOpenCl };
inline constexpr std::array kModuleKinds{ModuleKind::kCuda, ModuleKind::kOpenCl};
// The name of the kind's devices, without a number: "cuda", "opencl".
[[nodiscard]] std::string_view device_prefix(ModuleKind kind);
// What the devices of the kind are, for a list in which there is none: "CUDA GPU".
[[nodiscard]] std::string_view device_words(ModuleKind kind);

struct DeviceModule {
  RunaheadDiscovery found{};  // device_count 0: `reason` says why and what to do, in one line
  // the module's functions, valid until the process ends; null: the module was not found or cannot be used
  const RunaheadDeviceApi* api = nullptr;
};
// Searches for the module at each call, because the result depends on the environment (RUNAHEAD_MODULE_DIR).
[[nodiscard]] DeviceModule discover_devices(ModuleKind kind);

}  // namespace runahead::engine
