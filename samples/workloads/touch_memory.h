// Wakes a device's memory before a stopwatch runs. Internal to samples.
//
// The first touch of a page can cost a virtual machine more than the product that writes it. What is touched
// here lies in the pool as free memory: reserved, and in the process's RSS; never live. No more is touched
// than half of the device's memory, and of what the host can give; on a device without values, nothing. All
// of it is the frontend's own work (StepControl::begin_own_work), and a stop ends it early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/device/device.h"
#include "samples/workload.h"

namespace runahead::samples {

// Touches `count` blocks of `size_bytes` on `device` and gives them to its pool.
void touch_memory(RunContext& run, engine::Device& device, std::int64_t count, std::size_t size_bytes);
// `count` blocks of each size, so that all of them can be held at once.
void touch_memory(RunContext& run, engine::Device& device, std::int64_t count,
                  std::span<const std::size_t> sizes_bytes);

// What a step makes: the bytes of each array, by device; and how many ops.
struct StepMemory {
  std::map<engine::Device*, std::vector<std::size_t>> arrays_bytes;
  std::int64_t ops = 1;
};
// How many steps' arrays a run may hold at once, under its barrier and the safety limit: at most its steps,
// and no more than half of each device's memory and of what the host can give.
[[nodiscard]] std::int64_t steps_held_at_once(const RunContext& run, const StepMemory& step);
// Touches as much. Before the clock starts: Workload::prepare().
void touch_memory_of_steps(RunContext& run, const StepMemory& step);

}  // namespace runahead::samples
