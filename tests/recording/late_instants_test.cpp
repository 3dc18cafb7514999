// Tests instants that arrive late: the file already has instants with later times. Such a recording can be
// opened chunk by chunk, without reading all its blocks. The opened recording has the same rows as a reader
// that reads all blocks in order.
#include <gtest/gtest.h>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/recording_index.h"
#include "instrumentation/trace/row_reader.h"
#include "tests/recording/make_late_instants.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::recordings {
using namespace trace;
namespace {

using namespace runahead::testing;

std::string recording(const LateSources& sources) {
  return bytes_written([&](const std::filesystem::path& file) { write_late_instants(sources, file); });
}

std::uint64_t count_of(const LateSources& sources) {
  return sources.rounds_late.size() * static_cast<std::uint64_t>(sources.rounds * sources.rows);
}

// Opens the file by its index. Expects that opening loads no chunk, and that the opened recording has the
// same rows as a reader that reads all blocks in order.
void expect_by_chunks(const std::string& file, std::uint64_t rows) {
  const auto read = read_recording(as_bytes(file));
  ASSERT_EQ(read->instant_count(), rows);
  for (std::uint64_t i = 1; i < rows; ++i) ASSERT_LE(read->instant(i - 1).at, read->instant(i).at);
  for (const std::size_t memory : {std::size_t{1}, std::size_t{1} << 30}) {
    const auto opened = open_recording_bytes(file, {.memory_bytes = memory});
    ASSERT_NE(opened->store(), nullptr);
    EXPECT_EQ(opened->instants().sequence().blocks().size(), rows / kBlockRows);
    EXPECT_EQ(opened->store()->stats().loads, 0u) << "opening loads no block";
    ASSERT_EQ(opened->instant_count(), rows);
    InstantReader a(read->instants()), b(opened->instants());
    for (std::uint64_t i = 0; i < rows; ++i) ASSERT_EQ(b.instant(i), a.instant(i)) << "instant " << i;
    EXPECT_EQ(opened->store()->stats().loads > 0, rows >= kBlockRows);
    EXPECT_TRUE(opened->losses().none());
  }
}

TEST(LateInstants, OfTwoSourcesAreInPiecesInTheOrderOfTime) {
  for (const std::int64_t late : {1, 5, 19, 20}) {
    const LateSources sources{.rounds_late = {0, late}};
    expect_by_chunks(recording(sources), count_of(sources));
  }
}

TEST(LateInstants, OfManySourcesThatAreLateByDifferentTimesAreMerged) {
  const LateSources sources{.rounds_late = {0, 1, 2, 3, 5, 8, 13, 21}, .rounds = 30, .rows = 200};
  expect_by_chunks(recording(sources), count_of(sources));
}

TEST(LateInstants, OfOneMomentKeepTheOrderInWhichTheyCame) {
  const LateSources sources{.rounds_late = {0, 3, 7}, .rounds = 30, .rows = 150, .step_ns = 0};
  expect_by_chunks(recording(sources), count_of(sources));
}

TEST(LateInstants, WholeBlocksOfThemAreMergedToo) {
  const LateSources sources{.rounds_late = {0, 2}, .rounds = 4, .rows = 20'000};
  expect_by_chunks(recording(sources), count_of(sources));
}

// Each group has instants at random times, so many of them are late. A writer must accept all groups.
TEST(LateInstants, AtRandomAreWhatReadingInOrderSays) {
  Random random;
  for (int file = 0; file < 20; ++file) {
    const ScratchFolder folder;
    auto writer = RecordingWriter::create(folder / "a.runahead", {}, {.gather_bytes = 0});
    std::uint64_t rows = 0;
    const std::int64_t groups = random.integer(1, 40);
    for (std::int64_t group = 0; group < groups; ++group) {
      Batch batch;
      if (group == 0) batch.strings = {"", "a"};
      if (group == 0) batch.tracks.push_back({.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
      const std::int64_t from = random.chance(0.3) ? random.integer(0, 1000 * group) : 1000 * group;
      for (std::int64_t n = random.magnitude(3000); n > 0; --n)
        batch.instants.push_back({timestamp_from_ns(from + random.integer(0, 1500)), TrackId{0}, StringId{1},
                                  OpId{++rows}, kNoArgs});
      batch.watermark = timestamp_from_ns(1000 * (group + 1));
      ASSERT_TRUE((*writer)->write(batch).ok());
    }
    ASSERT_TRUE((*writer)->finish().ok());
    expect_by_chunks(file_bytes(folder / "a.runahead"), rows);
  }
}

TEST(LateInstants, ALookAtTheEndLoadsNoMoreThanItShows) {
  const LateSources sources{.rounds_late = {0, 4}, .rounds = 100, .rows = 1000};
  const std::size_t memory = 300'000;
  const auto opened = open_recording_bytes(recording(sources), {.memory_bytes = memory});
  ASSERT_NE(opened->store(), nullptr);
  EXPECT_EQ(opened->first_instant_from(opened->instants().last_at()), opened->instant_count() - 2);
  EXPECT_LE(opened->store()->stats().loads, 2u);
  InstantReader instants(opened->instants());
  for (std::uint64_t i = 0; i < instants.size(); ++i) {
    (void)instants.instant(i);
    ASSERT_LE(opened->store()->stats().used_bytes, memory + (1u << 20))
        << "more than the limit and one block";
  }
}

// When a writer finishes the file, it merges late instants with the chunks after them, and writes the merged
// rows again. Chunks before the first late instant stay at their places in the file. Therefore the file grows
// only by the merged rows.
TEST(LateInstants, LeaveThePiecesBeforeThemAlone) {
  const LateSources in_order{.rounds_late = {0}, .rounds = 200, .rows = 2048};
  const ScratchFolder folder;
  write_late_instants(in_order, folder / "a.runahead");
  auto writer = RecordingWriter::create(folder / "b.runahead", {}, {.gather_bytes = 0});
  for (std::int64_t round = 0; round < in_order.rounds; ++round)
    ASSERT_TRUE((*writer)->write(group_of(in_order, round)).ok());
  Batch late;
  late.instants.push_back({timestamp_from_ns(195 * 2048 * 10), TrackId{0}, StringId{1}, kNoOp, kNoArgs});
  ASSERT_TRUE((*writer)->write(late).ok());
  ASSERT_TRUE((*writer)->finish().ok());
  const std::string without = file_bytes(folder / "a.runahead"), with = file_bytes(folder / "b.runahead");
  expect_by_chunks(with, count_of(in_order) + 1);
  EXPECT_LT(with.size(), without.size() + without.size() / 20);
}

TEST(LateInstants, OfMoreRunsThanAreMergedAtOnceAreMergedInPasses) {
  const std::size_t usual = SealerLimits{}.runs_at_once;
  for (const std::size_t at_once :
       {std::size_t{2}, std::size_t{3}, std::size_t{99}, std::size_t{100}, usual}) {
    const ScratchFolder folder;
    write_backwards({.limits = {.runs_at_once = at_once}}, folder / "a.runahead");
    expect_by_chunks(file_bytes(folder / "a.runahead"), 10'000);
  }
}

TEST(LateInstants, ARecordingOfThemThatWasCutOffAtAnyByteHasThoseOfItsWholeBlocks) {
  const std::string whole = recording({.rounds_late = {0, 2}, .rounds = 12, .rows = 120});
  const auto index = read_recording_index(as_bytes(whole));
  ASSERT_TRUE(index.ok() && index->blocks.size() > 2);
  std::uint64_t rows = 0;
  std::size_t next = 1;  // number of the next block in the index
  Random random;
  for (std::uint64_t cut =
           index->blocks[1].offset + static_cast<std::uint64_t>(random.integer(0, kOneRoundOf - 1));
       cut < whole.size(); cut += kOneRoundOf) {
    for (; next + 1 < index->blocks.size() && index->blocks[next + 1].offset <= cut; ++next) {
      if (index->blocks[next].kind == BlockKind::kInstants) rows += index->blocks[next].rows.rows;
    }
    const auto opened = open_recording_bytes(whole.substr(0, cut));
    ASSERT_TRUE(opened.ok()) << "cut at " << cut;
    ASSERT_EQ(opened->instant_count(), rows) << "cut at " << cut;
    for (std::uint64_t i = 1; i < rows; i += 50) ASSERT_LE(opened->instant(i - 1).at, opened->instant(i).at);
  }
  EXPECT_EQ(rows, 2u * 12 * 120);
}

}  // namespace
}  // namespace runahead::recordings
