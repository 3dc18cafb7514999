// Tests recordings that are opened by their index. A reader with the index loads each chunk separately. It
// must get the same rows as a reader that reads all blocks in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/recording_index.h"
#include "instrumentation/trace/fold.h"
#include "tests/recording/random_batches.h"
#include "tests/recording/recording_of.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::recordings {
using namespace trace;
namespace {

using namespace runahead::testing;

using Runs = std::vector<Run>;  // in a test, `Run` alone means a member of testing::Test
constexpr OpenOptions kSmallest{.memory_bytes = 1};

// A recording with lanes that get few rows, and lanes that get thousands of rows in a batch.
std::string random_recording(std::uint64_t seed, int batches, std::int64_t most_rows,
                             const WriterOptions& options) {
  const ScratchFolder folder;
  RandomSource source(seed, most_rows);
  auto writer = RecordingWriter::create(folder / "a.runahead", {{"host", "here"}}, options);
  for (int i = 0; i < batches; ++i) EXPECT_TRUE((*writer)->write(source.next()).ok());
  EXPECT_TRUE((*writer)->finish().ok());
  return file_bytes(folder / "a.runahead");
}

// One lane of `rows` slices that are all different.
std::string one_lane(std::int64_t rows) {
  Random random;
  Batch batch;
  batch.strings = {"", "a", "b", "c"};
  batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
  batch.lanes.push_back({TrackId{0}, 0, {}});
  Timestamp t{};
  for (std::int64_t i = 0; i < rows; ++i) {
    t += Duration{random.magnitude(3000)};
    Slice slice{t, t + Duration{random.magnitude(2000)},
                StringId{static_cast<std::uint32_t>(random.integer(1, 3))}};
    slice.op = OpId{static_cast<std::uint64_t>(i + 1)};
    batch.lanes[0].rows.push_back(slice);
    t = slice.end;
  }
  batch.watermark = t;
  return recording_of(batch);
}

const Lane& lane_of(const Trace& trace) { return trace.tracks()[0].lanes[0]; }

std::uint64_t lanes_in_file(const Trace& trace) {
  std::uint64_t count = 0;
  for (const Track& track : trace.tracks()) {
    for (const Lane& lane : track.lanes) count += lane.in_file() ? 1 : 0;
  }
  return count;
}

TEST(OpenRecording, WhatIsLoadedByThePieceIsWhatReadingEverythingGives) {
  for (int round = 0; round < rounds(8, 4); ++round) {
    const WriterOptions options = round % 2 == 0 ? WriterOptions{.gather_bytes = 0} : WriterOptions{};
    const std::string file = random_recording(test_seed() + static_cast<std::uint64_t>(round), 40,
                                              round % 4 < 2 ? 20 : rounds(5000, 2000), options);
    const auto read = read_recording(as_bytes(file));
    for (const std::size_t memory : {std::size_t{1}, std::size_t{64} << 10, std::size_t{1} << 30}) {
      const auto opened = open_recording_bytes(file, {.memory_bytes = memory});
      ASSERT_TRUE(opened.ok()) << opened.error().message;
      ASSERT_NE(opened->store(), nullptr) << "it was read in order";
      EXPECT_TRUE(round % 4 < 2 || lanes_in_file(*opened) > 3);
      ASSERT_EQ(rows_text(*opened), rows_text(*read)) << "round " << round;
      EXPECT_EQ(opened->metadata(), read->metadata());
      EXPECT_EQ(opened->extent(), read->extent());
      EXPECT_EQ(opened->counts().slices, read->counts().slices);
    }
  }
}

TEST(OpenRecording, EveryQuestionToALaneHasTheSameAnswer) {
  const std::string file = one_lane(12'000);
  const auto read = read_recording(as_bytes(file));
  const auto opened = open_recording_bytes(file, kSmallest);
  const Lane &whole = lane_of(*read), &lane = lane_of(*opened);
  ASSERT_TRUE(lane.in_file());
  ASSERT_EQ(lane.size(), whole.size());
  Random random;
  const std::int64_t end_ns = ns_from(read->extent().end);
  for (int i = 0; i < 500; ++i) {
    const Timestamp t = timestamp_from_ns(random.integer(-10, end_ns + 10));
    ASSERT_EQ(lane.first_row_ending_after(t), whole.first_row_ending_after(t));
    ASSERT_EQ(lane.first_row_beginning_from(t), whole.first_row_beginning_from(t));
    const auto a = static_cast<std::uint64_t>(random.integer(0, 11'998));
    const auto b = static_cast<std::uint64_t>(random.integer(static_cast<std::int64_t>(a) + 1, 12'000));
    ASSERT_EQ(lane.busy(a, b), whole.busy(a, b));
    ASSERT_EQ(lane.longest_row(a, b), whole.longest_row(a, b));
    ASSERT_EQ(lane.begin(a), whole.begin(a));
    ASSERT_EQ(lane.end(a), whole.end(a));
    ASSERT_EQ(lane.next_of_kinds(kinds_of(SliceKind::kWait), a, b), b);
    ASSERT_EQ(lane.next_of_kinds(kinds_of(SliceKind::kZone), a, b), a);
  }
}

TEST(OpenRecording, OpeningReadsNoRowsAndStaysWithinItsMemory) {
  const std::string file = one_lane(200'000);
  const std::size_t limit = 100'000;
  const auto opened = open_recording_bytes(file, {.memory_bytes = limit});
  ASSERT_NE(opened->store(), nullptr);
  EXPECT_EQ(opened->store()->stats().loads, 0u);
  EXPECT_EQ(opened->counts().slices, 200'000u);
  for (std::uint64_t row = 0; row < 200'000; row += 300) {
    (void)lane_of(*opened).slice(row);
    ASSERT_LE(opened->store()->stats().used_bytes, limit);
  }
  EXPECT_GT(opened->store()->stats().loads, 0u);
}

TEST(OpenRecording, SeveralThreadsReadSnapshotsWhileBlocksAreLetGo) {
  const std::string file = one_lane(60'000);
  const auto read = read_recording(as_bytes(file));
  const auto opened = open_recording_bytes(file, {.memory_bytes = 60'000});
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t, trace = opened->snapshot()] {
      Random random(test_seed() + static_cast<std::uint64_t>(t));
      for (int i = 0; i < 300; ++i) {
        const auto row = static_cast<std::uint64_t>(random.integer(0, 59'999));
        if (lane_of(trace).slice(row) != lane_of(*read).slice(row)) ++wrong;
        trace.store()->begin_view();
        Runs runs;
        fold_lane(lane_of(trace), trace.extent(), 1000, 2, runs);
        while (trace.store()->load_wanted()) {
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

// ---- folding ---------------------------------------------------------------------------------------------

// Each row that overlaps the range must be in exactly one run (rows that are drawn together). The begin, end
// and busy time of each run must be exact.
void expect_covers(const Trace& whole, TimeRange range, const Runs& runs) {
  const Lane& lane = lane_of(whole);
  const std::uint64_t first =
      std::min(lane.first_row_ending_after(range.begin), lane.first_row_beginning_from(range.begin));
  const std::uint64_t last = lane.first_row_beginning_from(range.end);
  if (first == last) return;
  ASSERT_FALSE(runs.empty());
  EXPECT_LE(runs.front().first_row, first);
  EXPECT_GE(runs.back().first_row + runs.back().row_count, last);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    ASSERT_EQ(run.begin, lane.begin(run.first_row));
    ASSERT_EQ(run.end, lane.end(run.first_row + run.row_count - 1));
    ASSERT_EQ(run.busy, lane.busy(run.first_row, run.first_row + run.row_count));
    ASSERT_EQ(run.longest_row, lane.longest_row(run.first_row, run.first_row + run.row_count));
    ASSERT_EQ(run.longest, look_of(lane.slice(run.longest_row)));
    if (i > 0) {
      ASSERT_EQ(run.first_row, runs[i - 1].first_row + runs[i - 1].row_count);
    }
  }
}

TEST(OpenRecording, AFoldNeverWaitsAndBecomesAsFineAsThePixelsOnceItsWishesAreLoaded) {
  const std::string file = one_lane(100'000);
  const auto read = read_recording(as_bytes(file));
  const auto opened = open_recording_bytes(file);
  Random random;
  const std::int64_t end_ns = ns_from(read->extent().end);
  Runs runs, exact;
  for (int i = 0; i < 60; ++i) {
    const std::int64_t a = random.integer(0, end_ns - 2),
                       length = std::max<std::int64_t>(1, random.magnitude(end_ns - a));
    const TimeRange range{timestamp_from_ns(a), timestamp_from_ns(a + length)};
    opened->store()->set_limit_bytes(0);  // now no block is in memory
    opened->store()->set_limit_bytes(std::size_t{1} << 30);
    for (int pass = 0; pass < 4; ++pass) {
      opened->store()->begin_view();
      const std::uint64_t loads = opened->store()->stats().loads;
      fold_lane(lane_of(*opened), range, 1000, 2, runs);
      ASSERT_EQ(opened->store()->stats().loads, loads) << "the fold waited for a block";
      expect_covers(*read, range, runs);
      load_all_wanted(*opened);
    }
    EXPECT_EQ(opened->store()->stats().wanted, 0u);
    fold_lane(lane_of(*read), range, 1000, 2, exact);
    // In both folds, the same slices must be drawn alone (as a run of one slice). Checks only slices that are
    // at least 2 px wide.
    const auto alone = [](const Runs& all, Duration span) {
      std::vector<std::uint64_t> rows;
      for (const auto& run : all) {
        EXPECT_FALSE(run.coarse);
        if (run.row_count == 1 && run.end - run.begin >= span) rows.push_back(run.first_row);
      }
      return rows;
    };
    const Duration span{length * 2 / 1000 + 1};
    EXPECT_EQ(alone(runs, span), alone(exact, span));
  }
}

// A lane of bursts of adjacent slices, with a pause after each burst.
std::string bursts(int count, int slices) {
  Batch batch;
  batch.strings = {"", "a"};
  batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
  batch.lanes.push_back({TrackId{0}, 0, {}});
  Timestamp t{};
  for (int burst = 0; burst < count; ++burst) {
    for (int i = 0; i < slices; ++i, t += Duration{100})
      batch.lanes[0].rows.push_back({t, t + Duration{90 - burst % 7}, StringId{1}});
    t += Duration{1'000'000 + burst};
  }
  batch.watermark = t;
  return recording_of(batch);
}

TEST(OpenRecording, PausesBetweenBurstsAreSeenWithoutKeepingTheRows) {
  constexpr int kBursts = 700, kSlices = 300;
  const std::string file = bursts(kBursts, kSlices);
  const auto read = read_recording(as_bytes(file));
  const auto opened = open_recording_bytes(file);
  Runs runs;
  do {
    load_all_wanted(*opened);
    opened->store()->begin_view();
    fold_lane(lane_of(*opened), opened->extent(), 2000, 2, runs);
  } while (opened->store()->stats().wanted > 0);
  expect_covers(*read, read->extent(), runs);
  const Duration span = read->extent().duration() * 2 / 2000;
  ASSERT_LT(span, Duration{1'100'000});
  int pauses = 0;
  for (std::size_t i = 1; i < runs.size(); ++i)
    pauses += runs[i].begin - runs[i - 1].end >= Duration{1'000'000} ? 1 : 0;
  EXPECT_EQ(pauses, kBursts - 1);
  EXPECT_LT(opened->store()->stats().used_bytes, std::size_t{kBursts} * kSlices * 5)
      << "rows stayed in memory";
}

TEST(FineLod, SaysWhatItsRowsSayAndIsCutAtWideGapsAndSlices) {
  Random random;
  std::vector<Slice> rows;
  Timestamp t{};
  for (std::size_t i = 0; i < kBlockRows; ++i) {
    t += Duration{random.integer(0, 50) == 0 ? random.integer(0, 100'000) : 10};
    rows.push_back({t, t + Duration{random.integer(0, 50) == 0 ? random.integer(0, 100'000) : 20}});
    t = rows.back().end;
  }
  const FineLod fine(rows);
  const Duration wide = (rows.back().end - rows.front().begin) / FineLod::kCut + Duration{1};
  ASSERT_EQ(fine.first_row(0), 0u);
  ASSERT_EQ(fine.first_row(fine.bins().size()), kBlockRows);
  for (std::size_t c = 0; c < fine.bins().size(); ++c) {
    const std::size_t first = fine.first_row(c), last = fine.first_row(c + 1);
    ASSERT_LT(first, last);
    ASSERT_LE(last, first / FineLod::kRows * FineLod::kRows + FineLod::kRows);
    const LodBin bin = bin_of(std::span(rows).subspan(first, last - first));
    ASSERT_EQ(fine.bins().begin_ns(c), ns_from(bin.begin));
    ASSERT_EQ(fine.bins().end_ns(c), ns_from(bin.end));
    ASSERT_EQ(fine.bins().busy_ns(c, c + 1), bin.busy_ns);
    ASSERT_EQ(fine.bins().longest_ns(c), bin.longest_ns);
    ASSERT_EQ(fine.bins().longest(c).index, bin.longest_index);
    for (std::size_t i = first + 1; i < last; ++i) {
      ASSERT_LT(rows[i].begin - rows[i - 1].end, wide);
      ASSERT_LT(rows[i].duration(), wide);
    }
  }
}

TEST(OpenRecording, AViewThatNeedsMoreThanTheMemoryStopsWantingAndStaysCoarse) {
  const std::string file = one_lane(100'000);
  const auto opened = open_recording_bytes(file, {.memory_bytes = 150'000});
  const auto read = read_recording(as_bytes(file));
  Runs runs;
  const TimeRange range = opened->extent();
  std::uint64_t loads = 0;
  for (int frame = 0; frame < 50; ++frame) {
    loads = opened->store()->stats().loads;
    opened->store()->begin_view();
    fold_lane(lane_of(*opened), range, 20'000, 2, runs);
    load_all_wanted(*opened);
  }
  expect_covers(*read, range, runs);
  EXPECT_EQ(opened->store()->stats().loads, loads) << "the same blocks are loaded again and again";
  EXPECT_GT(loads, 0u);
  EXPECT_TRUE(std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run.coarse; }));
}

// ---- damage ----------------------------------------------------------------------------------------------

TEST(OpenRecording, ARecordingCutOffAtAnyByteOpensAsReadingItDoes) {
  const std::string whole = random_recording(test_seed(), 5, 3000, {.gather_bytes = 0});
  Random random;
  for (int i = 0; i < rounds(300); ++i) {
    const auto cut = static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(whole.size()) - 1));
    const std::string part = whole.substr(0, cut);
    const auto opened = open_recording_bytes(part);
    const auto read = read_recording(as_bytes(part));
    ASSERT_EQ(opened.ok(), read.ok()) << "cut at " << cut;
    if (!opened.ok()) continue;
    ASSERT_EQ(rows_text(*opened), rows_text(*read)) << "cut at " << cut;
  }
}

TEST(OpenRecording, AFlippedBitIsSeenOnceItsRowsAreAskedFor) {
  const std::string whole = random_recording(test_seed(), 12, rounds(5000, 1500), {.gather_bytes = 0});
  const std::string intact = rows_text(*read_recording(as_bytes(whole)));
  Random random;
  int unreadable = 0;
  // Some flipped bits are in blocks whose rows the file holds twice. The loop goes on until enough are not.
  for (int i = 0; i < rounds(80, 27) || (unreadable <= 3 && i < 400); ++i) {
    std::string damaged = whole;
    const auto bit =
        static_cast<std::size_t>(random.integer(128, static_cast<std::int64_t>(whole.size()) * 8 - 1));
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto opened = open_recording_bytes(damaged);
    if (!opened.ok()) continue;
    const std::string rows = rows_text(*opened);  // loads all blocks
    const std::uint64_t told = opened->losses().of(LossCause::kFileUnreadable);
    unreadable += told > 0 ? 1 : 0;
    EXPECT_TRUE(told > 0 || rows == intact || opened->store() == nullptr) << "bit " << bit;
    if (told > 0) {
      EXPECT_TRUE(opened->losses().facts_missing());
      EXPECT_EQ(opened->counts().slices, read_recording(as_bytes(whole))->counts().slices);
    }
  }
  EXPECT_GT(unreadable, 3);
}

TEST(OpenRecording, AFileThatShrinksWhileItIsOpenIsToldAndNothingEnds) {
  const ScratchFolder folder;
  write_file(folder / "a.runahead", one_lane(50'000));
  const auto opened = open_recording(folder / "a.runahead", {}, kSmallest);
  ASSERT_TRUE(opened.ok());
  ASSERT_NE(opened->store(), nullptr);
  const Slice before = lane_of(*opened).slice(20'000);
  EXPECT_GT(before.end, before.begin - Duration{1});
  std::filesystem::resize_file(folder / "a.runahead", 1000);
  const Lane& lane = lane_of(*opened);
  Timestamp end = lane.end(0);
  for (std::uint64_t row = 1; row < lane.end_row(); ++row) {
    ASSERT_GE(lane.slice(row).begin, end) << row;
    end = lane.slice(row).end;
  }
  EXPECT_EQ(opened->losses().of(LossCause::kFileUnreadable), 50'000u / 1024);
}

TEST(OpenRecording, ARecordingWithoutItsIndexIsReadAsAWhole) {
  const std::string whole = one_lane(5000);
  const auto index = read_recording_index(as_bytes(whole));
  ASSERT_TRUE(index.ok());
  // The last block that the footer names is the start of the index. A reader finds the footer by the trailer.
  // Without the last byte of the trailer, it finds no index, and reads the whole file.
  EXPECT_EQ(index->blocks.back().kind, BlockKind::kOpening);
  const auto opened = open_recording_bytes(whole.substr(0, whole.size() - 1));
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->store(), nullptr);
  EXPECT_EQ(opened->counts().slices, 5000u);
}

TEST(OpenRecording, ATraceOpenedByThePieceIsSavedWhole) {
  const ScratchFolder folder;
  const std::string file = random_recording(test_seed(), rounds(100, 30), 5000, {});
  const auto opened = open_recording_bytes(file, kSmallest);
  ASSERT_NE(opened->store(), nullptr);
  ASSERT_TRUE(save_recording(*opened, folder / "b.runahead").ok());
  const auto again = open_recording(folder / "b.runahead");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(rows_text(*again), rows_text(*read_recording(as_bytes(file))));
}

}  // namespace
}  // namespace runahead::recordings
