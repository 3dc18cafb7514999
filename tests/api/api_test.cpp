#include <gtest/gtest.h>
#include <runahead/runahead.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "instrumentation/link/program_link.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/row_reader.h"

namespace {

namespace trace = runahead::trace;

class Api : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("runahead_api_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] trace::Trace open(const char* name) const {
    auto trace = runahead::recordings::load_recording(path(name));
    EXPECT_TRUE(trace.ok());
    return std::move(trace).value();
  }

 private:
  std::filesystem::path folder_;
};

std::vector<std::string> names_on(const trace::Trace& trace, const std::string& track_name) {
  std::vector<std::string> names;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.name != track_name) continue;
    for (const trace::Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        names.emplace_back(trace.string(lane.slice(row).name));
      }
    }
  }
  return names;
}

using Names = std::vector<std::string>;

TEST_F(Api, ZonesOfAThreadNestAndAreNamed) {
  runahead::Recording recording(path("a.runahead"));
  ASSERT_TRUE(recording.ok()) << recording.error();
  std::thread([] {
    runahead::name_thread("loader");
    RUNAHEAD_ZONE("outer");
    RUNAHEAD_ZONE("inner");
    const runahead::Zone last(runahead::site(std::string("made ") + "up"));
  }).join();
  recording.stop();
  EXPECT_TRUE(recording.ok());
  EXPECT_EQ(recording.lost(), 0u);
  const trace::Trace trace = open("a.runahead");
  EXPECT_EQ(names_on(trace, "loader"), (Names{"outer", "inner", "made up"}));
  EXPECT_TRUE(trace.losses().none());
}

TEST_F(Api, ASiteMayHaveAPlaceInAnotherLanguage) {
  runahead::Recording recording(path("a.runahead"));
  std::thread([] {
    runahead::name_thread("python");
    const runahead::Zone zone(runahead::site("aten::mm", "train.py", 12));
    const runahead::Zone plain(runahead::site("aten::mm", "", 12));
  }).join();
  recording.stop();
  const trace::Trace trace = open("a.runahead");
  EXPECT_EQ(names_on(trace, "python"), (Names{"aten::mm", "aten::mm"}));
  ASSERT_EQ(trace.args_count(), 1u);
  const trace::Arg& arg = trace.args(runahead::ArgsId{1}).front();
  EXPECT_EQ(trace.string(arg.key), "line");
  EXPECT_EQ(trace.string(std::get<runahead::StringId>(arg.value)), "train.py:12");
}

TEST_F(Api, BlocksOfMemoryHaveAnOwnerAndALife) {
  const runahead::Memory memory("pool");
  runahead::Recording recording(path("a.runahead"));
  char pool[3];
  std::thread([&] {
    memory.allocated(runahead::site("loader"), &pool[0], 100);
    memory.allocated(runahead::site("net"), &pool[1], 1000);
    memory.allocated(runahead::site("net"), &pool[2], 10);
  }).join();
  std::thread([&] {
    memory.freed(&pool[1]);
    memory.freed(&pool[1]);                                  // not known any more
    memory.allocated(runahead::site("late"), &pool[2], 20);  // the free of the first block was not seen
  }).join();
  recording.stop();
  const trace::Trace trace = open("a.runahead");
  std::map<std::uint64_t, std::string> blocks;  // the last row of a block counts
  trace.allocations().each(runahead::Timestamp::max(), [&](const trace::Allocation& block) {
    blocks[block.block] = std::string(trace.string(block.name)) + " " + std::to_string(block.size_bytes) +
                          (block.end == trace::kNever ? " live" : "");
  });
  Names found;
  for (const auto& [number, text] : blocks) found.push_back(text);
  EXPECT_EQ(found, (Names{"loader 100 live", "net 1000", "net 10", "late 20 live"}));
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.name != "pool") continue;
    EXPECT_EQ(track.info.role, trace::CounterRole::kLiveBytes);
    EXPECT_EQ(track.counter.value_at(runahead::Timestamp::max()), 120.0);
  }
  EXPECT_TRUE(trace.losses().none());
}

TEST_F(Api, NothingIsRecordedBeforeOrAfter) {
  { RUNAHEAD_ZONE("before"); }
  runahead::name_thread("main thread");
  EXPECT_FALSE(runahead::recording());
  runahead::Recording recording(path("a.runahead"));
  EXPECT_TRUE(runahead::recording());
  { RUNAHEAD_ZONE("during"); }
  recording.stop();
  EXPECT_FALSE(runahead::recording());
  { RUNAHEAD_ZONE("after"); }
  EXPECT_EQ(names_on(open("a.runahead"), "main thread"), (Names{"during"}));
}

TEST_F(Api, ASecondRecordingIsRefusedAndALaterOneIsNot) {
  runahead::Recording first(path("a.runahead"));
  const runahead::Recording second(path("b.runahead"));
  EXPECT_FALSE(second.ok());
  EXPECT_NE(second.error().find("b.runahead"), std::string::npos) << second.error();
  first.stop();
  runahead::Recording third(path("b.runahead"));
  EXPECT_TRUE(third.ok()) << third.error();
  runahead::name_thread("again");
  { RUNAHEAD_ZONE("third"); }
  third.stop();
  EXPECT_EQ(names_on(open("b.runahead"), "again"), (Names{"third"}));
}

TEST_F(Api, APlaceThatCannotBeWrittenIsSaid) {
  const runahead::Recording recording(path("missing/a.runahead"));
  EXPECT_FALSE(recording.ok());
  EXPECT_NE(recording.error().find("missing/a.runahead"), std::string::npos) << recording.error();
  EXPECT_EQ(recording.error().find('\n'), std::string::npos);
  EXPECT_FALSE(runahead::recording());
}

TEST_F(Api, OfALongRecordingTheEndIsKept) {
  runahead::Recording recording(path("a.runahead"),
                                runahead::Limits::keep_last(std::chrono::milliseconds(400)));
  ASSERT_TRUE(recording.ok()) << recording.error();
  runahead::name_thread("busy");
  std::uint64_t zones = 0;
  while (!std::filesystem::exists(path("a.0007.runahead"))) {
    RUNAHEAD_ZONE("work");
    ++zones;
    std::this_thread::yield();
  }
  recording.stop();
  EXPECT_TRUE(recording.ok()) << recording.error();
  const trace::Trace trace = open("a.runahead");
  const std::uint64_t evicted = trace.losses().of(trace::LossCause::kEvicted);
  EXPECT_GT(evicted, 0u);
  EXPECT_GT(names_on(trace, "busy").size(), 0u);
  EXPECT_LE(names_on(trace, "busy").size() + recording.lost(), zones);
  EXPECT_GE(names_on(trace, "busy").size() + evicted + recording.lost(), zones);
}

TEST_F(Api, LimitsThatAreTooSmallAreRefused) {
  const runahead::Recording recording(path("a.runahead"), runahead::Limits::rotate(10));
  EXPECT_FALSE(recording.ok());
  EXPECT_NE(recording.error().find("64 KiB"), std::string::npos) << recording.error();
}

TEST_F(Api, AsynchronousSlicesMayOverlapAndMove) {
  const runahead::Track track("Server", "requests");
  runahead::Recording recording(path("a.runahead"));
  {
    runahead::AsyncSlice first(track, RUNAHEAD_SITE("first"));
    runahead::AsyncSlice second(track, RUNAHEAD_SITE("second"));
    runahead::AsyncSlice moved = std::move(first);
    moved.end();
    moved.end();  // the slice has ended already, so this has no effect
  }
  recording.stop();
  const trace::Trace trace = open("a.runahead");
  EXPECT_EQ(names_on(trace, "requests"), (Names{"first", "second"}));
}

TEST_F(Api, CountersHaveTheirUnitAndFramesFollowEachOther) {
  const runahead::Counter counter("depth", runahead::Unit::kBytes, "Server");
  const runahead::Frames frames("loop");
  runahead::Recording recording(path("a.runahead"));
  for (int i = 0; i < 3; ++i) {
    counter.set(i);
    frames.mark();
  }
  recording.stop();
  const trace::Trace trace = open("a.runahead");
  EXPECT_EQ(names_on(trace, "loop"), (Names{"loop", "loop"}));
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.name != "depth") continue;
    EXPECT_EQ(track.info.unit, trace::Unit::kBytes);
    ASSERT_EQ(track.counter.end_row(), 3u);
    EXPECT_EQ(track.counter.sample(2).value, 2.0);
  }
}

TEST_F(Api, AFrameDoesNotReachFromOneRecordingIntoTheNext) {
  const runahead::Frames frames("loop");
  for (const char* name : {"a.runahead", "b.runahead"}) {
    runahead::Recording recording(path(name));
    frames.mark();
    frames.mark();
    recording.stop();
    EXPECT_EQ(names_on(open(name), "loop").size(), 1u) << name;
  }
}

TEST_F(Api, AnArrowJoinsTheTwoZonesOfItsId) {
  runahead::Recording recording(path("a.runahead"));
  runahead::name_thread("from");
  {
    RUNAHEAD_ZONE("asks");
    RUNAHEAD_FLOW_OUT("request", 7);
    RUNAHEAD_FLOW_OUT("never answered", 8);
  }
  std::thread([] {
    runahead::name_thread("to");
    RUNAHEAD_ZONE("answers");
    RUNAHEAD_FLOW_IN(7);
    RUNAHEAD_FLOW_IN(9);  // no flow with this id was started
    RUNAHEAD_INSTANT("answered");
  }).join();
  recording.stop();
  const trace::Trace trace = open("a.runahead");
  ASSERT_EQ(trace.flow_count(), 1u);
  const trace::Flow flow = trace.flow(0);
  EXPECT_EQ(trace.track(flow.from_track).info.name, "from");
  EXPECT_EQ(trace.track(flow.to_track).info.name, "to");
  EXPECT_EQ(trace.string(flow.name), "request");
  EXPECT_LE(flow.from_time, flow.to_time);
  EXPECT_EQ(trace.losses().of(trace::LossCause::kUnboundFlow), 2u)
      << "one flow without an end, one end without a flow";
  ASSERT_EQ(trace.instant_count(), 1u);
  EXPECT_EQ(trace.track(trace.instant(0).track).info.name, "to");
}

TEST_F(Api, AMessageLeavesOneHalfInEachPlace) {
  runahead::Recording recording(path("a.runahead"));
  runahead::name_thread("here");
  {
    RUNAHEAD_ZONE("sends");
    RUNAHEAD_MESSAGE_OUT("token", 7);
    RUNAHEAD_MESSAGE_OUT("no id", 0);
  }
  {
    RUNAHEAD_ZONE("receives");
    RUNAHEAD_MESSAGE_IN(7);  // both ends are in this process: they are recorded as halves all the same
    RUNAHEAD_MESSAGE_IN(9);
  }
  recording.stop();
  const trace::Trace trace = open("a.runahead");
  ASSERT_EQ(trace.flow_count(), 3u);
  const trace::Flow out = trace.flow(0), in = trace.flow(1);
  EXPECT_TRUE(out.is_half() && in.is_half());
  EXPECT_EQ(out.message, 7u);
  EXPECT_EQ(trace.track(out.from_track).info.name, "here");
  EXPECT_EQ(out.to_track, runahead::kNoTrack);
  EXPECT_EQ(out.from_time, out.to_time);
  EXPECT_EQ(trace.string(out.name), "token");
  EXPECT_EQ(in.message, 7u);
  EXPECT_EQ(in.from_track, runahead::kNoTrack);
  EXPECT_EQ(trace.track(in.to_track).info.name, "here");
  EXPECT_EQ(in.from_time, in.to_time);
  EXPECT_EQ(trace.string(in.name), "");
  EXPECT_LE(out.from_time, in.to_time);
  EXPECT_EQ(trace.flow(2).message, 9u);
  EXPECT_TRUE(trace.losses().none());
}

TEST_F(Api, ManyShortThreadsLoseNothing) {
  constexpr int kThreads = 500;
  runahead::Recording recording(path("a.runahead"));
  for (int i = 0; i < kThreads; ++i) {
    std::thread([] {
      runahead::name_thread("short");
      RUNAHEAD_ZONE("life");
    }).join();
  }
  recording.stop();
  const trace::Trace trace = open("a.runahead");
  EXPECT_EQ(names_on(trace, "short").size(), static_cast<std::size_t>(kThreads));
  EXPECT_TRUE(trace.losses().none());
}

TEST_F(Api, AWatcherChangesASwitchAndTheChangeIsMarked) {
  const runahead::Switch bound("queue bound", {"none", "8"});
  const runahead::Parameter batch("batch", 32, 1, 128);
  runahead::Recording recording(path("a.runahead"));
  ASSERT_TRUE(recording.ok()) << recording.error();
  EXPECT_EQ(bound.choice(), 0u);
  EXPECT_EQ(batch.value(), 32);
  auto link = runahead::link::ProgramLink::connect(::getpid());
  ASSERT_TRUE(link.ok()) << link.error().message;
  EXPECT_TRUE((*link)->set("queue bound", "8").ok());
  EXPECT_TRUE((*link)->set("batch", "64").ok());
  EXPECT_EQ(bound.choice(), 1u);
  EXPECT_EQ(batch.value(), 64);
  recording.stop();
  const trace::Trace trace = open("a.runahead");
  std::vector<std::string> marks;
  trace::InstantReader instants(trace.instants());
  for (std::uint64_t i = 0; i < instants.size(); ++i)
    marks.emplace_back(trace.string(instants.instant(i).name));
  EXPECT_EQ(marks, (Names{"queue bound: none -> 8", "batch: 32 -> 64"}));
}

// The steps that the program has waited for after each step, under each policy.
TEST_F(Api, ABarrierWaitsAsItsPolicySays) {
  std::vector<int> waited;
  int step = 0;
  runahead::Barrier<int> barrier(
      "step barrier", [&] { return step; }, [&](int of) { waited.push_back(of); }, {2, 3});
  runahead::name_thread("loop");
  runahead::Recording recording(path("a.runahead"));
  auto link = runahead::link::ProgramLink::connect(::getpid());
  ASSERT_TRUE(link.ok()) << link.error().message;
  const auto steps = [&](const char* policy, int count) {
    EXPECT_TRUE((*link)->set("step barrier", policy).ok());
    waited.clear();
    for (int i = 0; i < count; ++i) {
      ++step;
      barrier.step();
    }
    return waited;
  };
  EXPECT_EQ(steps("none", 3), (std::vector<int>{}));
  EXPECT_EQ(steps("each step", 2), (std::vector<int>{4, 5}));
  EXPECT_EQ(steps("window:2", 4), (std::vector<int>{6, 7})) << "two steps are ahead: 8 and 9";
  EXPECT_EQ(steps("every:3", 6), (std::vector<int>{12, 15}));
  recording.stop();
  EXPECT_EQ(names_on(open("a.runahead"), "loop").size(), 6u) << "each wait is a slice";
}

}  // namespace
