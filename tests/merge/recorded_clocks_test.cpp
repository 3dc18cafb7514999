// Tests the alignment of recordings from several machines: an offset and a drift are put into the clock of
// one process, and the messages must give them back.
#include "instrumentation/merge/recorded_clocks.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "instrumentation/recording/recording.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"

namespace runahead::merge {
namespace {

using namespace runahead::testing;
using namespace trace;
namespace fs = std::filesystem;

constexpr std::uint64_t kRanks = 4;
constexpr std::int64_t kRounds = 5000, kRoundNs = 1'000'000, kLeastTransitNs = 5'000;
constexpr std::int64_t kOffsetNs = 5'000'000'000;
constexpr double kDrift = 50e-6;

// What the clock of rank 2 shows at a true time.
std::int64_t skewed(std::int64_t ns) {
  return ns - kOffsetNs - static_cast<std::int64_t>(std::llround(static_cast<double>(ns) * kDrift));
}

struct Ring {
  std::array<std::vector<Flow>, kRanks> halves;
};

// In each round, each rank sends to the next one. The transit takes 5 us and a random time.
Ring make_ring(Random& random, std::uint64_t skewed_rank) {
  Ring ring;
  const auto add = [&](std::uint64_t rank, std::uint64_t id, bool leaves, std::int64_t ns) {
    Flow flow;
    flow.message = id;
    (leaves ? flow.from_track : flow.to_track) = TrackId{0};
    flow.from_time = flow.to_time = timestamp_from_ns(rank == skewed_rank ? skewed(ns) : ns);
    ring.halves[rank].push_back(flow);
  };
  for (std::int64_t round = 1; round <= kRounds; ++round) {
    for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
      const std::uint64_t id = (rank + 1) << 32 | static_cast<std::uint64_t>(round);
      const std::int64_t sent = round * kRoundNs + random.integer(0, 100'000);
      add(rank, id, true, sent);
      add((rank + 1) % kRanks, id, false, sent + kLeastTransitNs + random.magnitude(200'000));
    }
  }
  return ring;
}

fs::path write_rank(const ScratchFolder& folder, std::uint64_t rank, const Ring& ring,
                    const std::string& boot) {
  Batch batch;
  batch.strings = {""};
  TrackInfo thread;
  thread.id = TrackId{0};
  thread.name = "main";
  batch.tracks = {thread};
  batch.flows = ring.halves[rank];
  const fs::path path = folder / ("rank" + std::to_string(rank) + ".runahead");
  const auto writer = recordings::RecordingWriter::create(path, {{"clock.boot", boot},
                                                                 {"clock.origin_monotonic_ns", "0"},
                                                                 {"process.rank", std::to_string(rank)}})
                          .value();
  EXPECT_TRUE(writer->write(batch).ok());
  EXPECT_TRUE(writer->finish().ok());
  return path;
}

std::vector<fs::path> write_ring(const ScratchFolder& folder, const Ring& ring, std::uint64_t skewed_rank) {
  std::vector<fs::path> paths;
  for (std::uint64_t rank = 0; rank < kRanks; ++rank)
    paths.push_back(write_rank(folder, rank, ring, rank == skewed_rank ? "another machine" : "this machine"));
  return paths;
}

TEST(ClocksOfRecordings, MessagesGiveBackTheOffsetAndTheDriftOfAnotherMachine) {
  const ScratchFolder folder;
  Random random;
  const std::vector<fs::path> paths = write_ring(folder, make_ring(random, 2), 2);
  const auto clocks = clocks_of_recordings(paths);
  ASSERT_TRUE(clocks.ok()) << clocks.error().message;
  for (const std::size_t rank : {0u, 1u, 3u}) {
    EXPECT_EQ((*clocks)[rank].source, ClockSource::kShared);
    EXPECT_EQ((*clocks)[rank].aligned.map.to_reference(123456), 123456);
  }
  const ProcessClock& clock = (*clocks)[2];
  ASSERT_EQ(clock.source, ClockSource::kMessages);
  EXPECT_GT(clock.aligned.error_ns, 0);
  EXPECT_LT(clock.aligned.error_ns, 50'000);
  for (std::int64_t round = 1; round <= kRounds; round += 100) {
    const std::int64_t truth = round * kRoundNs;
    EXPECT_LE(std::abs(clock.aligned.map.to_reference(skewed(truth)) - truth), clock.aligned.error_ns + 2);
  }
}

TEST(ClocksOfRecordings, JoinedTheArrowsOfAllRanksLeadForwardWithinTheError) {
  const ScratchFolder folder;
  Random random;
  const std::vector<fs::path> paths = write_ring(folder, make_ring(random, 2), 2);
  const std::vector<ProcessClock> clocks = clocks_of_recordings(paths).value();
  const fs::path out = folder / "out.runahead";
  const auto merger = ProcessMerger::create(out).value();
  for (std::size_t rank = 0; rank < kRanks; ++rank)
    ASSERT_TRUE(merger->add(paths[rank], {.clock = clocks[rank], .trips = {}, .writer_lives = {}}).ok());
  while (!merger->ended()) ASSERT_TRUE(merger->poll().ok());
  ASSERT_TRUE(merger->finish().ok());
  const Trace joined = recordings::load_recording(out).value();
  ASSERT_EQ(joined.flow_count(), kRanks * kRounds);
  EXPECT_TRUE(joined.losses().none());
  for (std::uint64_t i = 0; i < joined.flow_count(); ++i) {
    const Flow flow = joined.flow(i);
    ASSERT_FALSE(flow.is_half());
    ASSERT_GE(ns_from(flow.to_time - flow.from_time), kLeastTransitNs - clocks[2].aligned.error_ns - 2);
  }
  bool said = false;
  for (const Track& track : joined.tracks()) said |= track.info.name.find(", \xc2\xb1 ") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST(ClocksOfRecordings, EndWhenTheUserStops) {
  const ScratchFolder folder;
  Random random;
  const auto paths = write_ring(folder, make_ring(random, 2), 2);
  int asked = 0;
  EXPECT_FALSE(clocks_of_recordings(paths, [&asked] { return ++asked > 1; }).ok());
  EXPECT_EQ(asked, 2);
}

TEST(ClocksOfRecordings, WithoutMessagesInBothDirectionsAMachineIsUnknown) {
  const ScratchFolder folder;
  Random random;
  Ring ring = make_ring(random, 2);
  std::erase_if(ring.halves[2], [](const Flow& flow) { return flow.to_track == kNoTrack; });
  const std::vector<ProcessClock> clocks = clocks_of_recordings(write_ring(folder, ring, 2)).value();
  EXPECT_EQ(clocks[2].source, ClockSource::kUnknown);
  EXPECT_EQ(clocks[3].source, ClockSource::kShared);
}

TEST(ClocksOfRecordings, AComposedMapIsTheTwoMapsOneAfterTheOther) {
  const ClockMap first{.base_ns = 1000, .offset_ns = -5000, .drift = 1e-4};
  const ClockMap second{.base_ns = -2000, .offset_ns = 123456789, .drift = -3e-5};
  const ClockMap both = composed(first, second);
  for (const std::int64_t ns : {-1'000'000'000LL, 0LL, 77LL, 3'600'000'000'000LL})
    EXPECT_LE(std::abs(both.to_reference(ns) - second.to_reference(first.to_reference(ns))), 2) << ns;
}

}  // namespace
}  // namespace runahead::merge
