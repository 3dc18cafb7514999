// Arithmetic on one stream of a module's device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/device/arithmetic.h"
#include "engine/device/device_module.h"

namespace runahead::engine {

// Throws std::runtime_error if status is not 0, with a message such as "cuda:0: launching a product: out of
// memory".
void check_module(const RunaheadDeviceApi& api, const std::string& device, const char* doing,
                  std::int32_t status);

// `stream` and `device` belong to the module and outlive the result. name: the device's name, for messages.
[[nodiscard]] std::unique_ptr<Arithmetic> make_module_arithmetic(const RunaheadDeviceApi& api,
                                                                 std::string name, void* device,
                                                                 void* stream);

}  // namespace runahead::engine
