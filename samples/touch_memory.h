// Wakes a device's memory before a stopwatch runs. Internal to samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/device/device.h"

namespace runahead::samples {

// Touches `count` blocks of `size_bytes` on `device` and gives them back to its pool: the first touch of a
// page can cost a virtual machine more than the product that writes it. What does not fit stays untouched; on
// a device without values there is nothing to touch.
void touch_memory(engine::Device& device, std::int64_t count, std::size_t size_bytes);
// `count` blocks of each size, all of them held at once.
void touch_memory(engine::Device& device, std::int64_t count, std::span<const std::size_t> sizes_bytes);

}  // namespace runahead::samples
