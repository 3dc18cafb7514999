// Tests that the report of a failed op names the place where the program called the operator. The test calls
// every operator, because every operator must pass on the place where it was called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/array/operators.h"
#include "engine/device/device_clock.h"
#include "engine/device/virtual_device.h"

namespace runahead::engine {
namespace {

using ::testing::HasSubstr;

constexpr record::Site kFails{"fails", trace::SliceKind::kExecute, "somewhere/of_its_own.cpp", 7};

// A device whose memory is completely full, so every operator that makes an array fails.
class FullDevice : public ::testing::TestWithParam<EngineKind> {
 protected:
  FullDevice() {
    VirtualModel model;
    model.capacity_bytes = 1 << 16;
    here_ = {engine_.get(), engine_->add_device(make_virtual_device("virtual:0", model, make_real_clock()))};
    matrix_ = ones(here_, {10, 10});
    row_ = ones(here_, {10});
    while (filling_.empty() || filling_.back().wait_to_read().ok()) filling_.push_back(ones(here_, {1}));
  }
  static std::string message_of(const Array& array) {
    const Status done = array.wait_to_read();
    return done.ok() ? "it did not fail" : done.error().message;
  }

  std::unique_ptr<Engine> engine_ = Engine::create({.kind = GetParam()});
  Context here_;
  Array matrix_, row_;
  std::vector<Array> filling_;
};
INSTANTIATE_TEST_SUITE_P(OfBothKinds, FullDevice,
                         ::testing::Values(EngineKind::kThreaded, EngineKind::kNaive));

TEST_P(FullDevice, FailsEachOperatorWithTheLineThatCalledIt) {
  struct Call {
    const char* text;
    int line;
    std::function<Array()> make;
  };
#define CALL(expression)                                         \
  Call {                                                         \
#expression, __LINE__, [&]() -> Array { return expression; } \
  }
  const std::vector<float> values{1, 2};
  const Call calls[] = {
      CALL(full(here_, {2}, 3.0f)),
      CALL(ones(here_, {2})),
      CALL(zeros(here_, {2})),
      CALL(uniform(here_, {2}, {1, 0})),
      CALL(normal(here_, {2}, {1, 0})),
      CALL(matrix_ + matrix_),
      CALL(matrix_ - matrix_),
      CALL(matrix_ * matrix_),
      CALL(matrix_ / matrix_),
      CALL(matrix_ + 1),
      CALL(matrix_ - 1),
      CALL(matrix_ * 2),
      CALL(matrix_ / 2),
      CALL(matmul(matrix_, matrix_)),
      CALL(sum(matrix_)),
      CALL(sum_rows(matrix_)),
      CALL(mean(matrix_)),
      CALL(add_row(matrix_, row_)),
      CALL(dense(matrix_, matrix_, row_)),
      CALL(relu(matrix_)),
      CALL(relu_gradient(matrix_, matrix_)),
      CALL(l2_loss(row_, row_)),
      CALL(l2_loss_gradient(row_, row_)),
      CALL(copy_to(matrix_, here_)),
      CALL(from_host(here_, {2}, values)),
  };
#undef CALL
  for (const Call& call : calls) {
    EXPECT_THAT(message_of(call.make()), HasSubstr("at where_test.cpp:" + std::to_string(call.line) + ")"))
        << call.text;
  }
}

TEST_P(FullDevice, InABulkTooTheLineOfTheMemberThatFailed) {
  const int before = engine_->set_bulk(8);
  const int line = __LINE__ + 1;
  const Array failing = matrix_ + 1;
  EXPECT_THAT(message_of(failing), HasSubstr("at where_test.cpp:" + std::to_string(line) + ")"));
  engine_->set_bulk(before);
}

TEST_P(FullDevice, AnOpOfOnesOwnHasItsSite) {
  const Array failing = apply(here_, {.site = &kFails, .shapes = {{2}}}, [](const Values&) {}).front();
  EXPECT_THAT(message_of(failing), HasSubstr("at of_its_own.cpp:7)"));
}

}  // namespace
}  // namespace runahead::engine
