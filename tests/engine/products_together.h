// Products on two devices, whose launches begin together.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "engine/array/operators.h"

namespace runahead::engine::test {

// Must outlive the engine.
class ProductsTogether {
 public:
  static constexpr std::int64_t kSide = 64;

  // Enqueues a product of two matrices of ones on each device. Each device's launcher waits for the other one
  // right before the product. It does not yield, so that no other program delays one of the two.
  std::array<Array, 2> enqueue(const Context& first, const Context& second) {
    ++rounds_;
    return {enqueue_one(first, 2 * rounds_), enqueue_one(second, 2 * rounds_)};
  }

 private:
  Array enqueue_one(const Context& there, int launchers) {
    const Array a = ones(there, {kSide, kSide});
    ArrayOp op{.site = &record::intern_site("product", trace::SliceKind::kExecute),
               .inputs = {a},
               .shapes = {{kSide, kSide}}};
    return apply(there, op,
                 [this, launchers](const Values& values) {
                   ++launching_;
                   while (launching_ < launchers) {
                   }
                   values.math.multiply({.m = kSide, .n = kSide, .k = kSide}, values.in[0], values.in[0],
                                        values.out[0]);
                 })
        .front();
  }

  int rounds_ = 0;
  std::atomic<int> launching_{0};
};

}  // namespace runahead::engine::test
