// Tests the joining of several recordings, written by random sources or by hand.
#include "instrumentation/merge/process_merger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "instrumentation/base/format.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/base/time.h"
#include "instrumentation/trace/lane_reader.h"
#include "tests/recording/random_batches.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::merge {
namespace {

using namespace runahead::testing;
using namespace trace;
namespace fs = std::filesystem;
using recordings::RecordingWriter;

// A process whose clock is the machine's, `origin_ns` after the machine's start.
Metadata process(std::int64_t origin_ns, int rank = -1) {
  Metadata metadata{{"clock.boot", "this machine"},
                    {"clock.origin_monotonic_ns", std::to_string(origin_ns)},
                    {"command", "/bin/program --word"},
                    {"pid", std::to_string(1000 + rank)}};
  if (rank >= 0) metadata["process.rank"] = std::to_string(rank);
  return metadata;
}

std::unique_ptr<RecordingWriter> writer_of(const fs::path& path, const Metadata& metadata) {
  return RecordingWriter::create(path, metadata, {.gather_bytes = 0}).value();
}

void write_random(const fs::path& path, const Metadata& metadata, std::uint64_t seed, int batches) {
  RandomSource source(seed, rounds(2000, 500));
  const auto writer = writer_of(path, metadata);
  for (int i = 0; i < batches; ++i) ASSERT_TRUE(writer->write(source.next()).ok());
  ASSERT_TRUE(writer->finish().ok());
}

void merge_all(ProcessMerger& merger) {
  while (!merger.ended()) ASSERT_TRUE(merger.poll().ok());
  ASSERT_TRUE(merger.finish().ok());
}

std::string args_text(const Trace& trace, ArgsId id) {
  std::ostringstream out;
  for (const Arg& arg : trace.args(id)) {
    out << trace.string(arg.key) << '=';
    if (const auto* text = std::get_if<StringId>(&arg.value)) out << trace.string(*text);
    if (const auto* number = std::get_if<std::int64_t>(&arg.value)) out << *number;
    if (const auto* real = std::get_if<double>(&arg.value)) out << *real;
    out << ' ';
  }
  return out.str();
}

bool is_below(const Trace& trace, const Track& track, TrackId group) {
  TrackId at = track.info.parent;
  while (at != kNoTrack && at != group) at = trace.track(at).info.parent;
  return at == group;
}

// The tracks below a group (kNoTrack: all tracks) with their slices and samples, each as a line. `shift`:
// added to all times.
std::vector<std::string> rows_below(const Trace& trace, TrackId group, Duration shift) {
  std::vector<std::string> lines;
  for (const Track& track : trace.tracks()) {
    if (group != kNoTrack && !is_below(trace, track, group)) continue;
    lines.push_back("track " + track.info.name + ' ' + std::to_string(static_cast<int>(track.info.kind)) +
                    ' ' + std::to_string(track.info.tid) + ' ' + track.info.device);
    for (const Lane& lane : track.lanes) {
      LaneReader reader(lane);
      for (std::uint64_t i = lane.first_row(); i < lane.end_row(); ++i) {
        const Slice slice = reader.slice(i);
        std::ostringstream line;
        line << ns_from(slice.begin + shift) << ' ' << ns_from(slice.end + shift) << ' '
             << trace.string(slice.name) << ' ' << static_cast<int>(slice.kind) << ' ' << int{slice.flags}
             << ' ' << op_number(slice.op) << ' ' << slice.size_bytes << ' ' << args_text(trace, slice.args);
        lines.push_back(line.str());
      }
    }
    for (std::uint64_t i = track.counter.first_row(); i < track.counter.end_row(); ++i) {
      const CounterSample sample = track.counter.sample(i);
      std::ostringstream line;
      line << ns_from(sample.at + shift) << ' ' << sample.value;
      lines.push_back(line.str());
    }
  }
  return lines;
}

TrackId group_named(const Trace& trace, const std::string& name) {
  for (const Track& track : trace.tracks()) {
    if (track.info.kind == TrackKind::kGroup && track.info.name == name) return track.info.id;
  }
  return kNoTrack;
}

TEST(ProcessMerger, EachProcessHasItsRowsInItsGroupAtTimesOfTheFirst) {
  const ScratchFolder folder;
  const fs::path first = folder / "a.runahead", second = folder / "b.runahead", out = folder / "out.runahead";
  write_random(first, process(5'000'000, 0), test_seed(), 6);
  write_random(second, process(7'000'000, 1), test_seed() + 1, 6);
  const auto merger = ProcessMerger::create(out).value();
  ASSERT_TRUE(merger->add(first).ok());
  ASSERT_TRUE(merger->add(second).ok());
  merge_all(*merger);
  EXPECT_TRUE(merger->problems().empty());
  const Trace a = recordings::load_recording(first).value(), b = recordings::load_recording(second).value();
  const Trace joined = recordings::load_recording(out).value();
  const TrackId rank0 = group_named(joined, "rank 0: program (1000)");
  const TrackId rank1 = group_named(joined, "rank 1: program (1001)");
  ASSERT_NE(rank0, kNoTrack);
  ASSERT_NE(rank1, kNoTrack);
  EXPECT_EQ(rows_below(joined, rank0, {}), rows_below(a, kNoTrack, {}));
  EXPECT_EQ(rows_below(joined, rank1, {}), rows_below(b, kNoTrack, Duration{2'000'000}));
  EXPECT_EQ(joined.counts().ops, a.counts().ops + b.counts().ops);
  EXPECT_EQ(joined.counts().instants, a.counts().instants + b.counts().instants);
  EXPECT_EQ(joined.counts().dependencies, a.counts().dependencies + b.counts().dependencies);
  EXPECT_EQ(joined.counts().allocations, a.counts().allocations + b.counts().allocations);
  EXPECT_EQ(joined.metadata().at("processes"), "2");
  EXPECT_EQ(joined.metadata().at("clock.origin_monotonic_ns"), "5000000");
  EXPECT_FALSE(joined.metadata().contains("pid"));
}

TEST(ProcessMerger, AnOpOfEachProcessHasAnIdOfItsOwn) {
  const ScratchFolder folder;
  const fs::path first = folder / "a.runahead", out = folder / "out.runahead";
  write_random(first, process(0), test_seed(), 4);
  const auto merger = ProcessMerger::create(out).value();
  ASSERT_TRUE(merger->add(first).ok());
  ASSERT_TRUE(merger->add(first).ok());  // the same ids twice
  merge_all(*merger);
  const Trace a = recordings::load_recording(first).value(), joined = recordings::load_recording(out).value();
  ASSERT_EQ(joined.op_count(), 2 * a.op_count());
  std::vector<std::uint64_t> ids;
  for (std::uint64_t i = 0; i < joined.op_count(); ++i) ids.push_back(raw(joined.op_row(i).id));
  std::ranges::sort(ids);
  std::vector<std::uint64_t> of_one;
  for (std::uint64_t i = 0; i < a.op_count(); ++i) of_one.push_back(raw(a.op_row(i).id));
  std::ranges::sort(of_one);
  of_one.erase(std::ranges::unique(of_one).begin(), of_one.end());
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  EXPECT_EQ(ids.size(), 2 * of_one.size());
}

TEST(ProcessMerger, WhatGrowsIsJoinedAsItGrows) {
  const ScratchFolder folder;
  const fs::path first = folder / "a.runahead", second = folder / "b.runahead";
  const fs::path live = folder / "live.runahead", later = folder / "later.runahead";
  RandomSource source_a(test_seed()), source_b(test_seed() + 1);
  const auto a = writer_of(first, process(0, 0));
  ASSERT_TRUE(a->write(source_a.next()).ok());
  const auto merger = ProcessMerger::create(live, {.gather_bytes = 0}).value();
  ASSERT_TRUE(merger->add(first).ok());
  std::unique_ptr<RecordingWriter> b;
  Timestamp watermark{};
  for (int i = 0; i < 20; ++i) {
    if (i == 5) {
      b = writer_of(second, process(0, 1));
      ASSERT_TRUE(b->write(source_b.next()).ok());
      ASSERT_TRUE(merger->add(second).ok());
    }
    ASSERT_TRUE(a->write(source_a.next()).ok());
    if (b) {
      ASSERT_TRUE(b->write(source_b.next()).ok());
    }
    ASSERT_TRUE(merger->poll().ok());
    // Complete up to the earlier of the two; but a process that comes late takes nothing back.
    Timestamp complete = recordings::load_recording(first).value().watermark();
    if (b) complete = std::min(complete, recordings::load_recording(second).value().watermark());
    complete = std::max(complete, watermark);
    watermark = recordings::load_recording(live).value().watermark();
    EXPECT_EQ(watermark, complete);
    EXPECT_FALSE(merger->ended());
  }
  ASSERT_TRUE(a->finish().ok());
  ASSERT_TRUE(b->finish().ok());
  merge_all(*merger);
  const auto again = ProcessMerger::create(later).value();
  ASSERT_TRUE(again->add(first).ok());
  ASSERT_TRUE(again->add(second).ok());
  merge_all(*again);
  const Trace one = recordings::load_recording(live).value(), two = recordings::load_recording(later).value();
  for (const char* const name : {"rank 0: program (1000)", "rank 1: program (1001)"})
    EXPECT_EQ(rows_below(one, group_named(one, name), {}), rows_below(two, group_named(two, name), {}));
  EXPECT_EQ(one.counts().ops, two.counts().ops);
  EXPECT_EQ(one.counts().instants, two.counts().instants);
  EXPECT_EQ(one.losses(), two.losses());
}

// A process with one thread, one slice, and halves of messages.
Batch batch_of_messages(const std::vector<Flow>& halves) {
  Batch batch;
  batch.strings = {"", "send"};
  TrackInfo thread;
  thread.id = TrackId{0};
  thread.name = "main";
  batch.tracks = {thread};
  Slice slice{.begin = timestamp_from_ns(0), .end = timestamp_from_ns(1000), .name = StringId{1}};
  batch.lanes = {{TrackId{0}, 0, {slice}}};
  batch.flows = halves;
  batch.watermark = timestamp_from_ns(1000);
  return batch;
}

void write_messages(const fs::path& path, const Metadata& metadata, const std::vector<Flow>& halves,
                    bool finished = true) {
  const Batch batch = batch_of_messages(halves);
  const auto writer = writer_of(finished ? path : fs::path(path.string() + ".whole"), metadata);
  ASSERT_TRUE(writer->write(batch).ok());
  if (!finished) fs::copy_file(path.string() + ".whole", path);  // as if the writer was killed
  ASSERT_TRUE(writer->finish().ok());
}

Flow half(std::uint64_t id, bool leaves, std::int64_t ns) {
  Flow flow;
  flow.message = id;
  (leaves ? flow.from_track : flow.to_track) = TrackId{0};
  flow.from_time = flow.to_time = timestamp_from_ns(ns);
  if (leaves) flow.name = StringId{1};
  return flow;
}

TEST(ProcessMerger, MessagesBecomeArrowsAndWhatHasNoPartnerIsCounted) {
  const ScratchFolder folder;
  const fs::path first = folder / "a.runahead", second = folder / "b.runahead", out = folder / "out.runahead";
  write_messages(first, process(0, 0), {half(1, true, 100), half(2, false, 900), half(3, true, 950)});
  write_messages(second, process(500, 1), {half(1, false, 50), half(2, true, 60)});
  const auto merger = ProcessMerger::create(out).value();
  ASSERT_TRUE(merger->add(second).ok());  // the reference: its time 0 is 500 ns after that of rank 0
  ASSERT_TRUE(merger->add(first).ok());
  merge_all(*merger);
  const Trace joined = recordings::load_recording(out).value();
  ASSERT_EQ(joined.flow_count(), 3u);
  EXPECT_EQ(joined.losses().of(LossCause::kUnboundFlow), 1u);
  std::vector<std::string> arrows;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Flow flow = joined.flow(i);
    if (flow.is_half()) continue;
    const TrackInfo from = joined.track(flow.from_track).info, to = joined.track(flow.to_track).info;
    arrows.push_back(joined.track(from.parent).info.name + " -> " + joined.track(to.parent).info.name + " " +
                     std::to_string(ns_from(flow.from_time)) + ".." + std::to_string(ns_from(flow.to_time)));
    EXPECT_EQ(joined.string(flow.name), "send");
  }
  std::ranges::sort(arrows);
  EXPECT_EQ(arrows, (std::vector<std::string>{"rank 0: program (1000) -> rank 1: program (1001) -400..50",
                                              "rank 1: program (1001) -> rank 0: program (1000) 60..400"}));
}

TEST(ProcessMerger, AProcessThatWasKilledKeepsWhatItHasWritten) {
  const ScratchFolder folder;
  const fs::path first = folder / "a.runahead", second = folder / "b.runahead", out = folder / "out.runahead";
  write_messages(first, process(0, 0), {}, false);
  write_messages(second, process(0, 1), {});
  const auto merger = ProcessMerger::create(out).value();
  ASSERT_TRUE(merger->add(first).ok());
  ASSERT_TRUE(merger->add(second).ok());
  merge_all(*merger);
  EXPECT_EQ(recordings::load_recording(out).value().counts().slices, 2u);
  EXPECT_EQ(recordings::load_recording(out).value().metadata().at("recording.ended"), "yes");
}

TEST(ProcessMerger, AClockOfAnotherMachineIsSaidToBeUnknown) {
  const ScratchFolder folder;
  const fs::path first = folder / "a.runahead", second = folder / "b.runahead", out = folder / "out.runahead";
  write_messages(first, process(0, 0), {});
  Metadata other = process(0, 1);
  other["clock.boot"] = "another machine";
  write_messages(second, other, {});
  const auto merger = ProcessMerger::create(out).value();
  ASSERT_TRUE(merger->add(first).ok());
  ASSERT_TRUE(merger->add(second).ok());
  merge_all(*merger);
  const Trace joined = recordings::load_recording(out).value();
  EXPECT_NE(group_named(joined, "rank 1: program (1001), clock unknown"), kNoTrack);
  EXPECT_EQ(joined.metadata().at("process.1.clock"), "unknown");
}

// The clock of another machine gains 200 us per second, which shows only while the recordings grow.
TEST(ProcessMerger, RoundTripsCorrectAClockWhileTheRecordingGrows) {
  constexpr std::int64_t kOneSecond = 1'000'000'000, kTripNs = 100'000;
  const std::int64_t begin_ns = monotonic_ns() - 60 * kOneSecond;
  const auto gained = [](std::int64_t ns) { return ns + ns / 5000; };  // their time after `ns` of our time
  const auto trip = [&](std::int64_t at_ns) {
    return link::RoundTrip{{begin_ns + at_ns - kTripNs, 0},
                           {7000 * kOneSecond + gained(at_ns), 0},
                           {begin_ns + at_ns + kTripNs, 0}};
  };
  const ScratchFolder folder;
  const fs::path first = folder / "a.runahead", second = folder / "b.runahead", out = folder / "out.runahead";
  Metadata here = process(begin_ns, 0);
  here["clock.boot"] = boot_id();
  write_messages(first, here, {});
  Metadata other = process(7000 * kOneSecond, 1);
  other["clock.boot"] = "another machine";
  other["host"] = "server";
  const auto writer = writer_of(second, other);
  ASSERT_TRUE(writer->write(batch_of_messages({half(1, true, kOneSecond)})).ok());
  const auto merger = ProcessMerger::create(out).value();
  ASSERT_TRUE(merger->add(first).ok());
  ASSERT_TRUE(merger->add(second, {.clock = {}, .trips = {trip(0), trip(1000)}, .writer_lives = {}}).ok());
  ASSERT_TRUE(merger->poll().ok());
  const ProcessClock at_first = merger->processes()[1].clock;
  EXPECT_EQ(at_first.source, ClockSource::kRoundTrips);
  EXPECT_GT(at_first.aligned.error_ns, 12'000'000) << "60 s after the last round trip";
  std::vector<link::RoundTrip> later;
  for (int i = 1; i <= 60; ++i) later.push_back(trip(i * kOneSecond));
  merger->add_trips(1, later);
  const std::int64_t late_ns = 62 * kOneSecond;  // two seconds after now
  Batch last;
  last.flows = {half(2, true, gained(late_ns))};
  ASSERT_TRUE(writer->write(last).ok());
  ASSERT_TRUE(writer->finish().ok());
  merge_all(*merger);
  const ProcessClock at_last = merger->processes()[1].clock;
  EXPECT_GT(at_last.aligned.error_ns, 11'000'000);  // 60 s without a correction, now with a known drift
  EXPECT_LT(at_last.aligned.error_ns, 13'000'000);
  EXPECT_NEAR(at_last.aligned.map.drift, -0.0002, 0.00001);
  const Trace joined = recordings::load_recording(out).value();
  ASSERT_EQ(joined.flow_count(), 2u);
  std::vector<std::int64_t> times{ns_from(joined.flow(0).from_time), ns_from(joined.flow(1).from_time)};
  std::ranges::sort(times);
  EXPECT_NEAR(static_cast<double>(times[0]), kOneSecond, 2.0 * kTripNs);  // before the correction
  EXPECT_NEAR(static_cast<double>(times[1]), late_ns, 2.0 * kTripNs);
  EXPECT_EQ(joined.metadata().at("process.1.clock"), "round trips");
  EXPECT_EQ(joined.metadata().at("process.1.clock_error_ns"), std::to_string(at_last.aligned.error_ns));
  EXPECT_NE(group_named(joined, "rank 1: program (1001), \xc2\xb1 " +
                                    format_duration(Duration{at_last.aligned.error_ns}) + " on server"),
            kNoTrack);
}

std::uint64_t refused_blocks(const fs::path& recording) {
  const auto follower = link::FileFollower::open(recording).value();
  while (!follower->ended()) EXPECT_TRUE(follower->poll().ok());
  return follower->reader().trace().losses().of(LossCause::kFileUnknown);
}

// A damaged recording may say anything. What can be read is joined, and the joined recording opens.
TEST(ProcessMerger, DamagedRecordingsAreJoinedAsFarAsTheyCanBeRead) {
  const ScratchFolder folder;
  const fs::path good = folder / "good.runahead", bad = folder / "bad.runahead",
                 out = folder / "out.runahead";
  write_random(good, process(0, 0), test_seed(), 4);
  const std::string bytes = file_bytes(good);
  Random random;
  for (int round = 0; round < rounds(100, 20); ++round) {
    std::string damaged = bytes;
    for (std::int64_t i = random.integer(1, 20); i > 0; --i) {
      const auto at =
          static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(bytes.size()) - 1));
      damaged[at] = static_cast<char>(random.integer(0, 255));
    }
    std::ofstream(bad, std::ios::binary) << damaged;
    const auto merger = ProcessMerger::create(out).value();
    ASSERT_TRUE(merger->add(good).ok());
    const bool added = merger->add(bad).ok();  // false: the first bytes are damaged
    merge_all(*merger);
    const Result<Trace> joined = recordings::load_recording(out);
    ASSERT_TRUE(joined.ok()) << joined.error().message;
    EXPECT_EQ(joined->metadata().at("processes"), added ? "2" : "1");
    // Blocks of the damaged recording may be refused, but none of the joined one.
    const std::uint64_t refused = added ? refused_blocks(bad) : 0;
    EXPECT_EQ(joined->losses().of(LossCause::kFileUnknown), refused);
    EXPECT_EQ(joined->metadata().at("recording.ended"), "yes");
  }
}

TEST(ProcessMerger, AFileThatIsNoRecordingIsRefused) {
  const ScratchFolder folder;
  std::ofstream(folder / "text.runahead") << "this is no recording, but a text of some length";
  const auto merger = ProcessMerger::create(folder / "out.runahead").value();
  const Status added = merger->add(folder / "text.runahead");
  ASSERT_FALSE(added.ok());
  EXPECT_NE(added.error().message.find("text.runahead"), std::string::npos);
  EXPECT_FALSE(merger->add(folder / "missing.runahead").ok());
}

}  // namespace
}  // namespace runahead::merge
