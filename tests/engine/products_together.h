// Products on two devices, whose launches begin together.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "engine/array/operators.h"

namespace runahead::engine::test {

// REQUIRES: outlives the engine, whose ops use it.
class ProductsTogether {
 public:
  static constexpr std::int64_t kSide = 64;

  // Enqueues a product of two matrices of ones on each device. Each launch waits for the other one right
  // before the product. It spins without a yield, because a yield may give the processor away right before
  // the product. If one op fails before its launch, the other waits for ever.
  std::array<Array, 2> enqueue(const Context& first, const Context& second) {
    ++rounds_;
    return {enqueue_one(first, 2 * rounds_), enqueue_one(second, 2 * rounds_)};
  }

 private:
  Array enqueue_one(const Context& there, int launches) {
    const Array a = ones(there, {kSide, kSide});
    ArrayOp op{.site = &record::intern_site("product", trace::SliceKind::kExecute),
               .inputs = {a},
               .shapes = {{kSide, kSide}}};
    return apply(there, op,
                 [this, launches](const Values& values) {
                   ++launches_;
                   while (launches_ < launches) {
                   }
                   values.math.multiply({.m = kSide, .n = kSide, .k = kSide}, values.in[0], values.in[0],
                                        values.out[0]);
                 })
        .front();
  }

  int rounds_ = 0;
  std::atomic<int> launches_{0};
};

}  // namespace runahead::engine::test
