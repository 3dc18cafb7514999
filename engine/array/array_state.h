// ArrayState: the object that an Array refers to. enqueue_op(): the only function through which operators
// enqueue ops. Internal to engine/array.
//
// An array has two parts with different lifetimes. The ArrayState (shape, context, Var) is owned only by
// handles. The Storage (memory) is also owned by the functions of unfinished ops. When an op ends, the engine
// destroys its function, so the op no longer keeps the memory alive.
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

// Not thread-safe: only one frontend thread at a time may use an ArrayState.
class ArrayState {
 public:
  Context context;
  Shape shape;
  std::int64_t elements = 0;
  // false: the array's device is timing-only, or the op that makes the array runs on such a device or has an
  // input without values
  bool has_values = true;
  std::uint64_t changes = 0;  // ops that were enqueued to change the array in place
  Var var;
  OwnStorage storage;
  // Why the engine refused an op that writes the array, such as: the engine has been stopped. Empty: no op
  // was refused.
  std::string refusal;
};

// Makes an array without memory, and without an op that fills it. category: the purpose of its memory.
[[nodiscard]] Array make_array(const Context& context, Shape shape, MemoryCategory category);

// True: the device is the cpu. A copy between the cpu and host memory goes over no link (such as PCIe).
[[nodiscard]] bool is_host(const Device& device);

// Computes the outputs from the inputs, with the device's arithmetic. `in` and `out` are in the order of the
// OpPlan's lists; in `out`, in-place arrays follow the outputs.
using Kernel = UniqueFunction<void(Arithmetic& math, const float* const* in, float* const* out)>;

// A call of an operator: the operator, and the place of the call in the program's source.
struct Call {
  const record::Site& site;
  Where where;
};

struct OpPlan {
  const record::Site* site = nullptr;  // the operator's own site; `where` may replace it
  Where where{};
  Engine* engine = nullptr;
  Device* device = nullptr;  // device that runs the op; for a copy over a link, the accelerator
  StreamKind stream = StreamKind::kCompute;
  std::span<const Array* const> inputs{};
  std::span<const Array* const> outputs{};   // new arrays: this op allocates their memory
  std::span<const Array* const> in_place{};  // arrays that the op reads and writes
  Cost cost{};
  std::int64_t size_bytes = 0;  // if the op is a copy, the bytes that it moves; otherwise 0
};

// Enqueues `kernel`. An array may be listed twice among the inputs, or in the inputs and in_place. If memory
// is allocated at enqueue and none is left, the op is still enqueued. It fails with the allocation's error
// when it runs. If all arrays that the op changes are empty (an axis has extent 0), the op runs without its
// kernel.
Result<OpHandle> enqueue_op(const OpPlan& plan, Kernel kernel);

// enqueue_op() for operators with up to three inputs and one output, on the output's device.
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
    (void)enqueue_op(plan, std::move(kernel));  // if the engine refuses the op, `output` stores the error
  } else {
    const Array* const ins[] = {&inputs...};
    plan.inputs = ins;
    (void)enqueue_op(plan, std::move(kernel));
  }
  return output;
}

// Returns the cost of an operator that computes `flops` operations and moves `elements` float32 values.
[[nodiscard]] inline Cost cost_of(double flops, double elements) {
  return Cost{.flops = flops, .memory_bytes = elements * static_cast<double>(sizeof(float))};
}

}  // namespace runahead::engine
