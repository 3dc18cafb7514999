#include <gtest/gtest.h>

#include <atomic>

#include "tests/engine/array/every_engine.h"

namespace runahead::engine {
namespace {

constexpr record::Site kGateSite{"gate", trace::SliceKind::kExecute};
constexpr record::Site kDrain{"waitall", trace::SliceKind::kWait};
constexpr std::int64_t kMegabyte = 1'000'000;

std::int64_t live_bytes(const Context& context) {
  return static_cast<std::int64_t>(context.device->pool().stats().live_bytes);
}
std::int64_t peak_bytes(const Context& context) {
  return static_cast<std::int64_t>(context.device->pool().stats().peak_bytes);
}

// An op that blocks the only worker until open() is called.
class Gate {
 public:
  explicit Gate(const Context& context) {
    array_ = apply(context, {.site = &kGateSite, .shapes = {{1}}}, [this](const Values& values) {
               open_.wait(false);
               values.out[0][0] = 1;
             }).front();
  }
  ~Gate() { open(); }
  void open() {
    open_.store(true);
    open_.notify_all();
  }
  [[nodiscard]] const Array& array() const { return array_; }

 private:
  std::atomic<bool> open_{false};  // written by the test, read by the worker
  Array array_;
};

class Memory : public EveryEngine {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Memory, ::testing::ValuesIn(every_place()), name_of_place);

TEST_P(Memory, IsAllGivenBackWhenHandlesAndOpsAreGone) {
  {
    Array a = normal(here_, {100, 100}, {1, 0});
    for (int i = 0; i < 20; ++i) a = relu(matmul(a, a) / 100) + 1;
    ASSERT_TRUE(copy_to(a, open_.cpu).asnumpy().ok());
    ASSERT_TRUE(a.item().ok());
  }
  ASSERT_TRUE(open_.engine->wait_all(kDrain).ok());
  EXPECT_EQ(live_bytes(here_), 0);
  EXPECT_EQ(live_bytes(open_.cpu), 0);
  EXPECT_GT(peak_bytes(here_), 0);
}

TEST_P(Memory, IsHeldByAHandleAloneAndByNothingElse) {
  const Array kept = ones(here_, {kMegabyte / 4});
  (void)(kept + 1);  // the result has no handle, so it is freed with its op
  ASSERT_TRUE(open_.engine->wait_all(kDrain).ok());
  EXPECT_EQ(live_bytes(here_), kMegabyte);
}

TEST(MemoryAtEnqueue, HoldsTheOutputsOfEverythingThatWaits) {
  const OpenEngine open({.allocation = AllocationTime::kAtEnqueue});
  Gate gate(open.cpu);
  for (int i = 0; i < 10; ++i) (void)(ones(open.cpu, {kMegabyte / 4}) + 1);
  EXPECT_GE(live_bytes(open.cpu), 20 * kMegabyte);
  gate.open();
  ASSERT_TRUE(open.engine->wait_all(kDrain).ok());
  EXPECT_LT(live_bytes(open.cpu), kMegabyte);
}

TEST(MemoryAtExecution, HoldsNothingForWhatHasNotStarted) {
  const OpenEngine open({.order = ReadyOrder::kOldest, .allocation = AllocationTime::kAtExecution});
  Gate gate(open.cpu);
  for (int i = 0; i < 10; ++i) (void)(ones(open.cpu, {kMegabyte / 4}) + 1);
  EXPECT_LT(live_bytes(open.cpu), kMegabyte);
  gate.open();
  ASSERT_TRUE(open.engine->wait_all(kDrain).ok());
  EXPECT_GE(peak_bytes(open.cpu), 2 * kMegabyte);
  // With ReadyOrder::kOldest, the worker runs the ready op that was enqueued first. Therefore at most one
  // input and one result exist at a time.
  EXPECT_LE(peak_bytes(open.cpu), 3 * kMegabyte);
}

TEST(MemoryAtExecution, InFifoOrderTheSourcesRunFirstAndTheirOutputsWait) {
  const OpenEngine open({.order = ReadyOrder::kFifo, .allocation = AllocationTime::kAtExecution});
  Gate gate(open.cpu);
  for (int i = 0; i < 10; ++i) (void)(ones(open.cpu, {kMegabyte / 4}) + 1);
  gate.open();
  ASSERT_TRUE(open.engine->wait_all(kDrain).ok());
  EXPECT_GE(peak_bytes(open.cpu), 10 * kMegabyte);
}

class MemoryThatIsNotThere : public ::testing::TestWithParam<AllocationTime> {};
INSTANTIATE_TEST_SUITE_P(AtEitherTime, MemoryThatIsNotThere,
                         ::testing::Values(AllocationTime::kAtEnqueue, AllocationTime::kAtExecution));

TEST_P(MemoryThatIsNotThere, FailsTheOpAndPoisonsWhatFollowsInsteadOfCrashing) {
  const OpenEngine open({.allocation = GetParam()}, "virtual:0");
  const Array much = ones(open.here, {3000, 1000, 1000});  // 12 GB on a virtual GPU with 8 GiB
  const Array more = much + 1;
  const Result<float> value = sum(more).item();
  ASSERT_FALSE(value.ok());
  EXPECT_NE(value.error().message.find("ones"), std::string::npos) << value.error().message;
  EXPECT_NE(value.error().message.find("virtual:0"), std::string::npos) << value.error().message;
  const Result<float> after = (ones(open.here, {1}) + 1).item();
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(*after, 2.0f);  // the device still works
}

}  // namespace
}  // namespace runahead::engine
