#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

constexpr record::Site kBreaks{"breaks", trace::SliceKind::kExecute};

class Blocker : public EveryEngine {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Blocker, ::testing::ValuesIn(every_place()), name_of_place);

TEST_P(Blocker, ItemIsTheNumberOfAScalarAndTheSumOfMore) {
  EXPECT_EQ(*array({1}, {4.5f}).item(), 4.5f);
  EXPECT_EQ(*array({2, 2}, {1, 2, 3, 4}).item(), 10.0f);
}

TEST_P(Blocker, AsnumpyWaitsForTheWholeChain) {
  Array a = zeros(here_, {3});
  for (int i = 0; i < 50; ++i) a = a + 1;
  EXPECT_EQ(read(a), std::vector<float>(3, 50.0f));
}

TEST_P(Blocker, PrintWritesWhatNumpyWouldToStderr) {
  const Array z = ones(here_, {1, 2}) * ones(here_, {1, 2}) + 2;
  ::testing::internal::CaptureStderr();
  const Status printed = z.print();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "[[3. 3.]]\n");
  EXPECT_TRUE(printed.ok());
}

TEST_P(Blocker, ReportsTheOpThatFailedByItsName) {
  const Array broken = apply(here_, {.site = &kBreaks, .shapes = {{2}}}, [](const Values&) {
                         throw std::runtime_error("no luck");
                       }).front();
  const Array after = broken * 2;
  const Result<std::vector<float>> values = after.asnumpy();
  ASSERT_FALSE(values.ok());
  EXPECT_NE(values.error().message.find("breaks"), std::string::npos) << values.error().message;
  EXPECT_NE(values.error().message.find("no luck"), std::string::npos) << values.error().message;
}

TEST_P(Blocker, WaitToReadReturnsWhenTheValuesAreThere) {
  const Array a = matmul(ones(here_, {64, 64}), ones(here_, {64, 64}));
  ASSERT_TRUE(a.wait_to_read().ok());
  EXPECT_EQ(open_.engine->version(a.var()), 1u);
}

TEST(TimingOnlyDevice, CountsMemoryAndTimeButRefusesToBeRead) {
  const OpenEngine open({}, "virtual:0,preset=h100");
  ASSERT_FALSE(open.here.device->holds_values());
  const Array a = matmul(ones(open.here, {512, 512}), ones(open.here, {512, 512}));
  ASSERT_TRUE(a.wait_to_read().ok());
  EXPECT_GE(open.here.device->pool().stats().live_bytes, 512u * 512u * 4u);
  const Result<float> value = a.item();
  ASSERT_FALSE(value.ok());
  EXPECT_NE(value.error().message.find("holds no values"), std::string::npos) << value.error().message;
  EXPECT_FALSE(copy_to(a, open.cpu).asnumpy().ok());  // a copy of the array to the host fails too
}

}  // namespace
}  // namespace runahead::engine
