#include "samples/barrier_policy.h"

namespace runahead::samples {

namespace {

constexpr record::Site kWaitAll{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};

template <typename T>
Status status_of(const Result<T>& result) {
  if (!result.ok()) return result.error();
  return Ok{};
}

}  // namespace

Status hold(const BarrierPolicy& policy, engine::Engine& engine, const engine::Array& array) {
  switch (policy.kind) {
    case BarrierKind::kWaitToRead:
      return array.wait_to_read();
    case BarrierKind::kWaitAll:
      return engine.wait_all(kWaitAll);
    case BarrierKind::kItem:
      return status_of(array.item());
    case BarrierKind::kAsnumpy:
      return status_of(array.asnumpy());
    case BarrierKind::kPrint:
      return array.print();
    case BarrierKind::kNone:
    case BarrierKind::kWindow:
    case BarrierKind::kOps:
    case BarrierKind::kBytes:
      return Ok{};
  }
  return Ok{};
}

}  // namespace runahead::samples
