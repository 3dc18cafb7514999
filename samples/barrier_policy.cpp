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

Status hold(const engine::BarrierPolicy& policy, engine::Engine& engine, const engine::Array& array) {
  switch (policy.kind) {
    case engine::BarrierKind::kWaitToRead:
      return array.wait_to_read();
    case engine::BarrierKind::kWaitAll:
      return engine.wait_all(kWaitAll);
    case engine::BarrierKind::kItem:
      return status_of(array.item());
    case engine::BarrierKind::kAsnumpy:
      return status_of(array.asnumpy());
    case engine::BarrierKind::kPrint:
      return array.print();
    case engine::BarrierKind::kNone:
    case engine::BarrierKind::kWindow:
    case engine::BarrierKind::kOps:
    case engine::BarrierKind::kBytes:
      return Ok{};
  }
  return Ok{};
}

}  // namespace runahead::samples
