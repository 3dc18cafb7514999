// Tests BatchQueue, which keeps the order of batches. If the queue has too many batches, it merges some of
// them. If the batches have too many bytes, it drops rows.
#include "instrumentation/record/batch_queue.h"

#include <gtest/gtest.h>

#include "tests/support/literals.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::LossCause;

trace::Batch batch(std::uint32_t depth, std::vector<Duration> begins) {
  trace::Batch made;
  made.lanes.push_back({TrackId{0}, depth, {}});
  for (const Duration begin : begins) made.lanes[0].rows.push_back({at(begin), at(begin + 1_ns)});
  made.watermark = at(begins.back());
  return made;
}

TEST(BatchQueue, HandsOverTheOldestFirst) {
  BatchQueue queue(4, 1 << 20);
  EXPECT_FALSE(queue.take());
  queue.push(batch(0, {1_us}));
  queue.push(batch(0, {2_us}));
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.take()->watermark, at(1_us));
  EXPECT_EQ(queue.take()->watermark, at(2_us));
  EXPECT_FALSE(queue.take());
}

TEST(BatchQueue, WithTooManyBatchesTheNewestAreOneWithOneEntryPerLane) {
  BatchQueue queue(2, 1 << 20);
  queue.push(batch(0, {1_us}));
  queue.push(batch(0, {2_us}));
  trace::Batch third = batch(0, {3_us});
  third.lanes.push_back(batch(1, {3_us}).lanes[0]);
  third.counters.push_back({TrackId{3}, {{at(3_us), 5}}});
  third.instants.push_back({at(1_us), TrackId{0}});
  third.dependencies.push_back({OpId{2}, OpId{1}});
  third.strings = {"late"};
  third.open_slices.push_back({TrackId{0}, 2, {}});
  queue.push(std::move(third));
  EXPECT_EQ(queue.size(), 2u);
  (void)queue.take();
  const trace::Batch merged = *queue.take();
  ASSERT_EQ(merged.lanes.size(), 2u);
  EXPECT_EQ(merged.lanes[0].rows.size(), 2u);
  EXPECT_EQ(merged.lanes[0].rows[1].begin, at(3_us));
  EXPECT_EQ(merged.lanes[1].depth, 1u);
  EXPECT_EQ(merged.counters.size(), 1u);
  EXPECT_EQ(merged.dependencies.size(), 1u);
  EXPECT_EQ(merged.strings.size(), 1u);
  EXPECT_EQ(merged.open_slices.size(), 1u);
  EXPECT_EQ(merged.watermark, at(3_us));
}

TEST(BatchQueue, WithTooManyBytesRowsAreDroppedAndCountedButDefinitionsStay) {
  BatchQueue queue(8, 1000);
  queue.push(batch(0, {1_us}));
  trace::Batch large = batch(0, std::vector<Duration>(100, 5_us));
  large.ops.resize(3);
  large.strings = {"kept"};
  large.tracks.resize(1);
  large.losses.add(LossCause::kBufferFull, 2);
  EXPECT_EQ(queue.push(std::move(large)), 103u);
  const trace::Batch first = *queue.take();
  EXPECT_EQ(first.lanes[0].rows.size(), 1u);
  EXPECT_EQ(first.strings.size(), 1u);
  EXPECT_EQ(first.tracks.size(), 1u);
  EXPECT_EQ(first.losses.of(LossCause::kCollectorBehind), 103u);
  EXPECT_EQ(first.losses.of(LossCause::kBufferFull), 2u);
  EXPECT_EQ(first.watermark, at(5_us));
}

TEST(BatchQueue, OneBatchAlwaysFits) {
  BatchQueue queue(8, 10);
  EXPECT_EQ(queue.push(batch(0, {1_us, 2_us})), 0u);
  EXPECT_EQ(queue.take()->lanes[0].rows.size(), 2u);
}

}  // namespace
}  // namespace runahead::record
