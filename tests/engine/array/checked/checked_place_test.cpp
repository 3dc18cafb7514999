// Tests that the site that a caller gives replaces the operator's own: the report of a failed op has its
// name, file and line. Each operator must pass on the place that it is given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/array/checked/checked.h"
#include "tests/engine/array/full_device.h"

namespace runahead::engine {
namespace {

using ::testing::AllOf, ::testing::HasSubstr;

constexpr record::Site kScript{"y = f(x)", trace::SliceKind::kExecute, "scripts/train.py", 12};

class ScriptOnFullDevice : public FullDevice {};
INSTANTIATE_TEST_SUITE_P(OfBothKinds, ScriptOnFullDevice,
                         ::testing::Values(EngineKind::kThreaded, EngineKind::kNaive));

TEST_P(ScriptOnFullDevice, TheOperatorsHaveItsSite) {
  const Where at = Where::at(kScript);
  const std::vector<float> values{1, 2};
  const Array made[] = {full(here_, {2}, 3, MemoryCategory::kOther, at),
                        uniform(here_, {2}, {1, 0}, 0, 1, MemoryCategory::kOther, at),
                        normal(here_, {2}, {1, 0}, 0, 1, MemoryCategory::kOther, at),
                        Operand(matrix_, at) + matrix_,
                        Operand(matrix_, at) * 2,
                        matmul(matrix_, matrix_, Transpose::kNo, Transpose::kNo, MemoryCategory::kOther, at),
                        dense(matrix_, matrix_, row_, at),
                        relu(matrix_, at),
                        relu_gradient(matrix_, matrix_, at),
                        l2_loss(row_, row_, at),
                        l2_loss_gradient(row_, row_, at),
                        copy_to(matrix_, here_, HostMemory::kPinned, at),
                        from_host(here_, {2}, values, at)};
  for (const Array& array : made)
    EXPECT_THAT(message_of(array), AllOf(HasSubstr("op 'y = f(x)' #"), HasSubstr("at train.py:12)")));
}

TEST_P(ScriptOnFullDevice, TheCheckedOperatorsHaveItsSite) {
  using namespace checked;  // NOLINT: the test calls every checked operator
  const Where at = Where::at(kScript);
  const SliceRange range[] = {{0, 10, 2}};
  const std::vector<Array> arrays{row_, row_};
  const std::vector<float> values{1, 2};
  const Result<Array> made[] = {binary(Binary::kAdd, matrix_, matrix_, at),
                                binary(Binary::kAdd, matrix_, row_, at),
                                binary(Binary::kLess, 2, row_, at),
                                unary(Unary::kExp, row_, at),
                                checked::relu_gradient(row_, row_, at),
                                clip(row_, 0, 1, at),
                                select(row_, row_, 1, at),
                                reduce(Reduction::kMax, row_, std::nullopt, false, at),
                                argmax(row_, 0, at),
                                softmax(row_, 0, at),
                                log_softmax(row_, 0, at),
                                sum_to(row_, {1}, at),
                                reshape(row_, {5, 2}, at),
                                transpose(matrix_, std::nullopt, at),
                                broadcast_to(row_, {2, 10}, at),
                                slice(row_, range, at),
                                concat(arrays, 0, at),
                                take(matrix_, row_, 0, at),
                                pick(matrix_, row_, at),
                                one_hot(row_, 2, at),
                                checked::matmul(matrix_, matrix_, Transpose::kNo, Transpose::kNo, at),
                                checked::dense(matrix_, matrix_, nullptr, at),
                                checked::dense(matrix_, matrix_, &row_, at),
                                checked::l2_loss(row_, row_, at),
                                checked::l2_loss_gradient(row_, row_, at),
                                checked::full(here_, {}, 1, MemoryCategory::kOther, at),
                                checked::uniform(here_, {2}, {1, 0}, 0, 1, MemoryCategory::kOther, at),
                                checked::normal(here_, {2}, {1, 0}, 0, 1, MemoryCategory::kOther, at),
                                checked::from_host(here_, {2}, values, at),
                                arange(here_, 0, 3, 1, at),
                                eye(here_, 2, 2, at),
                                checked::copy_to(row_, here_, HostMemory::kPinned, at)};
  for (const Result<Array>& array : made) {
    ASSERT_TRUE(array.ok()) << array.error().message;
    EXPECT_THAT(message_of(*array), AllOf(HasSubstr("op 'y = f(x)' #"), HasSubstr("at train.py:12)")));
  }
}

// An op in place makes no array. It fails, because the array that it changes has no memory.
TEST_P(ScriptOnFullDevice, TheOperatorsInPlaceHaveItsSite) {
  const Where at = Where::at(kScript);
  const checked::SliceRange range[] = {{0, 10, 2}};
  const std::vector<std::function<void(const Array&)>> calls = {
      [&](const Array& a) { sgd_update(a, row_, 1, 1, at); },
      [&](const Array& a) { assign(a, row_, at); },
      [&](const Array& a) { (void)checked::binary_in_place(checked::Binary::kAdd, a, row_, at); },
      [&](const Array& a) { (void)checked::binary_in_place(checked::Binary::kPower, a, 3, at); },
      [&](const Array& a) { (void)checked::assign_slice(a, range, 1, at); },
      [&](const Array& a) { (void)checked::assign_slice(a, range, 0.5f, at); },
      [&](const Array& a) { (void)checked::sgd_update(a, row_, 1, 1, at); },
      [&](const Array& a) { (void)checked::assign(a, row_, at); },
      [&](const Array& a) { (void)checked::assign(a, 1, at); }};
  for (const auto& call : calls) {
    const Array failing = ones(here_, {10});
    EXPECT_THAT(message_of(failing), HasSubstr("failed"));
    call(failing);
    EXPECT_THAT(message_of(failing),
                AllOf(HasSubstr("op 'y = f(x)' #"), HasSubstr("no memory"), HasSubstr("at train.py:12)")));
  }
}

TEST_P(ScriptOnFullDevice, WithoutASiteTheCheckedOperatorsNameTheLineThatCalledThem) {
  const int line = __LINE__ + 1;
  const Result<Array> failing = checked::binary(checked::Binary::kAdd, matrix_, row_);
  EXPECT_THAT(
      message_of(*failing),
      AllOf(HasSubstr("op 'add' #"), HasSubstr("at checked_place_test.cpp:" + std::to_string(line) + ")")));
}

}  // namespace
}  // namespace runahead::engine
