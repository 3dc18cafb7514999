// Touches a device's memory before a stopwatch runs: allocates pages and writes to them for the first time.
// Internal to samples.
//
// On a virtual machine, the first touch of a page can take longer than the product that writes the page.
// Touched memory is free memory of the pool. It counts as reserved memory and in the process's RSS, but not
// as live memory. These functions touch at most half of the device's memory, and at most half of the memory
// that the host can provide. On a timing-only device, which holds no values, they touch nothing. The time of
// these functions counts as the frontend's own work (StepControl::begin_own_work). If the run is stopped, the
// touching ends early.
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
// Touches `count` blocks of each size, so that all these blocks can be in use at the same time.
void touch_memory(RunContext& run, engine::Device& device, std::int64_t count,
                  std::span<const std::size_t> sizes_bytes);

// The arrays that a step makes, in bytes by device, and its number of ops.
struct StepMemory {
  std::map<engine::Device*, std::vector<std::size_t>> arrays_bytes;
  std::int64_t ops = 1;
};
// Returns the number of steps whose arrays a run may hold at the same time, under its barrier and the safety
// limit, including arrays that are freed late. For an endless run this holds under any barrier, because its
// barrier may change. The result is at most the number of steps of the run. The arrays of these steps fit
// into half of each device's memory, and into half of the memory that the host can provide.
[[nodiscard]] std::int64_t steps_held_at_once(const RunContext& run, const StepMemory& step);
// Touches the memory of steps_held_at_once() steps. Call it in Workload::prepare(), before the clock starts.
void touch_memory_of_steps(RunContext& run, const StepMemory& step);

}  // namespace runahead::samples
