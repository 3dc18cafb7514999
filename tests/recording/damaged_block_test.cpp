// Tests recordings with damage in the middle. Rows of undamaged blocks are kept, and damaged bytes are
// counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/recording.h"
#include "tests/recording/trace_rows.h"
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

TEST(DamagedBlock, EachOneCostsItsOwnRowsAndNoOthers) {
  const std::string whole = grouped_recording(test_seed(), 12);
  const std::vector<BlockPlace> blocks = blocks_of(whole);
  ASSERT_GT(blocks.size(), 60u);
  Random random;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::string damaged = whole;
    const auto [kind, begin, end] = blocks[i];
    flip(damaged, static_cast<std::size_t>(random.integer(static_cast<std::int64_t>(begin) * 8,
                                                          static_cast<std::int64_t>(end) * 8 - 1)));
    const auto loaded = read_recording(as_bytes(damaged));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    ASSERT_EQ(row_lines(*loaded), rows_of_others(whole, blocks, {i}))
        << "block " << i << ", kind " << int(kind);
    expect_damaged(*loaded, end - begin);
  }
}

struct Damage {
  std::set<std::size_t> blocks;  // numbers of the damaged blocks
  bool preamble = false, end_magic = false;
};

Damage damage_of(const std::vector<BlockPlace>& blocks, const std::set<std::size_t>& bits, std::size_t size) {
  Damage damage;
  for (const std::size_t bit : bits) {
    const std::size_t at = bit / 8;
    damage.preamble = damage.preamble || at < kPreambleBytes;
    damage.end_magic = damage.end_magic || at >= size - kEndMagic.size();
    const auto hit =
        std::ranges::find_if(blocks, [&](const BlockPlace& b) { return b.begin <= at && at < b.end; });
    if (hit != blocks.end()) damage.blocks.insert(static_cast<std::size_t>(hit - blocks.begin()));
  }
  return damage;
}

std::uint64_t bytes_of(const Damage& damage, const std::vector<BlockPlace>& blocks) {
  std::uint64_t bytes = (damage.preamble ? kPreambleBytes : 0) + (damage.end_magic ? kTrailerBytes : 0);
  for (const std::size_t i : damage.blocks) bytes += blocks[i].end - blocks[i].begin;
  return bytes;
}

// True if a reader can recognise the file as a recording: by the first block if the preamble is damaged, and
// by the footer if the trailer is damaged.
bool is_known(const Damage& damage, const std::vector<BlockPlace>& blocks) {
  return !(damage.preamble && damage.blocks.contains(0)) &&
         !(damage.end_magic && damage.blocks.contains(blocks.size() - 1));
}

TEST(DamagedBlock, ThreeBitsFlippedAnywhereCostTheBlocksThatTheyAreIn) {
  const std::string whole = grouped_recording(test_seed(), 20, 60);
  const std::vector<BlockPlace> blocks = blocks_of(whole);
  ASSERT_GT(read_recording(as_bytes(whole))->counts().slices, 400u);
  const std::vector<std::string> all = rows_of_others(whole, blocks, {});
  Random random;
  for (int round = 0; round < rounds(60); ++round) {
    std::set<std::size_t> bits;
    while (bits.size() < 3)
      bits.insert(static_cast<std::size_t>(random.integer(0, std::ssize(whole) * 8 - 1)));
    const Damage damage = damage_of(blocks, bits, whole.size());
    if (!is_known(damage, blocks)) continue;
    std::string file = whole;
    for (const std::size_t bit : bits) flip(file, bit);
    const auto loaded = read_recording(as_bytes(file));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const std::vector<std::string> kept = row_lines(*loaded);
    ASSERT_EQ(kept, rows_of_others(whole, blocks, damage.blocks)) << "round " << round;
    expect_damaged(*loaded, bytes_of(damage, blocks));
    // Some rows are in the file twice. If one copy is damaged, a reader that uses the index may find the
    // other copy. Therefore it may find more rows than a reader that reads all blocks in order.
    const auto opened = open_recording_bytes(file, kCheckedWhole);
    ASSERT_TRUE(opened.ok());
    const std::vector<std::string> there = row_lines(*opened);
    EXPECT_TRUE(std::ranges::includes(there, kept)) << "round " << round;
    EXPECT_TRUE(std::ranges::includes(all, there)) << "round " << round;
    expect_damaged(*opened, bytes_of(damage, blocks));
  }
}

TEST(DamagedBlock, AFileOnDiskIsReadAsOneInMemory) {
  const ScratchFolder folder;
  std::string file = grouped_recording(test_seed(), 60, 6000);
  ASSERT_GT(file.size(), 1u << 20) << "larger than one read";
  Random random;
  for (int i = 0; i < 40; ++i)
    flip(file, static_cast<std::size_t>(random.integer(kPreambleBytes * 8, std::ssize(file) * 8 - 1)));
  write_file(folder / "a.runahead", file);
  const auto from_disk = load_recording(folder / "a.runahead");
  ASSERT_TRUE(from_disk.ok()) << from_disk.error().message;
  EXPECT_EQ(rows_text(*from_disk), rows_text(*read_recording(as_bytes(file))));
  EXPECT_GT(from_disk->losses().of(LossCause::kFileDamaged), 0u);
  const auto opened = load_any(folder / "a.runahead", {}, kCheckedWhole);
  ASSERT_TRUE(opened.ok());
  EXPECT_GE(opened->counts().slices, from_disk->counts().slices);
}

// ---- preamble and trailer -------------------------------------------------------------------------------

TEST(DamagedBlock, TheFirstBytesMayBeDamagedWhereABlockFollows) {
  const ScratchFolder folder;
  const std::string whole = grouped_recording(test_seed(), 3);
  const std::vector<std::string> rows = row_lines(*read_recording(as_bytes(whole)));
  for (std::size_t bit = 0; bit < kPreambleBytes * 8; ++bit) {
    std::string damaged = whole;
    flip(damaged, bit);
    const auto loaded = read_recording(as_bytes(damaged));
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    EXPECT_EQ(row_lines(*loaded), rows);
    expect_damaged(*loaded, kPreambleBytes);
    write_file(folder / "a", damaged);
    EXPECT_TRUE(load_any(folder / "a").ok()) << "bit " << bit;
    // Damages the first block too. Now nothing shows that the file is a recording.
    flip(damaged, (kPreambleBytes + 20) * 8);
    EXPECT_FALSE(read_recording(as_bytes(damaged)).ok());
  }
}

TEST(DamagedBlock, DamageInTheMidstAndACutOffEndAreCountedApart) {
  const std::string whole = grouped_recording(test_seed(), 6);
  const std::vector<BlockPlace> blocks = blocks_of(whole);
  const BlockPlace in_midst = blocks[blocks.size() / 3], last = blocks[blocks.size() / 2];
  std::string file = whole.substr(0, last.end - 1);
  flip(file, in_midst.begin * 8);
  const auto loaded = read_recording(as_bytes(file));
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->losses().of(LossCause::kFileDamaged), in_midst.end - in_midst.begin);
  EXPECT_EQ(loaded->losses().of(LossCause::kFileTruncated), last.end - 1 - last.begin);
  EXPECT_EQ(loaded->metadata().at("recording.ended"), "no");
}

TEST(DamagedBlock, ALastBlockThatHasAllItsBytesWasDamagedNotCutOff) {
  std::string file = grouped_recording(test_seed(), 6, 20, false);
  const BlockPlace last = blocks_of(file).back();
  ASSERT_EQ(last.end, file.size()) << "nothing was cut off";
  flip(file, last.end * 8 - 1);
  const auto loaded = read_recording(as_bytes(file));
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->losses().of(LossCause::kFileDamaged), last.end - last.begin);
  EXPECT_EQ(loaded->losses().of(LossCause::kFileTruncated), 0u);
  EXPECT_EQ(loaded->metadata().at("recording.ended"), "no");
}

// ---- lost definitions -----------------------------------------------------------------------------------

struct TestBlock {
  BlockKind kind;
  Payload payload;
  bool damaged = false;
};

std::string file_of(const std::vector<TestBlock>& blocks) {
  std::string file = make_preamble(kRecordingVersion);
  BlockSealer sealer;
  sealer.seal(BlockKind::kMetadata, encode_metadata({}), 0, file);
  for (const auto& [kind, payload, damaged] : blocks) {
    sealer.seal(kind, payload, 0, file);
    if (damaged) file.back() ^= 1;
  }
  return file;
}

Payload slices_on(TrackId track, const std::vector<Slice>& rows) {
  const LaneChunk chunk{track, 0, rows};
  return encode_slices(std::span(&chunk, 1));
}

Payload samples_on(TrackId track, const std::vector<CounterSample>& rows) {
  const CounterChunk chunk{track, rows};
  return encode_counters(std::span(&chunk, 1));
}

std::vector<TestBlock> blocks_with_definitions(bool damaged) {
  const std::vector<std::string> first = {"a", "b"}, second = {"c"};
  const std::vector<TrackInfo> tracks = {
      {.id = TrackId{0}, .kind = TrackKind::kGroup, .name = "group"},
      {.id = TrackId{1}, .kind = TrackKind::kWorker, .name = "worker"},
      {.id = TrackId{2}, .kind = TrackKind::kCounter, .name = "counter"},
  };
  const std::vector<TrackInfo> later = {
      {.id = TrackId{3}, .parent = TrackId{0}, .kind = TrackKind::kStream, .name = "stream"}};
  const std::vector<ArgSet> args = {{{StringId{1}, std::int64_t{7}}}}, more_args = {{{StringId{2}, 0.5}}};
  Slice named{at(0_ns), at(10_ns), StringId{2}}, late{at(20_ns), at(30_ns), StringId{3}};
  named.args = ArgsId{1};
  late.args = ArgsId{2};
  return {
      {BlockKind::kStrings, encode_strings(1, first), damaged},
      {BlockKind::kTracks, encode_tracks(tracks), damaged},
      {BlockKind::kArgs, encode_args(1, args), damaged},
      {BlockKind::kSlices, slices_on(TrackId{1}, {named})},
      {BlockKind::kCounters, samples_on(TrackId{2}, {{at(5_ns), 1}})},
      {BlockKind::kStrings, encode_strings(3, second)},
      {BlockKind::kTracks, encode_tracks(later)},
      {BlockKind::kArgs, encode_args(2, more_args)},
      {BlockKind::kSlices, slices_on(TrackId{3}, {late})},
      {BlockKind::kCommit, encode_commit(at(100_ns))},
  };
}

TEST(DamagedBlock, RowsWhoseDefinitionsAreLostAreKeptUnderPlaceholders) {
  const auto trace = read_recording(as_bytes(file_of(blocks_with_definitions(true))));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  ASSERT_EQ(trace->tracks().size(), 4u);
  const auto name_of = [&](std::size_t track) { return trace->tracks()[track].info.name; };
  const auto kind_of = [&](std::size_t track) { return trace->tracks()[track].info.kind; };
  EXPECT_EQ(name_of(0), "(track lost)");
  EXPECT_EQ(kind_of(0), TrackKind::kGroup) << "a later track names it as its parent";
  EXPECT_EQ(kind_of(1), TrackKind::kThread);
  EXPECT_EQ(kind_of(2), TrackKind::kCounter) << "it has samples";
  EXPECT_EQ(name_of(3), "stream");
  EXPECT_EQ(trace->tracks()[3].info.parent, TrackId{0});
  const Slice named = trace->tracks()[1].lanes[0].slice(0), late = trace->tracks()[3].lanes[0].slice(0);
  EXPECT_EQ(trace->string(named.name), "(name lost)");
  EXPECT_TRUE(trace->args(named.args).empty());
  EXPECT_EQ(trace->string(late.name), "c");
  ASSERT_EQ(trace->args(late.args).size(), 1u);
  EXPECT_EQ(trace->string(trace->args(late.args)[0].key), "(name lost)");
  EXPECT_EQ(trace->counts().counter_samples, 1u);
  EXPECT_EQ(trace->losses().of(LossCause::kFileUnknown), 0u);
}

TEST(DamagedBlock, WithoutDamageIdsThatNobodyDefinedAreRefusedAsEver) {
  std::vector<TestBlock> blocks = blocks_with_definitions(false);
  EXPECT_EQ(read_recording(as_bytes(file_of(blocks)))->losses().of(LossCause::kFileUnknown), 0u);
  // Removes the definitions, as if the writer had never written them.
  blocks.erase(blocks.begin(), blocks.begin() + 3);
  const auto trace = read_recording(as_bytes(file_of(blocks)));
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->losses().of(LossCause::kFileUnknown), 6u) << "all but the commit";
  EXPECT_EQ(trace->counts().slices, 0u);
}

TEST(DamagedBlock, ADefinitionThatComesAgainReplacesThePlaceholder) {
  std::vector<TestBlock> blocks = blocks_with_definitions(true);
  const TrackInfo renamed{.id = TrackId{1}, .kind = TrackKind::kWorker, .name = "worker, renamed"};
  const TrackInfo no_counter{.id = TrackId{2}, .kind = TrackKind::kWorker, .name = "it has samples"};
  blocks.push_back({BlockKind::kTracks, encode_tracks(std::span(&renamed, 1))});
  blocks.push_back({BlockKind::kTracks, encode_tracks(std::span(&no_counter, 1))});
  const auto trace = read_recording(as_bytes(file_of(blocks)));
  EXPECT_EQ(trace->tracks()[1].info.name, "worker, renamed");
  EXPECT_EQ(trace->tracks()[2].info.name, "(track lost)");
  EXPECT_EQ(trace->losses().of(LossCause::kFileUnknown), 1u);
}

TEST(DamagedBlock, AHostileIdIsNoReasonToMakeAMillionPlaceholders) {
  const Slice named{at(0_ns), at(10_ns), StringId{0xfffffffe}};
  Slice with_args{at(0_ns), at(10_ns)};
  with_args.args = ArgsId{0xfffffffe};
  const TrackInfo far{.id = TrackId{0x7ffffffe}, .kind = TrackKind::kWorker, .name = "far"};
  const auto trace = read_recording(as_bytes(file_of({
      {BlockKind::kStrings, encode_strings(1, {}), true},
      {BlockKind::kSlices, slices_on(TrackId{0x7ffffffe}, {Slice{at(0_ns), at(10_ns)}})},
      {BlockKind::kSlices, slices_on(TrackId{0}, {named})},
      {BlockKind::kSlices, slices_on(TrackId{0}, {with_args})},
      {BlockKind::kStrings, encode_strings(0xfffffff0, {})},
      {BlockKind::kArgs, encode_args(0xfffffff0, {})},
      {BlockKind::kTracks, encode_tracks(std::span(&far, 1))},
      {BlockKind::kCommit, encode_commit(at(100_ns))},
  })));
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->losses().of(LossCause::kFileUnknown), 6u);
  EXPECT_EQ(trace->string_count(), 1u);
  EXPECT_EQ(trace->args_count(), 0u);
  EXPECT_LE(trace->tracks().size(), 1u);
}

TEST(DamagedBlock, WhatWasOpenIsShownAlsoWhereItsNameIsLost) {
  const OpenSlice open{TrackId{0}, 0, {at(10_ns), at(10_ns), StringId{1}}};
  const OpRow op{.id = OpId{3}, .name = StringId{2}, .enqueued = at(1_ns)};
  const std::vector<std::string> strings = {"a", "b"};
  const auto trace = read_recording(as_bytes(file_of({
      {BlockKind::kStrings, encode_strings(1, strings), true},
      {BlockKind::kOpen, encode_open(std::span(&open, 1), std::span(&op, 1))},
      {BlockKind::kCommit, encode_commit(at(100_ns))},
  })));
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(trace->counts().slices, 1u);
  EXPECT_EQ(trace->string(trace->tracks()[0].lanes[0].slice(0).name), "(name lost)");
  ASSERT_EQ(trace->open_ops().size(), 1u);
  EXPECT_EQ(trace->string(trace->open_ops()[0].name), "(name lost)");
}

}  // namespace
}  // namespace runahead::recordings
