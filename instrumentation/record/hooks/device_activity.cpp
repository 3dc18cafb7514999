#include "instrumentation/record/hooks/device_activity.h"

#include <atomic>

namespace runahead::record {
namespace {

constexpr DeviceActivity kNone{
    .push_op = [](std::uint64_t) {}, .pop_op = [] {}, .name_stream = [](void*, const char*) {}};

// The source of GPU activity stores this pointer with release when it starts or stops. Engines load the
// pointer with acquire, so they see a complete table.
constinit std::atomic<const DeviceActivity*> in_use{&kNone};

}  // namespace

const DeviceActivity& device_activity() noexcept { return *in_use.load(std::memory_order_acquire); }

void set_device_activity(const DeviceActivity* activity) noexcept {
  in_use.store(activity != nullptr ? activity : &kNone, std::memory_order_release);
}

}  // namespace runahead::record
