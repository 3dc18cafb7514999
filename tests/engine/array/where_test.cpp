// Tests that the report of a failed op names the place where the program called the operator. The test calls
// every operator, because every operator must pass on the place where it was called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/array/operators.h"
#include "tests/engine/array/full_device.h"

namespace runahead::engine {
namespace {

using ::testing::HasSubstr;

constexpr record::Site kFails{"fails", trace::SliceKind::kExecute, "somewhere/of_its_own.cpp", 7};

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
