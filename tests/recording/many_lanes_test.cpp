// Tests recordings with more lanes and counters than fit into the writer's memory. The recording can still be
// opened chunk by chunk. The opened recording has the same rows as a reader that reads all blocks in order.
#include "tests/recording/many_lanes.h"

#include <gtest/gtest.h>

#include <map>

#include "instrumentation/recording/format/chunk_index.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/recording_index.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/scratch_folder.h"

namespace runahead::recordings {
using namespace trace;
namespace {

using namespace runahead::testing;

std::string recording(const ManyLanes& wanted) {
  return bytes_written([&](const std::filesystem::path& file) { write_many_lanes(wanted, file); });
}

// Expects that no row is missing, and that all rows are in chunks, except the last rows of each lane or
// counter that do not fill a chunk.
void expect_by_chunks(const std::string& file) {
  const auto read = read_recording(as_bytes(file));
  ASSERT_TRUE(read->losses().none());
  for (const std::size_t memory : {std::size_t{1} << 16, std::size_t{1} << 30}) {
    const auto opened = open_recording_bytes(file, {.memory_bytes = memory});
    ASSERT_NE(opened->store(), nullptr) << "it was read in order";
    EXPECT_EQ(opened->store()->stats().loads, 0u);
    for (const Track& track : opened->tracks()) {
      for (const Lane& lane : track.lanes)
        EXPECT_EQ(lane.sequence().blocks().size(), lane.size() / kBlockRows);
      const CounterSeries& samples = track.counter;
      EXPECT_EQ(samples.sequence().blocks().size(), samples.end_row() / kBlockRows);
    }
    ASSERT_EQ(rows_text(*opened), rows_text(*read));
    EXPECT_TRUE(opened->losses().none()) << "a chunk does not match the index";
  }
}

// The bins of all levels of detail in the file, by track.
std::map<TrackId, std::vector<LodBin>> bins_in(const std::string& file) {
  const RecordingFile blocks(memory_bytes(file));
  const auto entries = footer_entries(blocks);
  Opening opening;
  EXPECT_TRUE(decode_opening(blocks.block(entries->back().offset)->payload, opening));
  std::map<TrackId, std::vector<LodBin>> out;
  for (const std::uint64_t offset : opening.chunks) {
    std::vector<LaneChunks> lanes;
    EXPECT_TRUE(decode_chunks(blocks.block(offset)->payload, lanes));
    for (const LaneChunks& lane : lanes) {
      for (const std::uint64_t lod : lane.lods) {
        std::vector<LodBin> bins;
        EXPECT_TRUE(decode_lod(blocks.block(lod)->payload, bins));
        out[lane.track].insert(out[lane.track].end(), bins.begin(), bins.end());
      }
    }
  }
  return out;
}

std::size_t blocks_again(const std::string& file) {
  const auto index = read_recording_index(as_bytes(file));
  return static_cast<std::size_t>(
      std::ranges::count(index->blocks, BlockKind::kRowsAgain, &IndexEntry::kind));
}

TEST(ManyLanes, MoreThanAWriterMayKeepTheRowsOfAreInPieces) {
  for (const SealerLimits& limits :
       {SealerLimits{1, 1, 2}, SealerLimits{100'000, 25'000, 5}, SealerLimits{1u << 20, 1u << 18, 64}}) {
    expect_by_chunks(recording({.groups = 40, .limits = limits}));
  }
}

TEST(ManyLanes, AreWhatTheyAreWhereAllMayBeKept) {
  const std::string with_little = recording({.groups = 40}),
                    with_all = recording({.groups = 40, .limits = {}});
  EXPECT_GT(blocks_again(with_little), blocks_again(with_all))
      << "the limit was not reached: the test proves nothing";
  EXPECT_EQ(rows_text(*open_recording_bytes(with_little)), rows_text(*open_recording_bytes(with_all)));
}

TEST(ManyLanes, DigestsAreOfTheirRows) {
  // The recording is long. Therefore the writer reaches its memory limit while a level of detail is still
  // incomplete. From then on, it no longer keeps the rows of some lanes in memory until they form chunks
  // (set_aside.h).
  const std::string file = recording({.lanes = 20, .counters = 0, .groups = 400});
  const auto read = read_recording(as_bytes(file));
  const auto bins = bins_in(file);
  ASSERT_FALSE(bins.empty());
  for (const auto& [track, of_track] : bins) {
    const Lane& lane = read->track(track).lanes[0];
    ASSERT_EQ(of_track.size(), lane.size() / kBlockRows * kLodBinsPerBlock);
    for (std::size_t i = 0; i < of_track.size(); ++i) {
      std::vector<Slice> rows;
      for (std::size_t r = 0; r < kLodBinRows; ++r) rows.push_back(lane.slice(i * kLodBinRows + r));
      ASSERT_EQ(of_track[i], bin_of(rows)) << "bin " << i << " of track " << raw(track);
    }
  }
}

TEST(ManyLanes, ARecordingOfThemThatWasCutOffHasTheRowsOfItsWholeBlocks) {
  const std::string whole = recording({.lanes = 20, .counters = 10, .groups = 20, .limits = {1, 1, 2}});
  const auto index = read_recording_index(as_bytes(whole));
  std::uint64_t slices = 0, samples = 0;
  for (std::size_t i = 0; i + 1 < index->blocks.size(); ++i) {
    const IndexEntry& entry = index->blocks[i];
    if (entry.kind == BlockKind::kSlices) slices += entry.rows.rows;
    if (entry.kind == BlockKind::kCounters) samples += entry.rows.rows;
    const auto opened = open_recording_bytes(whole.substr(0, index->blocks[i + 1].offset));
    ASSERT_TRUE(opened.ok());
    ASSERT_EQ(opened->counts().slices, slices);
    ASSERT_EQ(opened->counts().counter_samples, samples);
  }
}

}  // namespace
}  // namespace runahead::recordings
