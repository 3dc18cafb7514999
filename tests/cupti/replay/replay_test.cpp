// Replays profiles that were made by hand, with the shapes that real traces have: ids, gaps, orders and
// lengths like those of Nsight Systems and of PyTorch's profiler. cupti_replay does the same with real
// traces.
#include "tests/cupti/replay/replay.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/cupti/replay/timeline.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::testing {
namespace {

constexpr std::uint32_t kMain = 25738, kBackward = 3187672640;  // a file has the second as a negative number
constexpr std::uint32_t kPageable = 1, kPinned = 2, kDevice = 3;
constexpr std::int64_t kUs = 1000, kMs = 1'000'000;

struct Way {
  FillOrder order;
  std::size_t buffer_bytes;
};
constexpr Way kWays[] = {{FillOrder::kByThread, 512},
                         {FillOrder::kByThread, std::size_t{4} << 10},
                         {FillOrder::kByThread, std::size_t{4} << 20},
                         {FillOrder::kByCompletion, 512},
                         {FillOrder::kByCompletion, std::size_t{128} << 10}};

class ReplayTest : public ::testing::Test {
 protected:
  void call(std::uint32_t tid, std::uint32_t correlation, const char* name, std::int64_t begin,
            std::int64_t end) {
    profile_.calls.push_back(
        {.begin = begin, .end = end, .tid = tid, .correlation = correlation, .name = name});
  }
  ProfiledWork& work(WorkKind kind, std::uint32_t stream, std::uint32_t correlation, std::int64_t begin,
                     std::int64_t end) {
    profile_.work.push_back({.kind = kind,
                             .begin = begin,
                             .end = end,
                             .device = 1,
                             .context = 2,
                             .stream = stream,
                             .correlation = correlation});
    return profile_.work.back();
  }
  ProfiledWork& kernel(std::uint32_t stream, std::uint32_t correlation, std::int64_t begin,
                       std::int64_t end) {
    ProfiledWork& made = work(WorkKind::kKernel, stream, correlation, begin, end);
    made.name = "_ZN43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f634warpIfLi6EEEvPT_i";
    made.grid = {50, 4, 1};
    made.block = {256, 1, 1};
    made.registers = 32;
    made.static_shared = 1024;
    made.dynamic_shared = 512;
    return made;
  }
  void copy(std::uint32_t correlation, std::int64_t begin, std::int64_t end, std::uint32_t kind,
            std::uint32_t from, std::uint32_t to) {
    ProfiledWork& made = work(WorkKind::kCopy, 15, correlation, begin, end);
    made.bytes = 4'200'595'456;
    made.copy_kind = kind;
    made.from = from;
    made.to = to;
  }
  void range(std::uint32_t tid, const char* text, std::int64_t begin, std::int64_t end) {
    profile_.ranges.push_back({.begin = begin, .end = end, .tid = tid, .text = text});
  }

  // Steps of 70 ms, so that each one is longer than the time between two flushes.
  void make_steps(int count) {
    std::uint32_t id = 1'452'967;
    for (int step = 0; step < count; ++step) {
      const std::int64_t at = step * 70 * kMs;
      range(kMain, "ProfilerStep", at, at + 69 * kMs);
      for (int layer = 0; layer < 30; ++layer) {
        const std::int64_t begin = at + kMs + layer * 2 * kMs;
        range(kMain, "aten::linear, op_id = 7", begin, begin + 1900 * kUs);
        range(kMain, "aten::t", begin, begin + 4 * kUs);  // begins with the range around it
        call(kMain, ++id, "cudaLaunchKernel_v7000", begin + 10 * kUs, begin + 15 * kUs);
        kernel(15, id, begin + 9 * kUs, begin + 900 * kUs);  // before its call: an error of the clocks
        call(kBackward, ++id, "cudaMemsetAsync_v3020", begin + 20 * kUs, begin + 21 * kUs);
        work(WorkKind::kMemset, 15, id, begin + 901 * kUs, begin + 903 * kUs).to = kDevice;
        profile_.work.back().bytes = 4;
      }
      make_waits(at, id);
    }
  }

  void make_waits(std::int64_t at, std::uint32_t& id) {
    call(kMain, ++id, "cudaEventCreateWithFlags_v3020", at + 62 * kMs, at + 62 * kMs);  // not asked for
    call(kMain, ++id, "cudaStreamWaitEvent_v3020", at + 62 * kMs, at + 62 * kMs + 900);
    profile_.waits.push_back({.begin = at + 62 * kMs + 100,
                              .end = at + 62 * kMs + 800,
                              .type = 2,
                              .context = 2,
                              .stream = 30,
                              .event = 7197,
                              .correlation = id});
    call(kMain, ++id, "cudaMemcpyAsync_v3020", at + 63 * kMs, at + 64 * kMs);
    copy(id, at + 63 * kMs, at + 64 * kMs, 2, kDevice, kPageable);
    call(kMain, ++id, "cudaStreamSynchronize_v3020", at + 64 * kMs, at + 65 * kMs);
    profile_.waits.push_back({.begin = at + 64 * kMs,
                              .end = at + 65 * kMs,
                              .type = 3,
                              .context = 2,
                              .stream = 15,
                              .correlation = id});
  }

  void expect_equal_in_all_orders() {
    std::vector<Profile> profiles{profile_};
    begin_at_zero(profiles);
    const ScratchFolder folder;
    for (const Way& way : kWays) {
      const auto replayed = replay(profiles[0], way.order, way.buffer_bytes, folder / "replay.runahead");
      ASSERT_TRUE(replayed) << replayed.error().message;
      const Timeline expected = timeline_of_profile(profiles[0], Shown::kByUs, replayed->recorded);
      const Timeline found = timeline_of_recording(replayed->trace, replayed->shift_ns);
      for (const auto& [kind, difference] : compare(expected, found)) {
        EXPECT_EQ(difference.missing + difference.extra, 0u)
            << kind << ", buffers of " << way.buffer_bytes
            << " bytes: " << ::testing::PrintToString(difference.examples);
      }
      losses_ = replayed->trace.losses();
      if (way.order == FillOrder::kByThread) {
        EXPECT_EQ(losses_.of(trace::LossCause::kLateRow), 0u);
      }
    }
  }
  Profile profile_{.pid = 112};
  trace::LossCounts losses_;
};

TEST_F(ReplayTest, StepsOfATrainingLoop) {
  make_steps(4);
  expect_equal_in_all_orders();
  EXPECT_FALSE(losses_.facts_missing());
}

TEST_F(ReplayTest, CopiesOfAllKinds) {
  std::uint32_t id = 0;
  for (const std::uint32_t kind : {1u, 2u, 8u, 9u}) {
    ++id;
    call(kMain, id, "cudaMemcpyAsync_v3020", id * kMs, id * kMs + 5 * kUs);
    copy(id, id * kMs + 7 * kUs, id * kMs + 90 * kUs, kind, kind == 1 ? kPinned : kDevice,
         kind == 2 ? kPinned : kDevice);
  }
  expect_equal_in_all_orders();
}

TEST_F(ReplayTest, AGraphWhoseKernelsRunOnTwoStreams) {
  call(kMain, 7, "cudaGraphLaunch_v10000", 0, 20 * kUs);
  for (int i = 0; i < 400; ++i) {
    ProfiledWork& made =
        kernel(i % 3 == 0 ? 15 : 16, 7, 100 * kUs + i * 300 * kUs, 100 * kUs + i * 300 * kUs + 250 * kUs);
    made.graph_node = 12'884'901'888 + static_cast<std::uint64_t>(i);
  }
  // Device records may come late here, after the graph's arrow was drawn; by thread, the arrow is exact.
  const ScratchFolder folder;
  const auto replayed = replay(profile_, FillOrder::kByThread, 4096, folder / "replay.runahead");
  ASSERT_TRUE(replayed) << replayed.error().message;
  const Timeline found = timeline_of_recording(replayed->trace, replayed->shift_ns);
  EXPECT_EQ(found.at("kernels").size(), 400u);
  for (const auto& [kind, difference] : compare(timeline_of_profile(profile_, Shown::kByUs, {}), found))
    EXPECT_EQ(difference.missing + difference.extra, 0u)
        << kind << ::testing::PrintToString(difference.examples);
}

// The profiler that wrote the file began in the middle of a program.
TEST_F(ReplayTest, WorkWhoseCallIsNotInTheProfile) {
  for (std::uint32_t i = 0; i < 40; ++i) kernel(7, 1'438'779 + i, i * 3 * kMs, i * 3 * kMs + kMs);
  expect_equal_in_all_orders();
  EXPECT_EQ(losses_.of(trace::LossCause::kUnboundFlow), 40u);
}

// Its calls and those of other threads wait in CUPTI's buffers for as long.
TEST_F(ReplayTest, ACallOfSecondsDoesNotHideTheWorkOfOthers) {
  call(kMain, 5, "cudaDeviceGetStreamPriorityRange_v5050", 0, 900 * kMs);
  std::uint32_t id = 10;
  for (int i = 0; i < 50; ++i) {
    call(kBackward, ++id, "cuLaunchKernel", i * 10 * kMs, i * 10 * kMs + 8 * kUs);
    kernel(20, id, i * 10 * kMs + 12 * kUs, i * 10 * kMs + kMs);
  }
  expect_equal_in_all_orders();
  EXPECT_FALSE(losses_.facts_missing());
}

TEST_F(ReplayTest, MemoryThatSeveralThreadsAllocateAndFree) {
  kernel(7, 0, 0, kUs);
  for (int i = 0; i < 300; ++i)
    profile_.memory.push_back({.at = i * kMs,
                               .device = 1,
                               .tid = i % 2 == 0 ? kMain : kBackward,
                               .bytes = i % 3 == 2 ? -512 : 512});
  expect_equal_in_all_orders();
}

// The bytes of a record that may be changed: not its kind, and no pointer.
std::pair<std::size_t, std::size_t> changeable(const std::string& record) {
  constexpr std::size_t kAfterKind = sizeof(CUpti_ActivityKind);
  switch (reinterpret_cast<const CUpti_Activity*>(record.data())->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return {kAfterKind, offsetof(CUpti_ActivityKernel10, name)};
    case CUPTI_ACTIVITY_KIND_MARKER:
      return {kAfterKind, offsetof(CUpti_ActivityMarker2, name)};
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return {kAfterKind, offsetof(CUpti_ActivityMemory4, name)};
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return {0, 0};
    default:
      return {kAfterKind, record.size()};
  }
}

// Whatever the records say, each batch and the file keep their rules (Capture checks the batches), and the
// other records of the file can be read.
TEST_F(ReplayTest, RecordsWithWrongValuesBreakNothing) {
  Random random;
  make_steps(1);
  for (int i = 0; i < 50; ++i)
    profile_.memory.push_back({.at = i * kMs, .device = 1, .tid = kMain, .bytes = i % 3 == 2 ? -512 : 512});
  const auto change = [&](std::vector<Activity>& activities) {
    for (Activity& activity : activities) {
      const auto [first, end] = changeable(activity.record);
      if (end == first || !random.chance(0.2)) continue;
      for (std::int64_t changes = random.integer(1, 4); changes > 0; --changes) {
        const auto at = static_cast<std::size_t>(
            random.integer(static_cast<std::int64_t>(first), static_cast<std::int64_t>(end) - 1));
        activity.record[at] = static_cast<char>(random.chance(0.5) ? random.integer(0, 255) : 0);
      }
    }
  };
  const ScratchFolder folder;
  for (int i = 0; i < rounds(12); ++i) {
    const Way& way = kWays[static_cast<std::size_t>(i) % std::size(kWays)];
    const auto replayed = replay(profile_, way.order, way.buffer_bytes, folder / "replay.runahead", change);
    ASSERT_TRUE(replayed) << replayed.error().message;
    std::uint64_t slices = 0;
    for (const trace::Track& track : replayed->trace.tracks()) {
      for (const trace::Lane& lane : track.lanes) slices += lane.end_row() - lane.first_row();
    }
    EXPECT_GT(slices, 0u) << "round " << i;
  }
}

// The records of calls have the names of CUPTI itself, which ends them with a version.
TEST_F(ReplayTest, EachCallHasTheNumberOfItsName) {
  const CallNumber launch = number_of_call({.name = "cudaLaunchKernel_v7000"});
  EXPECT_EQ(launch.domain, CUPTI_CB_DOMAIN_RUNTIME_API);
  EXPECT_EQ(launch.cbid, static_cast<std::uint32_t>(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
  EXPECT_EQ(number_of_call({.cbid = 211, .name = "cudaLaunchKernel"}).cbid, launch.cbid);
  EXPECT_EQ(number_of_call({.name = "cuLaunchKernel"}).domain, CUPTI_CB_DOMAIN_DRIVER_API);
}

}  // namespace
}  // namespace runahead::testing
