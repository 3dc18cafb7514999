#include "samples/workloads/touch_memory.h"

#include <algorithm>
#include <utility>

#include "engine/device/memory/host_memory.h"
#include "instrumentation/record/hooks/hooks.h"
#include "samples/own_work.h"
#include "samples/process_memory.h"

namespace runahead::samples {

namespace {

constexpr record::Site kTouch{"touch memory", trace::SliceKind::kZone, __FILE__, __LINE__};
// The number of steps that may hold memory if the frontend waits in each step. The first is the step that the
// frontend waits for. The second is the next step, because some of its ops may be enqueued already.
constexpr std::int64_t kWaitsHold = 2;

// While the safety limit holds a run, the arrays of one more step for each kStepsPerLateStep steps wait to be
// freed.
constexpr std::int64_t kStepsPerLateStep = 4;

// Returns the number of steps that may be in flight under the barrier, or `all` if the barrier sets no bound.
std::int64_t steps_under(const BarrierPolicy& barrier, std::int64_t all, double step_bytes,
                         std::int64_t step_ops) {
  switch (barrier.kind) {
    case BarrierKind::kNone:
      return all;
    case BarrierKind::kWindow:
      return barrier.k + 1;
    case BarrierKind::kOps:
      return barrier.k / step_ops + kWaitsHold;
    case BarrierKind::kBytes:
      return static_cast<std::int64_t>(static_cast<double>(barrier.k) / step_bytes) + kWaitsHold;
    default:
      return kWaitsHold;
  }
}

double total_of(std::span<const std::size_t> sizes_bytes) {
  double bytes = 0;
  for (const std::size_t size_bytes : sizes_bytes) bytes += static_cast<double>(size_bytes);
  return bytes;
}

// Number of steps of `step_bytes` bytes that fit into half of a memory of `memory_bytes` bytes.
std::int64_t steps_in_half(std::size_t memory_bytes, double step_bytes) {
  return static_cast<std::int64_t>(static_cast<double>(memory_bytes) / 2 / step_bytes);
}

std::size_t host_memory_bytes() { return std::min(engine::host_capacity_bytes(), available_memory_bytes()); }

// Largest number of blocks of each size that may be touched.
std::int64_t most_touched(engine::Device& device, std::span<const std::size_t> sizes_bytes) {
  const double bytes = total_of(sizes_bytes);
  if (bytes <= 0) return 0;
  return steps_in_half(std::min(device.pool().stats().capacity_bytes, host_memory_bytes()), bytes);
}

// Number of steps that a simulated device may compute ahead of its modelled time. A step takes at least as
// long as the device needs to write its arrays.
std::int64_t steps_ahead(const StepMemory& step) {
  std::int64_t steps = 0;
  for (const auto& [device, sizes_bytes] : step.arrays_bytes) {
    if (!device->starts_on_time() || !device->holds_values()) continue;
    const engine::Cost writing{.memory_bytes = total_of(sizes_bytes)};
    const auto ahead = static_cast<double>(device->lookahead_ticks());
    const auto of_step = static_cast<double>(device->modelled_ticks(engine::StreamKind::kCompute, writing));
    if (of_step > 0) steps = std::max(steps, static_cast<std::int64_t>(ahead / of_step) + 1);
  }
  return steps;
}

}  // namespace

void touch_memory(RunContext& run, engine::Device& device, std::int64_t count, std::size_t size_bytes) {
  touch_memory(run, device, count, std::span(&size_bytes, 1));
}

void touch_memory(RunContext& run, engine::Device& device, std::int64_t count,
                  std::span<const std::size_t> sizes_bytes) {
  count = std::min(count, most_touched(device, sizes_bytes));
  if (!device.holds_values() || count <= 0) return;
  // the loop checks after every 4 blocks of each size whether the run is over
  constexpr std::int64_t kAtOnce = 4;
  const OwnWork own(*run.control);
  const record::Zone zone(kTouch);
  for (std::int64_t ready = 0; ready < count && !run.control->stopping();) {
    ready = std::min(ready + kAtOnce, count);
    device.pool().reserve(sizes_bytes, ready);
  }
}

std::int64_t steps_held_at_once(const RunContext& run, const StepMemory& step) {
  double all_bytes = 0;
  // An endless run may hold as much as the limits allow, because its barrier may change at any time.
  const bool endless = run.control->endless();
  std::int64_t steps = endless ? INT64_MAX : static_cast<std::int64_t>(run.parameter("steps"));
  for (const auto& [device, sizes_bytes] : step.arrays_bytes) {
    const double bytes = total_of(sizes_bytes);
    if (bytes <= 0) continue;
    all_bytes += bytes;
    steps = std::min(steps, steps_in_half(device->pool().stats().capacity_bytes, bytes));
  }
  if (all_bytes <= 0) return 0;
  const engine::EngineOptions& options = run.engine->options();
  const bool one_by_one = options.kind == engine::EngineKind::kNaive ||
                          options.allocation == engine::AllocationTime::kAtExecution;
  if (one_by_one) return std::min(steps, kWaitsHold + steps_ahead(step));
  // Under a limit, the arrays of an op may be freed after the op no longer counts.
  const auto hold_to = [&](BarrierKind kind, std::int64_t limit) {
    const std::int64_t held = steps_under({.kind = kind, .k = limit}, 0, all_bytes, step.ops);
    if (limit > 0) steps = std::min(steps, held + held / kStepsPerLateStep);
  };
  hold_to(BarrierKind::kBytes, options.limit_bytes);
  hold_to(BarrierKind::kOps, options.limit_ops);
  steps = std::min(steps, steps_in_half(host_memory_bytes(), all_bytes));
  return endless ? steps : std::min(steps, steps_under(run.control->barrier(), steps, all_bytes, step.ops));
}

void touch_memory_of_steps(RunContext& run, const StepMemory& step) {
  const std::int64_t steps = steps_held_at_once(run, step);
  for (const auto& [device, sizes_bytes] : step.arrays_bytes) touch_memory(run, *device, steps, sizes_bytes);
}

}  // namespace runahead::samples
