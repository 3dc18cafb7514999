// Tests what a recording says about the memory of arrays: when the program dropped an array, and when its
// memory was freed.
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

#include "engine/array/operators.h"
#include "instrumentation/trace/allocation_table.h"
#include "tests/engine/engine_fixture.h"
#include "tests/record/capture.h"

namespace runahead::engine::test {
namespace {

using runahead::testing::Capture;
using trace::Allocation;

constexpr record::Site kNow{"now", trace::SliceKind::kZone};

// An engine whose only worker waits at a door.
struct ClosedEngine {
  explicit ClosedEngine(AllocationTime allocation) : e({.allocation = allocation}) {}
  void close() {
    e.op("gate", {}, {e.var("gate")}, [this](OpContext&) { door.wait(); });
  }
  void open() {
    door.open();
    EXPECT_TRUE(e.wait_all().ok());
  }
  [[nodiscard]] Context here() const { return {e.engine.get(), e.device}; }

  TestEngine e;
  Door door;
};

// The complete row of the block that the op of this name wrote.
Allocation freed(Capture& capture, std::string_view op) {
  std::vector<Allocation> found;
  // A block whose allocation was not recorded waits a few drains for the event of its allocation.
  for (int i = 0; i < 4; ++i) capture.settle();
  capture.trace.allocations().each(Timestamp::max(), [&](const Allocation& row) {
    if (row.end != trace::kNever && capture.trace.string(row.name) == op) found.push_back(row);
  });
  EXPECT_EQ(found.size(), 1u) << op;
  return found.empty() ? Allocation{} : found.front();
}

class RecordedMemory : public ::testing::TestWithParam<AllocationTime> {};
std::string name_of_time(const ::testing::TestParamInfo<AllocationTime>& info) {
  return info.param == AllocationTime::kAtEnqueue ? "AtEnqueue" : "AtExecution";
}
INSTANTIATE_TEST_SUITE_P(Allocated, RecordedMemory,
                         ::testing::Values(AllocationTime::kAtEnqueue, AllocationTime::kAtExecution),
                         name_of_time);

TEST_P(RecordedMemory, OfADroppedArrayIsHeldUntilItsOpsHaveEnded) {
  Capture capture;
  ClosedEngine closed(GetParam());
  std::optional<Array> input = ones(closed.here(), {100});
  ASSERT_TRUE(input->wait_to_read().ok());
  closed.close();
  std::optional<Array> output = *input + 1;
  record::instant_here(kNow, record::now_ticks());
  input.reset();
  output.reset();
  record::instant_here(kNow, record::now_ticks());
  closed.open();
  const Allocation read = freed(capture, "ones"), written = freed(capture, "add");
  ASSERT_EQ(capture.trace.instant_count(), 2u);
  const Timestamp before = capture.trace.instant(0).at, after = capture.trace.instant(1).at;
  EXPECT_GE(read.dropped, before);
  EXPECT_LE(read.dropped, after);
  EXPECT_GT(read.end - read.dropped, Duration{0}) << "the time in which only the op held the memory";
  if (GetParam() == AllocationTime::kAtEnqueue) {
    EXPECT_GE(written.dropped, before);
    EXPECT_LE(written.dropped, after);
    EXPECT_EQ(written.early_drop_ns, 0);
  } else {
    EXPECT_EQ(written.dropped, written.begin) << "dropped before it had memory";
    EXPECT_GE(written.dropped - Duration(written.early_drop_ns), before);
    EXPECT_LE(written.dropped - Duration(written.early_drop_ns), after);
  }
  EXPECT_GT(written.end - written.dropped, Duration{0});
}

TEST_P(RecordedMemory, OfAnArrayWhoseOpsHaveEndedIsFreedWhenTheArrayIsDropped) {
  Capture capture;
  const ClosedEngine open(GetParam());
  {
    const Array array = ones(open.here(), {100});
    ASSERT_TRUE(array.wait_to_read().ok());
    EXPECT_TRUE(open.e.engine->wait_all(kWaitAll).ok());
  }
  const Allocation row = freed(capture, "ones");
  EXPECT_EQ(row.dropped, row.end);
}

TEST_P(RecordedMemory, OfAnArrayThatWasDroppedBeforeTheRecordingSaysNothingOfIt) {
  ClosedEngine closed(GetParam());
  std::optional<Array> input = ones(closed.here(), {100});
  ASSERT_TRUE(input->wait_to_read().ok());
  closed.close();
  (void)(*input + 1);
  input.reset();
  Capture capture;
  closed.open();
  const Allocation row = freed(capture, "ones");
  EXPECT_EQ(row.flags, trace::kAllocationBeganBefore);
  EXPECT_EQ(row.dropped, trace::kNever);
}

}  // namespace
}  // namespace runahead::engine::test
