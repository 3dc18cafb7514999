// Copies between host and device, between devices, and on one device.
#include "engine/array/array_copies.h"

#include <memory>
#include <utility>

#include "engine/array/array_state.h"
#include "engine/array/operators.h"
#include "instrumentation/base/check.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {

namespace {

constexpr record::Site kToDevice{"copy to device", trace::SliceKind::kCopyToDevice, __FILE__, __LINE__};
constexpr record::Site kToHost{"copy to host", trace::SliceKind::kCopyToHost, __FILE__, __LINE__};
constexpr record::Site kOnDevice{"copy", trace::SliceKind::kCopyOnDevice, __FILE__, __LINE__};
constexpr record::Site kBetweenDevices{"copy between devices", trace::SliceKind::kCopyOnDevice, __FILE__,
                                       __LINE__};
constexpr record::Site kFromHost{"from_host", trace::SliceKind::kExecute, __FILE__, __LINE__};

Cost link_cost(std::int64_t bytes, HostMemory host) {
  return Cost{.copy_bytes = static_cast<double>(bytes), .pageable = host == HostMemory::kPageable};
}

// The device and the stream on which a copy between two devices runs, and the name of the copy.
struct Route {
  Device* device;
  StreamKind stream;
  const record::Site* site;
};
Route route(Device* from, Device* to) {
  if (is_host(*to)) return {from, StreamKind::kCopyToHost, &kToHost};
  return {to, StreamKind::kCopyToDevice, is_host(*from) ? &kToDevice : &kBetweenDevices};
}

HostEnd host_end(const Context& from, const Context& to) {
  if (from.device == to.device) return HostEnd::kNone;
  if (is_host(*from.device)) return HostEnd::kFrom;
  return is_host(*to.device) ? HostEnd::kTo : HostEnd::kNone;
}

Result<std::vector<float>> copy_by_op(const Array& array, const record::Site& wait) {
  const Context& context = array.context();
  auto host = std::make_shared<std::vector<float>>(static_cast<std::size_t>(array.size()));
  const std::int64_t bytes = array.size_bytes();
  const Array* const inputs[] = {&array};
  const OpPlan plan{.site = &kToHost,
                    .engine = context.engine,
                    .device = context.device,
                    .stream = StreamKind::kCopyToHost,
                    .inputs = inputs,
                    .cost = link_cost(bytes, HostMemory::kPageable),
                    .size_bytes = bytes};
  const Result<OpHandle> op =
      enqueue_op(plan, [host, count = array.size()](Arithmetic& math, const float* const* in, float* const*) {
        math.copy(in[0], host->data(), count, HostEnd::kTo);
      });
  if (!op.ok()) return op.error();
  if (Status done = context.engine->wait_op(*op, wait); !done.ok()) return done.error();
  return std::move(*host);
}

}  // namespace

Result<std::vector<float>> read_to_host(const Array& array, const record::Site& wait) {
  RUNAHEAD_CHECK(static_cast<bool>(array));
  const ArrayState& state = *array.state();
  if (!state.refusal.empty()) return Error{state.refusal};
  if (!state.has_values) {
    return Error{std::string(wait.name) + ": " + state.context.device->name() +
                 " holds no values (a timing-only preset); run without preset= to read them"};
  }
  if (!is_host(*state.context.device) && state.elements != 0) return copy_by_op(array, wait);
  std::vector<float> host;
  const auto copy = [&] {
    const record::Zone zone(kToHost, kNoOp, array.size_bytes());
    const float* const values = state.storage->values();
    host.assign(values, values + state.elements);
  };
  if (Status done = state.context.engine->wait_to_read(state.var, wait, copy); !done.ok())
    return done.error();
  return host;
}

Array copy_to(const Array& a, const Context& to, HostMemory host, Where where) {
  RUNAHEAD_CHECK(static_cast<bool>(a));
  RUNAHEAD_CHECK(a.context().engine == to.engine);
  Array output = make_array(to, a.shape(), a.state()->storage->owner.category);
  const std::int64_t bytes = a.size_bytes();
  const Array* const inputs[] = {&a};
  const Array* const outputs[] = {&output};
  OpPlan plan{.site = &kOnDevice,
              .where = where,
              .engine = to.engine,
              .device = to.device,
              .inputs = inputs,
              .outputs = outputs,
              .cost = {.memory_bytes = 2.0 * static_cast<double>(bytes)},
              .size_bytes = bytes};
  if (a.context().device != to.device) {
    const Route way = route(a.context().device, to.device);
    plan.site = way.site;
    plan.device = way.device;
    plan.stream = way.stream;
    plan.cost = link_cost(bytes, host);
  }
  (void)enqueue_op(plan, [count = a.size(), end = host_end(a.context(), to), host](
                             Arithmetic& math, const float* const* in, float* const* out) {
    math.copy(in[0], out[0], count, end, host);
  });
  return output;
}

Array from_host(const Context& context, const Shape& shape, std::span<const float> values, Where where) {
  Array output = make_array(context, shape, MemoryCategory::kOther);
  RUNAHEAD_CHECK_OP(static_cast<std::int64_t>(values.size()), ==, output.size());
  const std::int64_t bytes = output.size_bytes();
  const Array* const outputs[] = {&output};
  OpPlan plan{.site = &kFromHost,
              .where = where,
              .engine = context.engine,
              .device = context.device,
              .outputs = outputs,
              .cost = {.memory_bytes = 2.0 * static_cast<double>(bytes)},
              .size_bytes = bytes};
  if (!is_host(*context.device)) {
    plan.site = &kToDevice;
    plan.stream = StreamKind::kCopyToDevice;
    plan.cost = link_cost(bytes, HostMemory::kPageable);
  }
  (void)enqueue_op(plan, [copy = std::vector<float>(values.begin(), values.end())](
                             Arithmetic& math, const float* const*, float* const* out) {
    math.copy(copy.data(), out[0], static_cast<std::int64_t>(copy.size()), HostEnd::kFrom);
  });
  return output;
}

void assign(const Array& to, const Array& from, Where where) {
  RUNAHEAD_CHECK(to.shape() == from.shape());
  RUNAHEAD_CHECK(to.context() == from.context());
  if (to.state() == from.state()) return;
  const std::int64_t bytes = to.size_bytes();
  const Array* const inputs[] = {&from};
  const Array* const in_place[] = {&to};
  const OpPlan plan{.site = &kOnDevice,
                    .where = where,
                    .engine = to.context().engine,
                    .device = to.context().device,
                    .inputs = inputs,
                    .in_place = in_place,
                    .cost = {.memory_bytes = 2.0 * static_cast<double>(bytes)},
                    .size_bytes = bytes};
  (void)enqueue_op(plan, [count = to.size()](Arithmetic& math, const float* const* in, float* const* out) {
    math.copy(in[0], out[0], count);
  });
}

}  // namespace runahead::engine
