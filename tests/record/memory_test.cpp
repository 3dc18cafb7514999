// Tests memory blocks: how hook calls become rows.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "instrumentation/record/hooks/thread_buffer.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/allocation_table.h"
#include "tests/record/capture.h"
#include "tests/support/scratch_folder.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::Allocation;
using trace::TrackKind;

const Site& dense() { return intern_site("dense", trace::SliceKind::kExecute); }

const TrackDesc& category_bytes() {
  return intern_track({.kind = TrackKind::kCounter,
                       .group = "Memory",
                       .name = "activations virtual:0",
                       .device = "virtual:0",
                       .unit = trace::Unit::kBytes,
                       .role = trace::CounterRole::kCategoryBytes});
}

MemoryBlock block(std::uint64_t number, OpId of = kNoOp) {
  static const MemoryKind& kind =
      intern_memory({.live = &live_bytes(), .of_category = &category_bytes(), .category = "activations"});
  return {.kind = &kind, .site = &dense(), .op = of, .number = number, .size_bytes = 64};
}

// One line per block: "1: dense (activations) op 7, 64 B, 10..20 us". If the block is still live, the end is
// omitted.
std::string rows(const trace::Trace& trace) {
  std::string text;
  trace.allocations().each(Timestamp::max(), [&](const Allocation& row) {
    text += std::to_string(row.block) + ": " + std::string(trace.string(row.name)) + " (" +
            std::string(trace.string(row.category)) + ")";
    if (row.op != kNoOp) text += " op " + std::to_string(op_number(row.op));
    text += ", " + std::to_string(row.size_bytes) + " B, " + std::to_string(ns_from(row.begin) / 1000) + "..";
    if (row.end != trace::kNever) text += std::to_string(ns_from(row.end) / 1000);
    text += " us";
    if (row.flags & trace::kAllocationBeganBefore) text += ", began before";
    if (row.flags & trace::kAllocationEndUnseen) text += ", end unseen";
    if (row.dropped != trace::kNever) text += ", dropped " + std::to_string(ns_from(row.dropped) / 1000);
    if (row.early_drop_ns != 0) text += " - " + std::to_string(row.early_drop_ns / 1000);
    text += "\n";
  });
  return text;
}

TEST(Memory, ABlockThatIsGivenBackSoonIsOneRow) {
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] { memory_allocated(block(1, op(7)), capture.ticks(10_us)); });
  on_thread(TrackKind::kWorker, "cpu 0",
            [&] { memory_freed(block(1), {capture.ticks(10_us)}, capture.ticks(20_us)); });
  capture.settle();
  EXPECT_EQ(rows(capture.trace), "1: dense (activations) op 7, 64 B, 10..20 us\n");
}

TEST(Memory, ABlockSaysWhatItsCountersAreFromThenOn) {
  // Needs all 48 bits that an event has for a number (MemoryNumbers in event.h).
  constexpr std::int64_t kLarge = (std::int64_t{1} << 47) + 12345;
  Capture capture;
  MemoryBlock one = block((std::uint64_t{1} << 47) + 0x1234'5678'9abc, op(7));
  one.live_bytes = kLarge;
  one.category_bytes = 64;
  memory_allocated(one, capture.ticks(10_us));
  one.live_bytes = kLarge - 64;
  one.category_bytes = 0;
  memory_freed(one, {capture.ticks(10_us)}, capture.ticks(20_us));
  capture.settle();
  EXPECT_EQ(capture.samples("activations virtual:0"), "10: 64, 20: 0");
  const trace::CounterSeries& live = capture.track("live virtual:0")->counter;
  ASSERT_EQ(live.end_row() - live.first_row(), 2u);
  EXPECT_EQ(live.sample(live.first_row()).value, static_cast<double>(kLarge));
  EXPECT_EQ(live.sample(live.first_row() + 1).value, static_cast<double>(kLarge - 64));
  std::vector<std::uint64_t> numbers;
  capture.trace.allocations().each(Timestamp::max(),
                                   [&](const Allocation& row) { numbers.push_back(row.block); });
  EXPECT_EQ(numbers, std::vector{one.number});
}

TEST(Memory, WhatWasTakenUnnoticedIsKnownSinceItWasTaken) {
  Capture capture;
  // the event of the allocation was lost
  memory_freed(block(1, op(7)), {capture.ticks(10_us)}, capture.ticks(20_us));
  for (int i = 0; i < 4; ++i) capture.settle();
  EXPECT_EQ(rows(capture.trace), "1: dense (activations) op 7, 64 B, 10..20 us\n");
}

TEST(Memory, ABlockThatIsHeldIsThereAndGivenBackItIsThereWhole) {
  Capture capture;
  memory_allocated(block(1, op(7)), capture.ticks(10_us));
  capture.settle();
  EXPECT_EQ(rows(capture.trace), "1: dense (activations) op 7, 64 B, 10.. us\n");
  capture.settle();
  memory_freed(block(1), {capture.ticks(10_us)}, capture.ticks(90_us));
  capture.settle();
  EXPECT_EQ(rows(capture.trace),
            "1: dense (activations) op 7, 64 B, 10.. us\n1: dense (activations) op 7, 64 B, 10..90 us\n");
}

TEST(Memory, ABlockSaysWhenTheProgramDroppedIt) {
  Capture capture;
  // Needs all 48 bits that an event has for a number.
  constexpr std::uint64_t kLarge = (std::uint64_t{1} << 47) + 1;
  for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, kLarge})
    memory_allocated(block(number, op(7)), capture.ticks(10_us));
  on_thread(TrackKind::kWorker, "cpu 0", [&] {
    memory_freed(block(1), {capture.ticks(10_us)}, capture.ticks(20_us), capture.ticks(15_us));
    memory_freed(block(2), {capture.ticks(10_us)}, capture.ticks(21_us));
    memory_freed(block(3), {capture.ticks(10_us)}, capture.ticks(22_us), kDroppedWithFree);
    memory_freed(block(kLarge), {capture.ticks(10_us)}, capture.ticks(23_us), capture.ticks(16_us));
  });
  capture.settle();
  EXPECT_EQ(rows(capture.trace),
            "1: dense (activations) op 7, 64 B, 10..20 us, dropped 15\n"
            "2: dense (activations) op 7, 64 B, 10..21 us\n"
            "3: dense (activations) op 7, 64 B, 10..22 us, dropped 22\n" +
                std::to_string(kLarge) + ": dense (activations) op 7, 64 B, 10..23 us, dropped 16\n");
}

// The clocks of two cores may differ a little.
TEST(Memory, ADropIsWithinTheLifeOfItsBlock) {
  Capture capture;
  memory_allocated(block(1, op(7)), capture.ticks(10_us));
  memory_freed(block(1), {capture.ticks(10_us)}, capture.ticks(20_us), capture.ticks(21_us));
  capture.settle();
  EXPECT_EQ(rows(capture.trace), "1: dense (activations) op 7, 64 B, 10..20 us, dropped 20\n");
}

// The program may drop an array before its op allocates the memory.
TEST(Memory, ADropBeforeTheAllocationSaysHowLongBefore) {
  Capture capture;
  memory_allocated(block(1, op(7)), capture.ticks(10_us));
  memory_freed(block(1), {capture.ticks(10_us)}, capture.ticks(20_us), capture.ticks(8_us));
  capture.settle();
  EXPECT_EQ(rows(capture.trace), "1: dense (activations) op 7, 64 B, 10..20 us, dropped 10 - 2\n");
}

TEST(Memory, ABlockThatIsHeldIsNotDroppedYet) {
  Capture capture;
  memory_allocated(block(1, op(7)), capture.ticks(10_us));
  capture.settle();
  memory_freed(block(1), {capture.ticks(10_us)}, capture.ticks(90_us), capture.ticks(50_us));
  capture.settle();
  EXPECT_EQ(rows(capture.trace),
            "1: dense (activations) op 7, 64 B, 10.. us\n"
            "1: dense (activations) op 7, 64 B, 10..90 us, dropped 50\n");
}

TEST(Memory, WhatIsTakenForTheNextOpHasThatOpsNumber) {
  Capture capture;
  memory_allocated(block(1), capture.ticks(10_us));
  memory_allocated(block(2), capture.ticks(11_us));
  op_enqueued({.site = &dense(), .op = op(5)}, capture.ticks(9_us), capture.ticks(12_us));
  memory_allocated(block(3), capture.ticks(13_us));
  op_enqueued({.site = &dense(), .op = op(6)}, capture.ticks(12_us), capture.ticks(14_us));
  for (const std::uint64_t number : {1u, 2u, 3u})
    memory_freed(block(number), {capture.ticks(10_us)}, capture.ticks(20_us));
  capture.settle();
  EXPECT_EQ(rows(capture.trace),
            "1: dense (activations) op 5, 64 B, 10..20 us\n2: dense (activations) op 5, 64 B, 11..20 us\n"
            "3: dense (activations) op 6, 64 B, 13..20 us\n");
}

TEST(Memory, AThreadThatIsHeldInTheEnqueueNamesItsBlockLater) {
  Capture capture;
  memory_allocated(block(1), capture.ticks(10_us));
  capture.settle();
  op_enqueued({.site = &dense(), .op = op(5)}, capture.ticks(9_us), capture.ticks(12_us));
  capture.settle();
  EXPECT_EQ(rows(capture.trace),
            "1: dense (activations), 64 B, 10.. us\n1: dense (activations) op 5, 64 B, 10.. us\n");
}

TEST(Memory, WhatWasTakenUnseenIsKnownFromTheStartOfTheRecordingOn) {
  Capture capture;
  memory_freed(block(1), {0}, capture.ticks(20_us));
  // The collector writes the row only after a few drains. Until then, the event of the allocation may still
  // come from a thread that is drained later.
  for (int i = 0; i < 4; ++i) capture.settle();
  EXPECT_EQ(rows(capture.trace), "1: dense (activations), 64 B, 0..20 us, began before\n");
}

TEST(Memory, WhatIsHeldWhenRecordingStopsIsNotKnownOnceItBeginsAgain) {
  Capture capture;
  memory_allocated(block(1, op(7)), capture.ticks(10_us));
  capture.wait_until(20_us);
  capture.recorder.stop();
  capture.settle();
  capture.recorder.start();
  zone_begin(dense(), now_ticks());
  zone_end(now_ticks());
  capture.settle();
  std::vector<Allocation> found;
  capture.trace.allocations().each(Timestamp::max(), [&](const Allocation& row) { found.push_back(row); });
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].end, trace::kNever);
  EXPECT_EQ(found[1].flags, trace::kAllocationEndUnseen);
  EXPECT_GE(found[1].end, at(20_us));
}

// The buffer of each thread has one chunk. fill_the_buffer() records more instants than fit.
RecorderOptions small_buffers() {
  RecorderOptions options;
  options.events_per_thread = kChunkEvents;
  return options;
}
void fill_the_buffer(Capture& capture) {
  for (int i = 0; i < 4096; ++i) instant_here(dense(), capture.ticks(15_us));
}

TEST(Memory, ABlockWhoseEndFoundNoRoomEndsWhenItWasGivenBack) {
  Capture capture(small_buffers());
  memory_allocated(block(1, op(7)), capture.ticks(10_us));
  EXPECT_TRUE(memory_allocated(block(2, op(8)), capture.ticks(11_us)));
  fill_the_buffer(capture);
  EXPECT_FALSE(memory_allocated(block(3, op(9)), capture.ticks(18_us)));
  memory_freed(block(1), {capture.ticks(10_us)}, capture.ticks(20_us));
  // The allocation event of block 3 was lost, so its free is not recorded either.
  memory_freed(block(3), {capture.ticks(18_us), true}, capture.ticks(21_us));
  for (int i = 0; i < 4; ++i) capture.settle();
  EXPECT_EQ(rows(capture.trace),
            "1: dense (activations) op 7, 64 B, 10..20 us\n2: dense (activations) op 8, 64 B, 11.. us\n");
  EXPECT_GT(capture.lost(trace::LossCause::kBufferFull), 0u);
  memory_freed(block(2), {capture.ticks(11_us)}, capture.ticks(30_us));  // now there is room in the buffer
  capture.settle();
  EXPECT_TRUE(rows(capture.trace).ends_with("2: dense (activations) op 8, 64 B, 11..30 us\n"));
}

// The collector drains the freeing thread before the allocating thread.
TEST(Memory, AnEndThatFoundNoRoomMayBeKnownBeforeItsBlock) {
  Capture capture(small_buffers());
  std::atomic<bool> begun{false}, taken{false};
  std::thread giver([&] {
    instant_here(dense(), capture.ticks(1_us));
    begun = true;
    begun.notify_all();
    taken.wait(false);
    fill_the_buffer(capture);
    memory_freed(block(1), {capture.ticks(10_us)}, capture.ticks(20_us));
  });
  begun.wait(false);
  memory_allocated(block(1, op(7)), capture.ticks(10_us));
  taken = true;
  taken.notify_all();
  giver.join();
  for (int i = 0; i < 4; ++i) capture.settle();
  EXPECT_EQ(rows(capture.trace), "1: dense (activations) op 7, 64 B, 10..20 us\n");
}

TEST(Memory, AFileThatBeginsLaterKnowsWhatIsHeldThen) {
  const ScratchFolder folder;
  Capture capture;
  memory_allocated(block(1, op(7)), capture.ticks(10_us));
  memory_allocated(block(2, op(8)), capture.ticks(11_us));
  memory_freed(block(2), {capture.ticks(11_us)}, capture.ticks(12_us));
  capture.settle();
  ASSERT_TRUE(capture.collector->start_file(folder / "a.runahead", {}).ok());
  memory_allocated(block(3, op(9)), capture.ticks(30_us));
  capture.settle();
  ASSERT_TRUE(capture.collector->stop_file().ok());
  const auto file = recordings::load_recording(folder / "a.runahead");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(rows(*file),
            "1: dense (activations) op 7, 64 B, 10.. us\n3: dense (activations) op 9, 64 B, 30.. us\n");
}

}  // namespace
}  // namespace runahead::record
