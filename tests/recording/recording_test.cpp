#include "instrumentation/recording/recording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/recording_index.h"
#include "tests/recording/random_batches.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::recordings {
using namespace trace;
using namespace files;
using namespace importers;
namespace {

using namespace runahead::testing;

const WriterOptions kEachBatch{.gather_bytes = 0};

// Writes `count` random batches to a recording, and appends the same batches to `live`.
void record(const std::filesystem::path& path, std::uint64_t seed, int count, const WriterOptions& options,
            Trace& live) {
  RandomSource source(seed);
  auto writer = RecordingWriter::create(path, {{"host", "a\nb"}}, options);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  for (int i = 0; i < count; ++i) {
    Batch batch = source.next();
    ASSERT_TRUE((*writer)->write(batch).ok());
    live.append(std::move(batch));
  }
  ASSERT_TRUE((*writer)->finish().ok());
  EXPECT_EQ((*writer)->bytes_written(), std::filesystem::file_size(path));
}

TEST(Recording, WhatIsWrittenIsWhatIsRead) {
  const ScratchFolder folder;
  for (std::uint64_t round = 0; round < 20; ++round) {
    Trace live;
    const bool each = round % 2 == 0;
    record(folder / "a.runahead", test_seed() + round, 30, each ? kEachBatch : WriterOptions{}, live);
    const auto loaded = load_recording(folder / "a.runahead");
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    ASSERT_EQ(rows_text(*loaded), rows_text(live)) << "round " << round;
    EXPECT_EQ(loaded->metadata().at("host"), "a\nb");
    EXPECT_EQ(loaded->metadata().at("recording.ended"), "yes");
  }
}

TEST(Recording, ASavedTraceIsTheTrace) {
  const ScratchFolder folder;
  for (std::uint64_t round = 0; round < 10; ++round) {
    RandomSource source(test_seed() + round);
    Trace live;
    for (int i = 0; i < 20; ++i) live.append(source.next());
    live.set_metadata("workload", "increment");
    const Status saved = save_recording(live, folder / "a.runahead");
    ASSERT_TRUE(saved.ok()) << saved.error().message;
    const auto loaded = load_any(folder / "a.runahead");
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    ASSERT_EQ(rows_text(*loaded), rows_text(live));
    EXPECT_EQ(loaded->metadata().at("workload"), "increment");
  }
}

TEST(Recording, TheHalvesOfMessagesComeBack) {
  constexpr std::uint64_t kId = UINT64_MAX - 5;
  const ScratchFolder folder;
  TraceBuilder builder;
  builder.track("main").slice("sends", 0_ns, 50_ns).slice("receives", 60_ns, 30_ns);
  builder.flow(FlowKind::kOther, "main", 10_ns, "main", 70_ns);
  builder.message_out("main", 20_ns, kId, "token").message_in("main", 80_ns, kId);
  const Trace trace = builder.build();
  ASSERT_TRUE(save_recording(trace, folder / "a.runahead").ok());
  const auto loaded = load_recording(folder / "a.runahead");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  ASSERT_EQ(rows_text(*loaded), rows_text(trace));
  EXPECT_FALSE(loaded->flow(0).is_half());
  EXPECT_EQ(loaded->flow(0).message, 0u);
  EXPECT_TRUE(loaded->flow(1).is_half() && loaded->flow(2).is_half());
  EXPECT_EQ(loaded->flow(1).message, kId);
  EXPECT_EQ(loaded->flow(1).to_track, kNoTrack);
  EXPECT_EQ(loaded->flow(2).message, kId);
  EXPECT_EQ(loaded->flow(2).from_track, kNoTrack);
}

// Readers that do not know the column then read the file, too.
TEST(Recording, FlowsWithoutMessagesAreWrittenWithoutTheirColumn) {
  Flow flow{.from_track = TrackId{0},
            .to_track = TrackId{0},
            .from_time = timestamp_from_ns(10),
            .to_time = timestamp_from_ns(70)};
  const std::string without = encode_flows(std::span(&flow, 1)).bytes;
  flow.message = 1;
  const std::string with = encode_flows(std::span(&flow, 1)).bytes;
  EXPECT_GT(with.size(), without.size());
  EXPECT_TRUE(with.starts_with(without)) << "the column is not at the end";
  for (const std::string& payload : {without, with}) {
    std::vector<Flow> back;
    ASSERT_TRUE(decode_flows(payload, back));
    ASSERT_EQ(back.size(), 1u);
    EXPECT_EQ(back[0].message, payload == with ? 1u : 0u);
  }
}

TEST(Recording, AnEmptyTraceIsSavedAndOpened) {
  const ScratchFolder folder;
  ASSERT_TRUE(save_recording(Trace{}, folder / "empty.runahead").ok());
  const auto loaded = load_recording(folder / "empty.runahead");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->counts().tracks, 0u);
}

TEST(Recording, AFirstStringThatIsEmptyKeepsItsIdWhicheverWayItIsHandedOver) {
  for (const bool empty_first : {false, true}) {
    const ScratchFolder folder;
    auto writer = RecordingWriter::create(folder / "a.runahead", {});
    Batch batch;
    if (empty_first) batch.strings.emplace_back();
    batch.strings.emplace_back("one");
    ASSERT_TRUE((*writer)->write(batch).ok());
    ASSERT_TRUE((*writer)->finish().ok());
    const auto loaded = load_recording(folder / "a.runahead");
    EXPECT_EQ(loaded->string(StringId{0}), "");
    EXPECT_EQ(loaded->string(StringId{1}), "one");
  }
}

TEST(Recording, FinishMakesOpenSlicesUnfinishedOnes) {
  const ScratchFolder folder;
  auto writer = RecordingWriter::create(folder / "a.runahead", {});
  const Batch batch = TraceBuilder{}
                          .track("main", TrackKind::kFrontend)
                          .slice("done", 0_ns, 10_ns)
                          .open_slice("waits", 20_ns, SliceKind::kWait)
                          .op(OpId{7}, "matmul", {.enqueued = 5_ns})
                          .watermark(50_ns)
                          .batch();
  ASSERT_TRUE((*writer)->write(batch).ok());
  ASSERT_TRUE((*writer)->finish().ok());
  const auto loaded = load_recording(folder / "a.runahead");
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->counts().slices, 2u);
  const Slice slice = loaded->tracks()[0].lanes[0].slice(1);
  EXPECT_EQ(slice.begin, at(20_ns));
  EXPECT_EQ(slice.end, at(50_ns));
  EXPECT_EQ(slice.flags, kSliceUnfinished);
  EXPECT_TRUE(loaded->open_slices().empty());
  ASSERT_EQ(loaded->open_ops().size(), 1u);
  EXPECT_EQ(loaded->open_ops()[0].enqueued, at(5_ns));
}

TEST(Recording, SmallBatchesAreGatheredIntoFewBlocks) {
  const ScratchFolder folder;
  WriterOptions patient;
  patient.gather_time = std::chrono::hours(1);
  Trace live, live_again;
  record(folder / "many.runahead", test_seed(), 200, kEachBatch, live);
  record(folder / "few.runahead", test_seed(), 200, patient, live_again);
  const std::string many = file_bytes(folder / "many.runahead"), few = file_bytes(folder / "few.runahead");
  EXPECT_LT(few.size() * 10, many.size() * 9);
  const auto count = [](const std::string& bytes) {
    return read_recording_index(as_bytes(bytes))->blocks.size();
  };
  EXPECT_LT(count(few) * 5, count(many));
}

TEST(Recording, FlushPutsWhatIsGatheredIntoTheFile) {
  const ScratchFolder folder;
  WriterOptions patient;
  patient.gather_time = std::chrono::hours(1);
  auto writer = RecordingWriter::create(folder / "a.runahead", {}, patient);
  ASSERT_TRUE((*writer)->write(TraceBuilder{}.track("main").slice("a", 0_ns, 1_ns).batch()).ok());
  EXPECT_EQ(load_recording(folder / "a.runahead")->counts().slices, 0u);
  ASSERT_TRUE((*writer)->flush().ok());
  EXPECT_EQ(load_recording(folder / "a.runahead")->counts().slices, 1u);
}

TEST(Recording, TheFooterNamesEveryBlockAndCanBeBuiltAgain) {
  const ScratchFolder folder;
  Trace live;
  record(folder / "a.runahead", test_seed(), 50, kEachBatch, live);
  const std::string whole = file_bytes(folder / "a.runahead");
  const auto from_footer = read_recording_index(as_bytes(whole));
  ASSERT_TRUE(from_footer.ok());
  EXPECT_TRUE(from_footer->from_footer);
  const auto rebuilt = read_recording_index(as_bytes(std::string_view(whole).substr(0, whole.size() - 1)));
  ASSERT_TRUE(rebuilt.ok());
  EXPECT_FALSE(rebuilt->from_footer);
  EXPECT_EQ(from_footer->blocks, rebuilt->blocks);
  std::uint64_t slices = 0;
  for (const IndexEntry& entry : rebuilt->blocks) {
    if (entry.kind == BlockKind::kSlices) slices += entry.rows.rows;
  }
  EXPECT_EQ(slices, live.counts().slices);
}

TEST(Recording, ManyRowsOfOneLaneComeBackInOrder) {
  const ScratchFolder folder;
  Batch batch;
  batch.strings = {"", "tick"};
  batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
  LaneRows lane{TrackId{0}, 0, {}};
  for (std::int64_t i = 0; i < 300'000; ++i) {
    lane.rows.push_back({timestamp_from_ns(10 * i), timestamp_from_ns(10 * i + 10), StringId{1}});
  }
  batch.lanes.push_back(lane);
  auto writer = RecordingWriter::create(folder / "a.runahead", {});
  ASSERT_TRUE((*writer)->write(batch).ok());
  ASSERT_TRUE((*writer)->finish().ok());
  const auto loaded = load_recording(folder / "a.runahead");
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Lane& read = loaded->tracks()[0].lanes[0];
  ASSERT_EQ(read.size(), lane.rows.size());
  for (std::uint64_t i = 0; i < read.size(); ++i) ASSERT_EQ(read.slice(i), lane.rows[i]);
  // Equal slices must take only a few bits each. The decoded rows are much larger than the file, but the
  // reader must not refuse the file for that.
  EXPECT_LT(std::filesystem::file_size(folder / "a.runahead"), 300'000u / 4);
}

// The trace in this test is like a trace from a file whose slices were never closed. All slices overlap, so
// each slice has its own lane. All lanes are equal and compress very well. Nevertheless the reader must not
// refuse the recording.
TEST(Recording, ManySlicesAtOneMomentKeepALaneEach) {
  constexpr std::uint32_t kMany = rounds(300'000);
  Batch batch;
  batch.strings = {"", "a"};
  batch.tracks.push_back({.id = TrackId{0}, .kind = TrackKind::kThread, .name = "t"});
  for (std::uint32_t depth = 0; depth < kMany; ++depth)
    batch.lanes.push_back({TrackId{0}, depth, {{timestamp_from_ns(0), timestamp_from_ns(5), StringId{1}}}});
  batch.watermark = timestamp_from_ns(5);
  Trace trace;
  trace.append(std::move(batch));
  const ScratchFolder folder;
  ASSERT_TRUE(save_recording(trace, folder / "a.runahead").ok());
  const Result<Trace> read = load_recording(folder / "a.runahead");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->counts().slices, kMany);
  EXPECT_TRUE(read->losses().none());
}

TEST(Recording, EqualSlicesByTheMillionStayWithinWhatAReaderAccepts) {
  const ScratchFolder folder;
  auto writer = RecordingWriter::create(folder / "a.runahead", {});
  Batch batch;
  batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
  ASSERT_TRUE((*writer)->write(batch).ok());
  std::int64_t t = 0;
  // The columns of the two million slices have 24 MB: six bytes for each gap between slices, and six bytes
  // for each duration. zstd compresses these columns to almost nothing.
  constexpr int kRounds = 20, kRows = 100'000;
  constexpr std::int64_t kStepNs = std::int64_t{1} << 36;
  for (int round = 0; round < kRounds; ++round) {
    Batch rows;
    rows.lanes.push_back({TrackId{0}, 0, {}});
    for (int i = 0; i < kRows; ++i, t += 2 * kStepNs) {
      rows.lanes[0].rows.push_back({timestamp_from_ns(t), timestamp_from_ns(t + kStepNs)});
    }
    ASSERT_TRUE((*writer)->write(rows).ok());
  }
  ASSERT_TRUE((*writer)->finish().ok());
  const auto loaded = load_recording(folder / "a.runahead");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->counts().slices, std::uint64_t{kRounds} * kRows);
  EXPECT_TRUE(loaded->losses().none());
}

// Order-0 entropy of a column in bytes. This is the size that a coder can reach if it knows the frequency of
// each value, but not the order of the values.
template <typename Field>
double entropy_bytes(const std::vector<Slice>& rows, Field field) {
  std::map<std::int64_t, std::size_t> counts;
  for (std::size_t i = 0; i < rows.size(); ++i) ++counts[field(i)];
  double bits = 0;
  for (const auto& [value, count] : counts) {
    bits +=
        static_cast<double>(count) * std::log2(static_cast<double>(rows.size()) / static_cast<double>(count));
  }
  return bits / 8;
}

TEST(Recording, ColumnsTakeLittleMoreThanTheirEntropy) {
  const ScratchFolder folder;
  std::mt19937_64 random(1);
  Batch batch;
  batch.strings = {"", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};
  batch.tracks = {{.id = TrackId{0}, .kind = TrackKind::kThread, .name = "t"}};
  std::vector<Slice> rows;
  Timestamp at{};
  for (int i = 0; i < 200'000; ++i) {
    const Timestamp begin = at + Duration{static_cast<std::int64_t>(random() % 10'000)};
    at = begin + Duration{static_cast<std::int64_t>(random() % 10'000)};
    rows.push_back(
        {.begin = begin, .end = at, .name = StringId{static_cast<std::uint32_t>(1 + random() % 14)}});
  }
  const double entropy =
      entropy_bytes(rows, [&](std::size_t i) { return ns_from(rows[i].end - rows[i].begin); }) +
      entropy_bytes(rows, [&](std::size_t i) { return raw(rows[i].name); }) +
      entropy_bytes(rows, [&](std::size_t i) {
        return ns_from(rows[i].begin) - (i == 0 ? 0 : ns_from(rows[i - 1].end));
      });
  batch.lanes = {{TrackId{0}, 0, rows}};
  batch.watermark = at;
  Trace varied;
  varied.append(Batch(batch));
  ASSERT_TRUE(save_recording(varied, folder / "varied.runahead").ok());
  const auto bytes_of = [&](const char* file) {
    return static_cast<double>(std::filesystem::file_size(folder / file));
  };
  EXPECT_LE(bytes_of("varied.runahead"), 1.05 * entropy);

  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Timestamp begin{Duration{static_cast<std::int64_t>(i) * 1000}};
    rows[i] = {.begin = begin, .end = begin + Duration{700}, .name = StringId{1}};
  }
  batch.lanes = {{TrackId{0}, 0, rows}};
  Trace repetitive;
  repetitive.append(std::move(batch));
  ASSERT_TRUE(save_recording(repetitive, folder / "repetitive.runahead").ok());
  EXPECT_LE(bytes_of("repetitive.runahead"), 0.3 * static_cast<double>(rows.size()));
}

TEST(Recording, ATrackMayBeDescribedAnew) {
  const ScratchFolder folder;
  auto writer = RecordingWriter::create(folder / "a.runahead", {}, kEachBatch);
  Batch batch;
  batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kThread, .name = "thread 17"});
  ASSERT_TRUE((*writer)->write(batch).ok());
  batch.tracks[0].name = "main";
  batch.tracks[0].kind = TrackKind::kFrontend;
  ASSERT_TRUE((*writer)->write(batch).ok());
  ASSERT_TRUE((*writer)->finish().ok());
  const auto loaded = load_recording(folder / "a.runahead");
  ASSERT_EQ(loaded->tracks().size(), 1u);
  EXPECT_EQ(loaded->tracks()[0].info, batch.tracks[0]);
}

TEST(Recording, LoadingAndSavingCanBeCancelled) {
  const ScratchFolder folder;
  Trace live;
  RandomSource source(test_seed());
  for (int i = 0; i < 20; ++i) live.append(source.next());
  const Status saved = save_recording(live, folder / "a.runahead", [](double) { return false; });
  ASSERT_FALSE(saved.ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace runahead::recordings
