#include "engine/array/array_state.h"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "engine/array/host_arithmetic.h"
#include "instrumentation/base/check.h"
#include "instrumentation/base/freelist.h"
#include "instrumentation/base/small_vector.h"

namespace runahead::engine {

namespace {

Arithmetic& arithmetic_of(Device& device, StreamKind stream) {
  Arithmetic* const own = device.arithmetic(stream);
  return own != nullptr ? *own : host_arithmetic();
}

// Body: the function of every array op. It allocates the memory of the outputs, if the frontend has not done
// so, and then computes the values. The Body keeps the memory of the op's inputs and outputs alive until the
// engine destroys the Body.
class Body : public FreelistAllocated<Body> {
 public:
  Body(const OpPlan& plan, Kernel kernel, bool computes)
      : math_(arithmetic_of(*plan.device, plan.stream)),
        kernel_(std::move(kernel)),
        input_count_(plan.inputs.size()),
        new_count_(plan.outputs.size()),
        computes_(computes),
        where_(plan.where),
        storages_(plan.inputs.size() + plan.outputs.size() + plan.in_place.size()) {
    for (const Array* array : plan.inputs) storages_.push_back(array->state()->storage.use());
    for (const Array* array : plan.outputs) storages_.push_back(array->state()->storage.use());
    for (const Array* array : plan.in_place) storages_.push_back(array->state()->storage.use());
  }

  // Allocates the outputs' memory. Returns false if no memory is left. In that case the Body stores the
  // error, and the op fails with the error when it runs.
  bool allocate_outputs(OpContext* context = nullptr) {
    for (std::size_t i = input_count_; i < input_count_ + new_count_; ++i) {
      if (Status allocated = storages_[i]->allocate(context); !allocated.ok()) {
        allocation_error_ = std::make_unique<std::string>(allocated.error().message);
        return false;
      }
    }
    return true;
  }

  void operator()(OpContext& context) {
    context.set_where(where_);
    if (!allocation_error_) (void)allocate_outputs(&context);
    if (allocation_error_) throw std::runtime_error(*allocation_error_);
    if (!computes_) return;
    if (storages_.size() <= kUsualArrays) {
      std::array<float*, kUsualArrays> values;
      compute(values.data());
    } else {
      std::vector<float*> values(storages_.size());
      compute(values.data());
    }
  }

 private:
  static constexpr std::size_t kUsualArrays = 8;  // compute() needs no allocation for up to this number of
                                                  // arrays

  void compute(float** values) {
    for (std::size_t i = 0; i < storages_.size(); ++i) {
      values[i] = storages_[i]->values();
      // Reached by an op in place, once the failure of the op that makes the array has been reported.
      if (values[i] == nullptr && storages_[i]->size_bytes != 0) [[unlikely]]
        throw std::runtime_error("the array has no memory, because the op that makes it failed");
    }
    kernel_(math_, values, values + input_count_);
  }

  Arithmetic& math_;  // lives as long as the op's device
  Kernel kernel_;
  std::size_t input_count_, new_count_;
  bool computes_;  // false: the device is timing-only, or the outputs have no elements
  Where where_;
  SmallVector<StorageUse, 3> storages_;            // inputs, new outputs and in-place arrays
  std::unique_ptr<std::string> allocation_error_;  // null: no allocation failed
};

// A list of Vars without duplicates. A list of one Var does not copy the Var: it refers to the array's Var,
// because a copy costs two atomic operations. REQUIRES: the arrays outlive the list.
class VarList {
 public:
  explicit VarList(std::size_t most) : copies_(most) {}
  void add(const Var& var) {
    if (contains(var)) return;
    if (first_ == nullptr) {
      first_ = &var;
      return;
    }
    if (copies_.size() == 0) copies_.push_back(*first_);
    copies_.push_back(var);
  }
  [[nodiscard]] bool contains(const Var& var) const {
    const std::span<const Var> all = span();
    return std::find(all.begin(), all.end(), var) != all.end();
  }
  [[nodiscard]] std::span<const Var> span() const {
    if (copies_.size() != 0) return {copies_.data(), copies_.size()};
    return {first_, first_ != nullptr ? std::size_t{1} : 0};
  }

 private:
  const Var* first_ = nullptr;
  SmallVector<Var, 4> copies_;  // copies of all Vars, if the list has more than one Var
};

// The Vars that an op reads and writes. A Var that the op writes is not listed in `reads` too, because the
// engine refuses a Var that is in both lists.
struct OpVars {
  VarList reads, writes;

  explicit OpVars(const OpPlan& plan)
      : reads(plan.inputs.size()), writes(plan.outputs.size() + plan.in_place.size()) {
    for (const Array* array : plan.outputs) writes.add(array->var());
    for (const Array* array : plan.in_place) writes.add(array->var());
    for (const Array* array : plan.inputs) {
      if (!writes.contains(array->var())) reads.add(array->var());
    }
  }
};

const std::string* first_refusal(const OpPlan& plan) {
  for (const auto list : {plan.inputs, plan.in_place}) {
    for (const Array* array : list) {
      if (!array->state()->refusal.empty()) return &array->state()->refusal;
    }
  }
  return nullptr;
}

Error refuse(const OpPlan& plan, const std::string& why) {
  for (const auto list : {plan.outputs, plan.in_place}) {
    for (const Array* array : list) array->state()->refusal = why;
  }
  return Error{why};
}

// True: the op changes only arrays without elements, so there is nothing to compute.
bool changes_nothing(const OpPlan& plan) {
  if (plan.outputs.empty() && plan.in_place.empty()) return false;
  const auto is_empty = [](const Array* array) { return array->size() == 0; };
  return std::all_of(plan.outputs.begin(), plan.outputs.end(), is_empty) &&
         std::all_of(plan.in_place.begin(), plan.in_place.end(), is_empty);
}

bool values_will_be_there(const OpPlan& plan) {
  const auto have = [](const Array* array) { return array->state()->has_values; };
  return plan.device->holds_values() && std::all_of(plan.inputs.begin(), plan.inputs.end(), have) &&
         std::all_of(plan.in_place.begin(), plan.in_place.end(), have);
}

void check_plan(const OpPlan& plan) {
  for (const auto list : {plan.inputs, plan.outputs, plan.in_place}) {
    for (const Array* array : list) {
      RUNAHEAD_CHECK(static_cast<bool>(*array));
      RUNAHEAD_CHECK(array->context().engine == plan.engine);
    }
  }
}

}  // namespace

Status Storage::allocate(OpContext* context) {
  if (block || size_bytes == 0) return Ok{};
  owner.op_id = context != nullptr ? context->op() : kNoOp;
  const auto bytes = static_cast<std::size_t>(size_bytes);
  return context != nullptr ? context->allocate(device->pool(), bytes, owner, block)
                            : device->pool().allocate(bytes, owner, block);
}

bool is_host(const Device& device) { return device.name() == "cpu"; }

Array make_array(const Context& context, Shape shape, MemoryCategory category) {
  RUNAHEAD_CHECK(context.engine != nullptr && context.device != nullptr);
  auto state = std::allocate_shared<ArrayState>(FreelistAllocator<ArrayState>());
  state->context = context;
  state->elements = element_count(shape);
  state->shape = std::move(shape);
  state->has_values = context.device->holds_values();
  state->var = context.engine->new_var();
  state->storage->device = context.device;
  state->storage->owner.category = category;
  state->storage->size_bytes = state->elements * static_cast<std::int64_t>(sizeof(float));
  return Array(std::move(state));
}

Result<OpHandle> enqueue_op(const OpPlan& plan, Kernel kernel) {
  check_plan(plan);
  if (const std::string* why = first_refusal(plan)) return refuse(plan, *why);
  const record::Site* const site = plan.where.site != nullptr ? plan.where.site : plan.site;
  const bool has_values = values_will_be_there(plan);
  std::int64_t output_bytes = 0;
  for (const Array* array : plan.outputs) {
    array->state()->has_values = has_values && array->state()->has_values;
    array->state()->storage->owner.op = site;
    output_bytes += array->size_bytes();
  }
  for (const Array* array : plan.in_place) ++array->state()->changes;
  // if there are bytes of outputs, something changes
  Body body(plan, std::move(kernel), has_values && (output_bytes != 0 || !changes_nothing(plan)));
  Device* device = plan.device;
  // A timing-only device runs no functions, so an op on it can neither allocate nor report a failed
  // allocation. Therefore the memory is allocated here. If this allocation fails, the op is moved to the cpu,
  // where its function reports the error.
  if (plan.engine->options().allocation == AllocationTime::kAtEnqueue || !device->holds_values()) {
    const bool allocated = body.allocate_outputs();
    if (!allocated && !device->holds_values()) device = plan.engine->device("cpu").value();
  }
  const OpVars vars(plan);
  const OpSpec spec{.site = site,
                    .device = device,
                    .stream = plan.stream,
                    .reads = vars.reads.span(),
                    .writes = vars.writes.span(),
                    .output_bytes = output_bytes,
                    .size_bytes = plan.size_bytes,
                    .cost = plan.cost};
  Result<OpHandle> op = plan.engine->enqueue(spec, std::move(body));
  if (!op.ok()) return refuse(plan, op.error().message);
  return op;
}

std::vector<Array> apply(const Context& context, ArrayOp op, ArrayFunction function) {
  std::vector<Array> outputs;
  for (Shape& shape : op.shapes) outputs.push_back(make_array(context, std::move(shape), op.category));
  const auto pointers = [](const std::vector<Array>& arrays) {
    std::vector<const Array*> list;
    for (const Array& array : arrays) list.push_back(&array);
    return list;
  };
  const auto ins = pointers(op.inputs), outs = pointers(outputs), changed = pointers(op.in_place);
  for (const auto& list : {ins, changed}) {
    for (const Array* array : list) RUNAHEAD_CHECK(array->context() == context);
  }
  const OpPlan plan{.site = op.site,
                    .engine = context.engine,
                    .device = context.device,
                    .inputs = ins,
                    .outputs = outs,
                    .in_place = changed,
                    .cost = op.cost};
  Kernel kernel = [function = std::move(function), in_count = ins.size(),
                   out_count = outs.size() + changed.size()](Arithmetic& math, const float* const* in,
                                                             float* const* out) mutable {
    function(Values{math, {in, in + in_count}, {out, out + out_count}});
  };
  (void)enqueue_op(plan, std::move(kernel));  // if the engine refuses the op, the outputs store the error
  return outputs;
}

}  // namespace runahead::engine
