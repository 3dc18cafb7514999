// What stands behind an Array, and the one way in which operators enqueue. Internal to engine/array.
//
// Two parts, because they live differently: the ArrayState (shape, place, Var) is held by handles alone; the
// Storage (memory) also by the functions of unfinished ops, which the engine destroys as each op ends.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/array/array.h"
#include "engine/array/operators.h"
#include "engine/array/storage.h"
#include "engine/device/device.h"
#include "instrumentation/base/unique_function.h"

namespace runahead::engine {

// One frontend thread at a time.
class ArrayState {
 public:
  Context context;
  Shape shape;
  std::int64_t elements = 0;
  bool has_values = true;  // false: made on, or from, a device that holds none (timing only)
  Var var;
  OwnStorage storage;
  std::string refusal;  // why the engine took no op for it (it shuts down); empty otherwise
};

// An array without memory and without an op that fills it. `category` is what its memory is for.
[[nodiscard]] Array make_array(const Context& context, Shape shape, MemoryCategory category);

[[nodiscard]] bool is_host(const Device& device);  // the cpu: no link between it and the host's memory

// Computes, with the device's own arithmetic, from the values of the inputs those of the outputs, in the
// order in which they were listed; in-place arrays after the outputs.
using Kernel = UniqueFunction<void(Arithmetic& math, const float* const* in, float* const* out)>;

// An operator that is called, and where.
struct Call {
  const record::Site& site;
  Where where;
};

struct OpPlan {
  const record::Site* site = nullptr;
  Where where{};  // line 0: the site's
  Engine* engine = nullptr;
  Device* device = nullptr;  // where it runs; for a copy the accelerator's end of the link
  StreamKind stream = StreamKind::kCompute;
  std::span<const Array* const> inputs{};
  std::span<const Array* const> outputs{};   // new: get their memory with this op
  std::span<const Array* const> in_place{};  // read and written
  Cost cost{};
  std::int64_t size_bytes = 0;  // of a copy
};

// Enqueues `kernel`. An array may be listed twice among the inputs, or among the inputs and in_place. When
// memory is taken at enqueue and there is none, the op is enqueued all the same, and fails with that error.
Result<OpHandle> enqueue_op(const OpPlan& plan, Kernel kernel);

// For operators of up to three inputs and one output on the output's device.
template <typename... Inputs>
Array enqueue_one(const Call& call, Array output, const Cost& cost, Kernel kernel, const Inputs&... inputs) {
  const Array* const outputs[] = {&output};
  OpPlan plan{.site = &call.site,
              .where = call.where,
              .engine = output.context().engine,
              .device = output.context().device,
              .outputs = outputs,
              .cost = cost};
  if constexpr (sizeof...(Inputs) == 0) {
    (void)enqueue_op(plan, std::move(kernel));  // a refusal stays with the output
  } else {
    const Array* const ins[] = {&inputs...};
    plan.inputs = ins;
    (void)enqueue_op(plan, std::move(kernel));
  }
  return output;
}

// What an operator of `flops` that reads and writes `elements` float32 costs.
[[nodiscard]] inline Cost cost_of(double flops, double elements) {
  return Cost{.flops = flops, .memory_bytes = elements * static_cast<double>(sizeof(float))};
}

}  // namespace runahead::engine
