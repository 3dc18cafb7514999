// Tests recordings that are cut off or damaged (invariant 7 in docs/architecture.md), and files that are not
// recordings.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/recording.h"
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

std::string small_recording(int batches) {
  const ScratchFolder folder;
  RandomSource source(test_seed());
  auto writer = RecordingWriter::create(folder / "a.runahead", {{"host", "here"}}, {.gather_bytes = 0});
  for (int i = 0; i < batches; ++i) EXPECT_TRUE((*writer)->write(source.next()).ok());
  EXPECT_TRUE((*writer)->finish().ok());
  return file_bytes(folder / "a.runahead");
}

struct ReadBlock {
  BlockKind kind;
  Payload payload;
};

// A file with the preamble, metadata and the given blocks.
std::string file_of_blocks(const std::vector<ReadBlock>& blocks) {
  std::string file = make_preamble(kRecordingVersion);
  BlockSealer sealer;
  sealer.seal(BlockKind::kMetadata, encode_metadata({}), 0, file);
  for (const auto& [kind, payload] : blocks) sealer.seal(kind, payload, 0, file);
  return file;
}

TEST(DamagedRecording, ARecordingCutOffAtAnyByteOpensUpToItsLastWholeBlock) {
  const std::string whole = small_recording(4);
  const auto index = read_recording_index(as_bytes(whole));
  ASSERT_TRUE(index.ok());
  // For each block: its end offset, and the number of slices in the file up to this offset.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ends;
  std::uint64_t slices = 0;
  for (std::size_t i = 1; i < index->blocks.size(); ++i) {
    ends.emplace_back(index->blocks[i].offset, slices);
    if (index->blocks[i].kind == BlockKind::kSlices) slices += index->blocks[i].rows.rows;
  }
  const std::uint64_t first_block_end = ends.front().first;
  Random random;
  for (auto cut = static_cast<std::size_t>(random.integer(0, kOneRoundOf - 1)); cut < whole.size();
       cut += kOneRoundOf) {
    const auto loaded = read_recording(as_bytes(std::string_view(whole).substr(0, cut)));
    ASSERT_EQ(loaded.ok(), cut >= first_block_end) << "cut at " << cut;
    if (!loaded.ok()) continue;
    auto last = ends.begin();
    while (std::next(last) != ends.end() && std::next(last)->first <= cut) ++last;
    const bool past_all = std::next(last) == ends.end();
    if (!past_all) {
      ASSERT_EQ(loaded->counts().slices, last->second) << "cut at " << cut;
      ASSERT_EQ(loaded->losses().of(LossCause::kFileTruncated), cut - last->first) << "cut at " << cut;
    }
    EXPECT_EQ(loaded->metadata().at("recording.ended"), "no");
  }
}

TEST(DamagedRecording, AFlippedBitNeverBreaksAnythingAndIsNeverUnseen) {
  const std::string whole = small_recording(6);
  const std::string intact = rows_text(*read_recording(as_bytes(whole)));
  Random random;
  for (int i = 0; i < rounds(3000); ++i) {
    std::string damaged = whole;
    const auto bit =
        static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(whole.size()) * 8 - 1));
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto loaded = read_recording(as_bytes(damaged));
    ASSERT_TRUE(loaded.ok()) << "bit " << bit << ": " << loaded.error().message;
    // A reader that reads all blocks in order does not need the offset in the trailer. Damage of this offset
    // has no effect.
    const std::size_t offset_end = whole.size() - kEndMagic.size();
    const bool needed = bit / 8 < whole.size() - kTrailerBytes || bit / 8 >= offset_end;
    EXPECT_EQ(loaded->losses().of(LossCause::kFileDamaged) > 0, needed) << "bit " << bit;
    EXPECT_EQ(rows_text(*loaded) != intact, needed) << "bit " << bit;
    EXPECT_EQ(loaded->metadata().at("recording.ended"), "yes") << "bit " << bit;
  }
}

TEST(DamagedRecording, BytesThatAreMixedUpNeverBreakAnything) {
  const std::string whole = small_recording(6);
  Random random;
  for (int i = 0; i < rounds(1000); ++i) {
    std::string damaged = whole;
    const auto any = [&] {
      return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(damaged.size()) - 1));
    };
    const std::size_t from = any(), length = any() / 4 + 1;
    damaged.insert(any(), damaged.substr(from, length));
    damaged.erase(any(), length / 2);
    (void)read_recording(as_bytes(damaged));
  }
}

TEST(DamagedRecording, BlocksWithASoundChecksumAndNonsenseWithinAreCountedNotBelieved) {
  const TrackInfo track{.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"};
  const std::vector<Slice> fine{{at(10_ns), at(20_ns)}}, earlier{{at(5_ns), at(12_ns)}};
  const std::vector<Slice> unnamed{{at(30_ns), at(40_ns), StringId{99}}};
  const auto slices = [](TrackId id, const std::vector<Slice>& rows, std::uint32_t depth = 0) {
    const LaneChunk chunk{id, depth, rows};
    return ReadBlock{BlockKind::kSlices, encode_slices(std::span(&chunk, 1))};
  };
  const std::string file = file_of_blocks({
      slices(TrackId{0}, fine),  // 1: comes before its track is defined
      {BlockKind::kTracks, encode_tracks(std::span(&track, 1))},
      slices(TrackId{0}, fine),
      slices(TrackId{0}, earlier),                         // 2: overlaps
      slices(TrackId{0}, unnamed),                         // 3: undefined string
      slices(TrackId{0}, fine, 1u << 19),                  // 4: more lanes than a file of this size can have
      {BlockKind::kSlices, {"nonsense"}},                  // 5
      {BlockKind::kStrings, encode_strings(5, {})},        // 6: a gap in the ids
      {static_cast<BlockKind>(200), {"from the future"}},  // 7
      {BlockKind::kCommit, encode_commit(at(100_ns))},
  });
  const auto loaded = read_recording(as_bytes(file));
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->counts().slices, 1u);
  EXPECT_EQ(loaded->losses().of(LossCause::kFileUnknown), 7u);
  EXPECT_EQ(loaded->watermark(), at(100_ns));
}

TEST(DamagedRecording, AFewBytesThatClaimToBeManyAreRefused) {
  std::string file = make_preamble(kRecordingVersion);
  BlockSealer sealer;
  sealer.seal(BlockKind::kMetadata, encode_metadata({}), 0, file);
  const std::size_t start = file.size();
  // 24 MiB of zeros compress to a few kB. For such a small file, the decoded bytes are more than the reader
  // allows (raw_bytes_allowed()). BlockSealer knows this limit, so it normally would not compress the zeros.
  // Here it compresses them, because the test passes a false, very large file offset.
  sealer.seal(BlockKind::kStrings, std::string(24u << 20, '\0'), std::uint64_t{1} << 40, file);
  if (file.size() > (1u << 20)) GTEST_SKIP() << "built without zstd";
  const std::size_t end = file.size();
  sealer.seal(BlockKind::kCommit, encode_commit(at(100_ns)), file.size(), file);
  const auto loaded = read_recording(as_bytes(file));
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->string_count(), 1u);
  EXPECT_EQ(loaded->losses().of(LossCause::kFileDamaged), end - start);
  EXPECT_EQ(loaded->watermark(), at(100_ns)) << "the following blocks are read";
}

TEST(DamagedRecording, WhatIsNoRecordingIsRefusedInOneLine) {
  const ScratchFolder folder;
  const auto message = [&](const std::filesystem::path& path) {
    const auto loaded = load_recording(path);
    EXPECT_FALSE(loaded.ok());
    const std::string text = loaded.ok() ? "" : loaded.error().message;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_FALSE(load_any(path).ok());
    return text;
  };
  write_file(folder / "empty", "");
  write_file(folder / "text", "hello, this is not a recording at all");
  write_file(folder / "newer", make_preamble(kRecordingVersion + 1) + "whatever a later version writes");
  write_file(folder / "short", "RUNAH");
  write_file(folder / "preamble", make_preamble(kRecordingVersion));
  std::string flipped = make_preamble(kRecordingVersion);
  flipped[9] ^= 1;
  write_file(folder / "flipped", flipped);
  EXPECT_NE(message(folder / "missing").find("missing': does not exist"), std::string::npos);
  EXPECT_NE(message(folder.path()).find("is a directory"), std::string::npos);
  EXPECT_NE(message(folder / "empty").find("is empty"), std::string::npos);
  EXPECT_NE(message(folder / "text").find("is not a recording"), std::string::npos);
  EXPECT_NE(message(folder / "newer").find("newer version"), std::string::npos);
  EXPECT_NE(message(folder / "short").find("cut off"), std::string::npos);
  EXPECT_NE(message(folder / "preamble").find("no whole block"), std::string::npos);
  EXPECT_NE(message(folder / "flipped").find("damaged"), std::string::npos);
  EXPECT_NE(message("/dev/null").find("not a regular file"), std::string::npos);
}

TEST(DamagedRecording, AKilledWriterLeavesWhatItFlushedAndWhatWasOpenThen) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "killed.runahead";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = RecordingWriter::create(path, {}, {.gather_bytes = 0});
    const Batch batch = TraceBuilder{}
                            .track("main", TrackKind::kFrontend)
                            .slice("done", 0_ns, 10_ns)
                            .open_slice("waits", 20_ns, SliceKind::kWait)
                            .op(OpId{3}, "matmul", {.enqueued = 1_ns})
                            .watermark(90_ns)
                            .batch();
    const bool fine = (*writer)->write(batch).ok();
    (void)!::write(ready[1], fine ? "y" : "n", 1);
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  const auto loaded = load_recording(path);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->metadata().at("recording.ended"), "no");
  ASSERT_EQ(loaded->counts().slices, 2u);
  const Slice waits = loaded->tracks()[0].lanes[0].slice(1);
  EXPECT_EQ(loaded->string(waits.name), "waits");
  EXPECT_EQ(waits.end, at(90_ns));
  EXPECT_EQ(waits.flags, kSliceUnfinished);
  EXPECT_EQ(loaded->losses().of(LossCause::kUnfinishedSlice), 1u);
  EXPECT_EQ(loaded->open_ops().size(), 1u);
}

TEST(DamagedRecording, ASliceThatEndedAfterTheLastListOfOpenOnesIsShownOnce) {
  const TrackInfo track{.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"};
  const OpenSlice open{TrackId{0}, 0, {at(10_ns), at(10_ns)}};
  const std::vector<Slice> ended{{at(10_ns), at(10_ns)}};
  const LaneChunk chunk{TrackId{0}, 0, ended};
  const std::string file = file_of_blocks({
      {BlockKind::kTracks, encode_tracks(std::span(&track, 1))},
      {BlockKind::kOpen, encode_open(std::span(&open, 1), {})},
      {BlockKind::kCommit, encode_commit(at(15_ns))},
      {BlockKind::kSlices, encode_slices(std::span(&chunk, 1))},
  });
  const auto loaded = read_recording(as_bytes(file));
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->counts().slices, 1u);
  EXPECT_EQ(loaded->losses().of(LossCause::kUnfinishedSlice), 0u);
}

}  // namespace
}  // namespace runahead::recordings
