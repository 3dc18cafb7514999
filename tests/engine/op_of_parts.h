// An op of several parts, of which a call of the host waits at a door. So a test sees whether the op ends
// before all its parts have ended.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "engine/array/operators.h"
#include "tests/engine/engine_fixture.h"

namespace runahead::engine::test {

class OpOfParts {
 public:
  [[nodiscard]] static ArrayOp named_parts(const Array& input) {
    return {.site = &record::intern_site("parts", trace::SliceKind::kExecute),
            .inputs = {input},
            .shapes = {{4}}};
  }

  // A part: a call of the host, which returns after open().
  void call(const Values& values) {
    values.math.call([this] {
      door_.wait();
      called_ = true;
    });
  }
  void open() { door_.open(); }

  // Enqueues an op of a call, a copy, and an elementwise operator, which the driver has to refuse. Returns
  // when it has done so. At most once.
  [[nodiscard]] Array enqueue_refused(const Context& context, const Array& input) {
    const Array output = apply(context, named_parts(input), [this](const Values& values) {
                           call(values);
                           values.math.copy(values.in[0], values.out[0], 4);
                           try {
                             values.math.map(WithScalar::kAdd, values.in[0], 1.0f, values.out[0], 4);
                           } catch (...) {
                             refused_.set_value();
                             throw;
                           }
                         }).front();
    refused_.get_future().wait();
    return output;
  }

  // Waits for the op in another thread, and checks that it does not end before its call.
  [[nodiscard]] std::future<Status> end_of(const Array& output) {
    return std::async(std::launch::async, [this, output] {
      const Status status = output.wait_to_read();
      EXPECT_TRUE(called_) << "the op ended before its work";
      return status;
    });
  }

 private:
  Door door_;
  std::promise<void> refused_;
  std::atomic<bool> called_{false};
};

}  // namespace runahead::engine::test
