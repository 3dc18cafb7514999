// Tests the reader of a recording that grows. At the end, its trace must be the trace of a reader that reads
// the complete file.
#include "instrumentation/link/stream_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"
#include "tests/recording/random_batches.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::link {
namespace {

using namespace runahead::testing;
using recordings::RecordingWriter;
using trace::LossCause;

struct Written {
  std::string bytes;
  std::vector<std::size_t> sizes;  // of the file after each batch
  std::vector<std::size_t> open;   // the number of open slices in each batch
};

Written random_recording(std::uint64_t seed, int batches) {
  const ScratchFolder folder;
  RandomSource source(seed, rounds(3000, 1000));
  Written out;
  auto writer = RecordingWriter::create(folder / "a.runahead", {{"host", "here"}}, {.gather_bytes = 0});
  for (int i = 0; i < batches; ++i) {
    const trace::Batch batch = source.next();
    EXPECT_TRUE((*writer)->write(batch).ok());
    out.sizes.push_back((*writer)->bytes_written());
    out.open.push_back(batch.open_slices.size());
  }
  EXPECT_TRUE((*writer)->finish().ok());
  out.bytes = file_bytes(folder / "a.runahead");
  return out;
}

// Passes the bytes in pieces of random sizes.
void add_in_pieces(StreamReader& reader, std::string_view bytes, Random& random) {
  while (!bytes.empty()) {
    const auto most = static_cast<std::int64_t>(bytes.size());
    const auto n = static_cast<std::size_t>(std::clamp<std::int64_t>(random.magnitude(100000), 1, most));
    ASSERT_TRUE(reader.add(bytes.substr(0, n)).ok());
    bytes.remove_prefix(n);
  }
}

std::uint64_t lost_bytes(const trace::Trace& trace) {
  return trace.losses().of(LossCause::kFileDamaged) + trace.losses().of(LossCause::kFileTruncated);
}

// Each late block could demand a copy of all instants. So they wait until there are many, or until the end.
TEST(StreamReader, LateInstantsOfManyBlocksAreAddedTogether) {
  constexpr std::uint64_t kMany = 50'000, kLate = 300;
  const ScratchFolder folder;
  auto writer = RecordingWriter::create(folder / "a.runahead", {}, {.gather_bytes = 0}).value();
  trace::Batch batch;
  batch.strings = {""};
  trace::TrackInfo track;
  track.id = TrackId{0};
  batch.tracks = {track};
  for (std::uint64_t i = 0; i < kMany; ++i)
    batch.instants.push_back({timestamp_from_ns(static_cast<std::int64_t>(1000 + i)), TrackId{0}});
  batch.watermark = timestamp_from_ns(1'000'000);
  ASSERT_TRUE(writer->write(batch).ok());
  for (std::uint64_t i = 0; i < kLate; ++i) {
    trace::Batch late;
    late.instants = {{timestamp_from_ns(static_cast<std::int64_t>(i)), TrackId{0}}};
    ASSERT_TRUE(writer->write(late).ok());
  }
  ASSERT_TRUE(writer->finish().ok());
  StreamReader reader("a.runahead");
  ASSERT_TRUE(reader.add(file_bytes(folder / "a.runahead")).ok());
  EXPECT_EQ(reader.trace().instant_count(), kMany);
  reader.finish();
  ASSERT_EQ(reader.trace().instant_count(), kMany + kLate);
  for (std::uint64_t i = 0; i < kLate; ++i)
    ASSERT_EQ(reader.trace().instant(i).at, timestamp_from_ns(static_cast<std::int64_t>(i)));
  EXPECT_EQ(reader.trace().instant(kLate).at, timestamp_from_ns(1000));
}

TEST(StreamReader, GivesTheTraceOfTheWholeFileHoweverItsBytesArrive) {
  Random random;
  for (int round = 0; round < rounds(20, 4); ++round) {
    const Written written = random_recording(test_seed() + static_cast<std::uint64_t>(round), 12);
    StreamReader reader("peer");
    add_in_pieces(reader, written.bytes, random);
    EXPECT_TRUE(reader.ended());
    EXPECT_EQ(reader.position(), written.bytes.size());
    reader.finish();
    const auto whole = recordings::read_recording(as_bytes(written.bytes));
    ASSERT_TRUE(whole.ok());
    ASSERT_EQ(rows_text(reader.trace()), rows_text(*whole)) << "round " << round;
    EXPECT_EQ(reader.trace().metadata(), whole->metadata());
  }
}

TEST(StreamReader, HasAfterEachCommitWhatWasWrittenUntilThen) {
  const Written written = random_recording(test_seed(), 12);
  StreamReader reader("peer");
  std::size_t taken = 0;
  for (std::size_t i = 0; i < written.sizes.size(); ++i) {
    ASSERT_TRUE(reader.add(std::string_view(written.bytes).substr(taken, written.sizes[i] - taken)).ok());
    taken = written.sizes[i];
    EXPECT_EQ(reader.commits(), i + 1);
    EXPECT_EQ(reader.trace().open_slices().size(), written.open[i]) << "batch " << i;
    const auto until_now =
        recordings::read_recording(as_bytes(std::string_view(written.bytes).substr(0, taken)));
    ASSERT_TRUE(until_now.ok());
    const trace::TraceCounts ours = reader.trace().counts(), theirs = until_now->counts();
    EXPECT_EQ(ours.slices + written.open[i], theirs.slices)
        << "the file's reader shows open ones as unfinished";
    EXPECT_EQ(ours.ops, theirs.ops);
    EXPECT_EQ(ours.counter_samples, theirs.counter_samples);
    EXPECT_EQ(ours.instants, theirs.instants) << "late instants too";
    EXPECT_EQ(reader.trace().watermark(), until_now->watermark());
  }
}

TEST(StreamReader, ARecordingCutOffAnywhereIsReadUpToItsLastWholeBlock) {
  const Written written = random_recording(test_seed(), 4);
  Random random;
  for (int round = 0; round < rounds(200, 40); ++round) {
    const auto cut =
        static_cast<std::size_t>(random.integer(1, static_cast<std::int64_t>(written.bytes.size()) - 1));
    const std::string_view part = std::string_view(written.bytes).substr(0, cut);
    StreamReader reader("peer");
    ASSERT_TRUE(reader.add(part).ok());
    reader.finish();
    EXPECT_FALSE(reader.ended());
    const auto whole = recordings::read_recording(as_bytes(part));
    if (!whole.ok()) continue;
    ASSERT_EQ(rows_text(reader.trace()), rows_text(*whole)) << "cut at " << cut;
  }
}

TEST(StreamReader, SkipsAndCountsDamagedBytes) {
  const Written written = random_recording(test_seed(), 6);
  Random random;
  for (int round = 0; round < rounds(200, 40); ++round) {
    std::string bytes = written.bytes;
    const auto at = static_cast<std::size_t>(random.integer(
        static_cast<std::int64_t>(recordings::kPreambleBytes), static_cast<std::int64_t>(bytes.size()) - 1));
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.integer(0, 7)));
    StreamReader reader("peer");
    ASSERT_TRUE(reader.add(bytes).ok());
    reader.finish();
    // The trailer begins with the offset of the last footer, which a reader of a stream does not use.
    constexpr std::size_t kOffsetBytes = 8;
    const std::size_t trailer = bytes.size() - recordings::kTrailerBytes;
    const bool in_offset = at >= trailer && at < trailer + kOffsetBytes;
    EXPECT_EQ(lost_bytes(reader.trace()) > 0, !in_offset) << "byte " << at << " of " << bytes.size();
    const auto whole = recordings::read_recording(as_bytes(bytes));
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ(reader.trace().counts().slices, whole->counts().slices) << "byte " << at;
    EXPECT_EQ(reader.trace().counts().ops, whole->counts().ops) << "byte " << at;
  }
}

TEST(StreamReader, FindsTheBlocksBehindABlockWhoseLengthIsDamaged) {
  const Written written = random_recording(test_seed(), 6);
  std::string bytes = written.bytes;
  const std::size_t block = bytes.find("RBLK", bytes.size() / 2);
  ASSERT_NE(block, std::string::npos);
  // Both lengths are 16 MiB larger, so that they are possible for a block, compressed or not.
  bytes[block + 11] = bytes[block + 15] = 1;
  StreamReader reader("peer");
  ASSERT_TRUE(reader.add(bytes).ok());
  EXPECT_FALSE(reader.ended()) << "it waits for the bytes that the length promises";
  reader.finish();
  const auto whole = recordings::read_recording(as_bytes(bytes));
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(reader.ended()) << "the trailer is behind the damaged block";
  EXPECT_EQ(rows_text(reader.trace()), rows_text(*whole));
}

TEST(StreamReader, RefusesWhatIsNoRecordingAndSaysWhy) {
  StreamReader noise("peer");
  const Status refused = noise.add("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("is not a recording"), std::string::npos);
  EXPECT_FALSE(noise.add("more").ok()) << "the error stays";
  StreamReader newer("peer");
  const Status too_new = newer.add(recordings::make_preamble(recordings::kRecordingVersion + 1));
  ASSERT_FALSE(too_new.ok());
  EXPECT_NE(too_new.error().message.find("newer version"), std::string::npos);
}

TEST(StreamReader, StopsAPeerThatDefinesTooManyNames) {
  const Written written = random_recording(test_seed(), 12);
  StreamReader reader("peer", {.definition_bytes = 100});
  const Status status = reader.add(written.bytes);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("memory limit"), std::string::npos);
}

TEST(StreamReader, NoiseNeverBreaksIt) {
  Random random;
  for (int round = 0; round < rounds(300, 60); ++round) {
    std::string bytes = recordings::make_preamble(recordings::kRecordingVersion);
    for (std::int64_t n = random.integer(0, 2000); n > 0; --n) {
      bytes += random.integer(0, 9) == 0 ? "RBLK" : std::string(1, static_cast<char>(random.integer(0, 255)));
    }
    StreamReader reader("peer");
    ASSERT_TRUE(reader.add(bytes).ok());
    reader.finish();
    EXPECT_EQ(lost_bytes(reader.trace()), bytes.size() - recordings::kPreambleBytes);
  }
}

}  // namespace
}  // namespace runahead::link
