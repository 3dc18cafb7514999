// The registry: which devices exist here, and why one does not. Opens them by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/device.h"

namespace runahead::engine {

struct DeviceEntry {
  std::string name;         // "cpu", "virtual:0", "virtual:1", "cuda:0"
  std::string description;  // what it is
  bool available = false;
  bool simulated = false;
  std::string reason;  // why it is not available: one line, with what to do
};
// virtual:0 to virtual:7; the first two are listed.
inline constexpr int kVirtualDevices = 8;
// Of a name with or without options: it is one of those, so simulated.
[[nodiscard]] bool is_virtual_device(std::string_view name);

// "cuda:" and a number: the form of a CUDA device's name, whether or not there is one.
[[nodiscard]] bool is_cuda_device(std::string_view name);

// What there is to choose from, available or not; cuda is looked for through its module, opened at run time.
[[nodiscard]] std::vector<DeviceEntry> list_devices();

// Of one device, without using a GPU; empty where it is not available.
[[nodiscard]] std::string device_description(std::string_view name);

// Whether there is a device of that name, without opening it. The error is the one that open_device() gives.
[[nodiscard]] Status check_device(std::string_view name);
// Opens a device. `options` after the name select a preset: "virtual:0" or "virtual:0,preset=h100" (timing
// only). capacity_bytes: of its memory; at most what there is, but a virtual device has what it is told to
// have; 0: its own. The error says which, why, and what there is.
[[nodiscard]] Result<std::unique_ptr<Device>> open_device(std::string_view name,
                                                          std::size_t capacity_bytes = 0);

}  // namespace runahead::engine
