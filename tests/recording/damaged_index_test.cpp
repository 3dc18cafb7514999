// Tests finished recordings that are damaged and are opened by their index. The reader finds every row of the
// undamaged blocks that the index names. The reader invents no row in place of a damaged row.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "instrumentation/import/common/embedded.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"
#include "tests/recording/recording_of.h"
#include "tests/recording/whole_rows.h"
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

// A recording of one lane. Each row is in one block only. The last few rows are the exception: they do not
// fill a chunk, so the file repeats them in a tail.
std::string long_lane() {
  Batch batch;
  batch.strings = {"", "a"};
  batch.tracks.push_back({.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
  batch.lanes.push_back({TrackId{0}, 0, {}});
  for (std::int64_t i = 0; i < 50'000; ++i)
    batch.lanes[0].rows.push_back(
        {timestamp_from_ns(10 * i), timestamp_from_ns(10 * i + 1 + i % 7), StringId{1}});
  batch.watermark = timestamp_from_ns(500'000);
  return recording_of(batch);
}

TEST(DamagedIndex, AFileThatIsCheckedHasNoRowsThatStandInForLostOnes) {
  const std::string whole = long_lane();
  const std::vector<BlockPlace> blocks = blocks_of(whole);
  const auto rows = std::ranges::find(blocks, BlockKind::kSlices, &BlockPlace::kind);
  ASSERT_NE(rows, blocks.end());
  std::string damaged = whole;
  flip(damaged, rows->end * 8 - 1);
  const auto unchecked = open_recording_bytes(damaged);
  EXPECT_EQ(unchecked->counts().slices, 50'000u) << "the count is from the index";
  const auto checked = open_recording_bytes(damaged, kCheckedWhole);
  ASSERT_TRUE(checked.ok());
  const auto number = static_cast<std::size_t>(rows - blocks.begin());
  EXPECT_EQ(row_lines(*checked), rows_of_others(whole, blocks, {number}));
  EXPECT_LT(checked->counts().slices, 50'000u);
  EXPECT_EQ(checked->losses().of(LossCause::kFileUnreadable), 0u);
  expect_damaged(*checked, rows->end - rows->begin);
}

// Each lane and table has fewer rows than a chunk needs. Each row is in the file twice: in the block that was
// written first, and in a tail (a copy of the rows that do not fill a chunk, for readers that use the index).
TEST(DamagedIndex, NoSingleBlockCostsARowThatTheFileHoldsTwice) {
  const std::string whole = grouped_recording(test_seed(), 12);
  const std::vector<BlockPlace> blocks = blocks_of(whole);
  const std::vector<std::string> all = rows_of_others(whole, blocks, {});
  int by_index = 0;
  for (const auto& [kind, begin, end] : blocks) {
    std::string damaged = whole;
    flip(damaged, end * 8 - 1);
    const auto opened = open_recording_bytes(damaged, kCheckedWhole);
    ASSERT_TRUE(opened.ok());
    expect_damaged(*opened, end - begin);
    ASSERT_EQ(row_lines(*opened), all) << "kind " << int(kind);
    by_index += opened->store() != nullptr ? 1 : 0;
  }
  EXPECT_GT(by_index, std::ssize(blocks) / 2);
}

TEST(DamagedIndex, RowsOfOneKindAreTakenInOrderWhereOthersAreFoundByTheIndex) {
  const std::string whole = grouped_recording(test_seed(), 12);
  const std::vector<BlockPlace> blocks = blocks_of(whole);
  std::string damaged = whole;
  std::uint64_t bytes = 0;
  const auto damage = [&](const BlockPlace& block) {
    flip(damaged, block.end * 8 - 1);
    bytes += block.end - block.begin;
  };
  // The rows of this block are also in a tail.
  damage(*std::ranges::find(blocks, BlockKind::kOps, &BlockPlace::kind));
  // This block repeats slices for readers that use the index. The block in which these slices were written
  // first is undamaged.
  damage(*std::ranges::find(blocks, BlockKind::kRowsAgain, &BlockPlace::kind));
  const auto opened = open_recording_bytes(damaged, kCheckedWhole);
  ASSERT_TRUE(opened.ok());
  EXPECT_NE(opened->store(), nullptr);
  expect_damaged(*opened, bytes);
  EXPECT_EQ(row_lines(*opened), rows_of_others(whole, blocks, {}));
}

// Random blocks are damaged: blocks of rows and blocks of the index. If the index has lost rows of a kind,
// the reader takes the rows of this kind from the blocks that were written first. It finds the rows of the
// other kinds by the index.
TEST(DamagedIndex, WhateverIsDamagedTheIndexAddsToWhatIsReadInOrder) {
  const std::string whole = grouped_recording(test_seed(), 15, 2500);
  const std::vector<BlockPlace> blocks = blocks_of(whole);
  const std::vector<std::string> all = rows_of_others(whole, blocks, {});
  Random random;
  int more = 0;
  // In some rounds a reader that uses the index finds no more rows than a reader that reads in order. The
  // loop goes on until the reader with the index has found more rows in at least one round.
  for (int round = 0; round < rounds(12, 4) || (more == 0 && round < 100); ++round) {
    std::string damaged = whole;
    std::set<std::size_t> numbers;
    for (int i = 0; i < 4; ++i)
      numbers.insert(static_cast<std::size_t>(random.integer(0, std::ssize(blocks) - 1)));
    std::uint64_t bytes = 0;
    for (const std::size_t i : numbers) {
      flip(damaged, blocks[i].end * 8 - 1);
      bytes += blocks[i].end - blocks[i].begin;
    }
    const auto opened = open_recording_bytes(damaged, kCheckedWhole);
    ASSERT_TRUE(opened.ok());
    const std::vector<std::string> there = row_lines(*opened), kept = rows_of_others(whole, blocks, numbers);
    ASSERT_TRUE(std::ranges::includes(there, kept)) << "round " << round;
    ASSERT_TRUE(std::ranges::includes(all, there)) << "round " << round;
    expect_damaged(*opened, bytes);
    EXPECT_EQ(opened->losses().of(LossCause::kFileUnreadable), 0u);
    more += there.size() > kept.size() ? 1 : 0;
  }
  EXPECT_GT(more, 0);
}

TEST(DamagedIndex, ACheckThatIsCancelledIsAnError) {
  const ScratchFolder folder;
  write_file(folder / "a.runahead", grouped_recording(test_seed(), 120, 6000));
  int calls = 0;
  const auto cancelled = open_recording(
      folder / "a.runahead", [&](double) { return ++calls < 2; }, kCheckedWhole);
  ASSERT_FALSE(cancelled.ok());
  EXPECT_NE(cancelled.error().message.find("cancelled"), std::string::npos);
}

TEST(DamagedIndex, WhatSavingFindsDamagedIsSaidInTheNewFile) {
  const ScratchFolder folder;
  std::string damaged = long_lane();
  const std::vector<BlockPlace> blocks = blocks_of(damaged);
  flip(damaged, std::ranges::find(blocks, BlockKind::kSlices, &BlockPlace::kind)->end * 8 - 1);
  const auto opened = open_recording_bytes(damaged);
  ASSERT_TRUE(opened->losses().none()) << "no row was read so far";
  ASSERT_TRUE(save_recording(*opened, folder / "b.runahead").ok());
  const auto saved = load_recording(folder / "b.runahead");
  ASSERT_TRUE(saved.ok());
  EXPECT_GT(saved->losses().of(LossCause::kFileUnreadable), 0u);
}

TEST(DamagedIndex, ARecordingThatAnExportCarriesIsTakenWholeOrNotAtAll) {
  std::string bytes = grouped_recording(test_seed(), 3);
  EXPECT_TRUE(embedded_trace(bytes, "chrome json"));
  for (const BlockPlace& block : blocks_of(bytes)) {
    std::string damaged = bytes;
    flip(damaged, block.end * 8 - 1);
    EXPECT_FALSE(embedded_trace(damaged, "chrome json"));
  }
  flip(bytes, 0);
  EXPECT_FALSE(embedded_trace(bytes, "chrome json"));
}

}  // namespace
}  // namespace runahead::recordings
