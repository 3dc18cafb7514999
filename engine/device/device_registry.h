// The registry: lists the devices of this machine, with the reason why a device is not available. Opens
// devices by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/device/device.h"

namespace runahead::engine {

struct DeviceEntry {
  std::string name;         // "cpu", "virtual:0", "virtual:1", "cuda:0", "opencl:0"
  std::string description;  // what the device is
  bool available = false;
  bool simulated = false;
  std::string reason;  // why the device is not available and what to do, in one line
};
// The number of virtual devices: virtual:0 to virtual:7. list_devices() lists only the first two.
inline constexpr int kVirtualDevices = 8;
// True: the name, with or without options, names a virtual device, which is a simulated device.
[[nodiscard]] bool is_virtual_device(std::string_view name);

// True: the name has the form "cuda:" or "opencl:" and a number. The device may not exist on this machine.
[[nodiscard]] bool is_module_device(std::string_view name);

// Lists the cpu, virtual:0, virtual:1, the CUDA and the OpenCL devices. If there is no CUDA device, an entry
// cuda:0 gives the reason; so does opencl:0. These devices are found through modules, which are opened at run
// time (module_loader.h).
[[nodiscard]] std::vector<DeviceEntry> list_devices();

// Returns the description of one device, without using a GPU. Empty: the device is not available.
[[nodiscard]] std::string device_description(std::string_view name);

// Checks that a device with that name exists, without opening it. The errors are the same as those of
// open_device().
[[nodiscard]] Status check_device(std::string_view name);
// Opens a device. An option after the name selects a preset of a virtual device, such as
// "virtual:0,preset=h100". The preset h100 is timing-only: the device computes no values. capacity_bytes: the
// memory of the device; 0: the default. A real device gets at most its real memory; a virtual device gets the
// requested size. The error names the device, the reason and the known devices.
[[nodiscard]] Result<std::unique_ptr<Device>> open_device(std::string_view name,
                                                          std::size_t capacity_bytes = 0);

}  // namespace runahead::engine
