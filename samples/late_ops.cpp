#include "samples/late_ops.h"

#include <chrono>

#include "engine/device/virtual_device.h"

namespace runahead::samples {

double lengthened_s(std::int64_t late_ops, std::int64_t steps) {
  const double late_s = std::chrono::duration<double>(engine::kLateAfter).count();
  return static_cast<double>(late_ops) * late_s / static_cast<double>(steps);
}

}  // namespace runahead::samples
