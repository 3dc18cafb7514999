// Tests counters and instants of a recording that is opened by its index. Also tests a level of detail with
// the longest times that a recording may have.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/recording_index.h"
#include "instrumentation/trace/fold.h"
#include "instrumentation/trace/row_reader.h"
#include "tests/recording/recording_of.h"
#include "tests/support/random.h"

namespace runahead::recordings {
using namespace trace;
namespace {

using namespace runahead::testing;

constexpr OpenOptions kSmallestSample{.memory_bytes = 1};

// One counter with `rows` samples (all kinds of numbers), and `rows` instants on two tracks. Few of the
// instants are on the second track.
std::string samples_and_instants(std::int64_t rows) {
  Random random;
  Batch batch;
  batch.strings = {"", "a", "b", "c"};
  batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kCounter, .name = "c"});
  batch.tracks.push_back(TrackInfo{.id = TrackId{1}, .kind = TrackKind::kWorker, .name = "w"});
  batch.tracks.push_back(TrackInfo{.id = TrackId{2}, .kind = TrackKind::kMarkers, .name = "m"});
  batch.counters.push_back({TrackId{0}, {}});
  Timestamp t{}, u{};
  double value = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    t += Duration{random.magnitude(3000)};
    value += static_cast<double>(random.integer(-1000, 1000)) / (i / 3000 % 2 == 0 ? 1 : 7);
    const bool none = random.integer(0, 99) == 0;
    batch.counters[0].rows.push_back({t, none ? std::numeric_limits<double>::quiet_NaN() : value});
    u += Duration{random.magnitude(3000)};
    const bool marks = i % 5000 == 4321;
    batch.instants.push_back({u, TrackId{marks ? 2u : 1u},
                              StringId{static_cast<std::uint32_t>(random.integer(1, 3))},
                              OpId{static_cast<std::uint64_t>(i % 3)}, kNoArgs});
  }
  batch.watermark = std::max(t, u);
  return recording_of(batch);
}

const CounterSeries& counter_of(const Trace& trace) { return trace.tracks()[0].counter; }

void expect_same(const std::vector<CounterColumn>& some, const std::vector<CounterColumn>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    ASSERT_EQ(some[i].x_px, others[i].x_px);
    ASSERT_EQ(some[i].min, others[i].min) << "column " << i;
    ASSERT_EQ(some[i].max, others[i].max) << "column " << i;
    ASSERT_TRUE(some[i].last == others[i].last || (some[i].last != some[i].last)) << "column " << i;
  }
}

TEST(OpenRecording, OpeningReadsNoSamplesAndNoInstantsAndSaysWhereTheyBeginAndEnd) {
  const std::string file = samples_and_instants(50'000);
  const auto read = read_recording(as_bytes(file));
  const auto opened = open_recording_bytes(file, {.memory_bytes = 100'000});
  ASSERT_NE(opened->store(), nullptr);
  EXPECT_EQ(opened->counts().counter_samples, 50'000u);
  EXPECT_EQ(opened->counts().instants, 50'000u);
  EXPECT_EQ(opened->extent(), read->extent());
  EXPECT_EQ(opened->store()->stats().loads, 0u);
  EXPECT_LT(opened->size_bytes(), read->size_bytes() / 4);
  for (std::uint64_t row = 0; row < 50'000; row += 300) {
    const CounterSample sample = counter_of(*opened).sample(row), other = counter_of(*read).sample(row);
    ASSERT_EQ(sample.at, other.at);
    ASSERT_EQ(opened->instant(row), read->instant(row));
    ASSERT_LE(opened->store()->stats().used_bytes, 100'000u);
  }
}

TEST(OpenRecording, EveryQuestionToACounterHasTheSameAnswer) {
  const std::string file = samples_and_instants(12'000);
  const auto read = read_recording(as_bytes(file));
  const auto opened = open_recording_bytes(file, kSmallestSample);
  const CounterSeries &whole = counter_of(*read), &series = counter_of(*opened);
  Random random;
  const std::int64_t end_ns = ns_from(read->extent().end);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t a = random.integer(-10, end_ns + 10), b = random.integer(a, end_ns + 20);
    const TimeRange range{timestamp_from_ns(a), timestamp_from_ns(b)};
    ASSERT_EQ(series.first_row_from(range.begin), whole.first_row_from(range.begin));
    ASSERT_EQ(opened->first_instant_from(range.begin), read->first_instant_from(range.begin));
    const auto value = series.value_at(range.end), other_value = whole.value_at(range.end);
    ASSERT_EQ(value.has_value(), other_value.has_value());
    ASSERT_TRUE(!value || *value == *other_value || (*value != *value && *other_value != *other_value));
    const auto extremes = series.extremes(range), others = whole.extremes(range);
    ASSERT_EQ(extremes.has_value(), others.has_value());
    if (!extremes) continue;
    ASSERT_EQ(extremes->min, others->min);
    ASSERT_EQ(extremes->max, others->max);
  }
}

TEST(OpenRecording, AFoldOfACounterNeverWaitsMissesNoExtremeAndIsExactOnceItsWishesAreLoaded) {
  const std::string file = samples_and_instants(100'000);
  const auto read = read_recording(as_bytes(file));
  const auto opened = open_recording_bytes(file);
  Random random;
  const std::int64_t end_ns = ns_from(read->extent().end);
  std::vector<CounterColumn> columns, exact;
  for (int i = 0; i < 60; ++i) {
    const std::int64_t a = random.integer(-1000, end_ns - 2),
                       length = i == 0 ? end_ns : std::max<std::int64_t>(1, random.magnitude(end_ns - a));
    const TimeRange range{timestamp_from_ns(a), timestamp_from_ns(a + length)};
    const int width_px = i % 2 == 0 ? 1000 : 37;
    fold_counter(counter_of(*read), range, width_px, exact);
    opened->store()->set_limit_bytes(0);  // no block is in memory
    opened->store()->set_limit_bytes(std::size_t{1} << 30);
    opened->store()->begin_view();
    const std::uint64_t loads = opened->store()->stats().loads;
    fold_counter(counter_of(*opened), range, width_px, columns);
    ASSERT_EQ(opened->store()->stats().loads, loads) << "the read waited for a block";
    ASSERT_GE(columns.size(), exact.size());
    for (std::size_t x = 0, c = 0; x < exact.size(); ++x, ++c) {
      while (columns[c].x_px < exact[x].x_px) ++c;
      ASSERT_LE(columns[c].min, exact[x].min);
      ASSERT_GE(columns[c].max, exact[x].max);
    }
    load_all_wanted(*opened);
    fold_counter(counter_of(*opened), range, width_px, columns);
    EXPECT_EQ(opened->store()->stats().wanted, 0u);
    expect_same(columns, exact);
  }
}

TEST(OpenRecording, BlocksWithoutAnInstantOfATrackAreSkippedUnread) {
  const std::string file = samples_and_instants(100'000);
  const auto opened = open_recording_bytes(file);
  InstantReader instants(opened->instants());
  int marks = 0;
  for (std::uint64_t i = 0; (i = instants.next_of_tracks(bit_of(TrackId{2}), i)) < instants.size(); ++i) {
    marks += instants.instant(i).track == TrackId{2} ? 1 : 0;
  }
  EXPECT_EQ(marks, 20);
  EXPECT_LE(opened->store()->stats().loads, 20u);
  for (std::uint64_t end = instants.size(); (end = instants.end_of_tracks(bit_of(TrackId{2}), end)) > 0;
       --end)
    marks -= instants.instant(end - 1).track == TrackId{2} ? 1 : 0;
  EXPECT_EQ(marks, 0) << "the way back finds the same";
  EXPECT_LE(opened->store()->stats().loads, 40u);
}

TEST(OpenRecording, InstantsThatCameLateAreAllThereInTheirOrder) {
  const ScratchFolder folder;
  auto writer = RecordingWriter::create(folder / "a.runahead", {}, {.gather_bytes = 0});
  for (const std::int64_t since : {50'000, 0}) {
    Batch batch;
    if (since != 0) batch.strings = {"", "a"};
    if (since != 0)
      batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
    for (std::int64_t i = 0; i < 5000; ++i)
      batch.instants.push_back({timestamp_from_ns(since + 10 * i), TrackId{0}, StringId{1}, kNoOp, kNoArgs});
    batch.watermark = timestamp_from_ns(100'000);
    EXPECT_TRUE((*writer)->write(batch).ok());
  }
  EXPECT_TRUE((*writer)->finish().ok());
  const std::string file = file_bytes(folder / "a.runahead");
  const auto opened = open_recording_bytes(file);
  ASSERT_NE(opened->store(), nullptr);
  ASSERT_EQ(opened->instant_count(), 10'000u);
  for (std::uint64_t i = 1; i < 10'000; ++i)
    ASSERT_EQ(opened->instant(i).at, timestamp_from_ns(static_cast<std::int64_t>(10 * i)));
}

// A collector drains one thread after the other. Therefore a batch may have instants after its watermark, and
// the next batch may have instants that are earlier than those.
TEST(OpenRecording, InstantsYoungerThanTheWatermarkAreWrittenInTheirOrder) {
  const ScratchFolder folder;
  auto writer = RecordingWriter::create(folder / "a.runahead", {}, {.gather_bytes = 0});
  for (std::int64_t round = 0; round < 10; ++round) {
    Batch batch;
    if (round == 0) batch.strings = {"", "a"};
    if (round == 0)
      batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
    for (std::int64_t i = 0; i < 1100; ++i)
      batch.instants.push_back(
          {timestamp_from_ns(1000 * round + i), TrackId{0}, StringId{1}, kNoOp, kNoArgs});
    batch.watermark = timestamp_from_ns(1000 * (round + 1));
    EXPECT_TRUE((*writer)->write(batch).ok());
  }
  EXPECT_TRUE((*writer)->finish().ok());
  const auto opened = open_recording_bytes(file_bytes(folder / "a.runahead"));
  ASSERT_EQ(opened->instant_count(), 11'000u);
  EXPECT_EQ(opened->instants().sequence().blocks().size(), 11'000 / kBlockRows);
  EXPECT_EQ(opened->store()->stats().loads, 0u) << "opening read blocks";
  for (std::uint64_t i = 1; i < 11'000; ++i) ASSERT_LE(opened->instant(i - 1).at, opened->instant(i).at);
  EXPECT_GT(opened->store()->stats().loads, 0u);
}

TEST(OpenRecording, ADamagedPieceOfACounterIsCountedAndKeepsItsExtremes) {
  std::string file = samples_and_instants(20'000);
  const auto read = read_recording(as_bytes(file));
  const auto index = read_recording_index(as_bytes(file));
  for (const IndexEntry& entry : index->blocks) {
    const bool rows = entry.kind == BlockKind::kCounters || entry.kind == BlockKind::kInstants;
    if (rows) file[static_cast<std::size_t>(entry.offset) + kBlockHeaderBytes + 9] ^= 1;
  }
  const auto opened = open_recording_bytes(file);
  ASSERT_NE(opened->store(), nullptr);
  const CounterSeries &whole = counter_of(*read), &series = counter_of(*opened);
  ASSERT_EQ(series.end_row(), whole.end_row());
  for (std::uint64_t row = 0; row < 19 * kBlockRows; row += kBlockRows) {
    const auto seen = series.extremes_of_rows(row + 1, row + kBlockRows);
    const auto really = whole.extremes_of_rows(row, row + kBlockRows);
    ASSERT_EQ(seen->min, really->min);
    ASSERT_EQ(seen->max, really->max);
    ASSERT_GE(opened->instant(row + 1).at, opened->instant(row).at);
  }
  EXPECT_EQ(opened->losses().of(LossCause::kFileUnreadable), 38u);
}

TEST(FineLod, HoldsTheLongestTimesThatARecordingMayHave) {
  std::vector<Slice> rows(kBlockRows, Slice{timestamp_from_ns(-kMaxTimeNs), timestamp_from_ns(-kMaxTimeNs)});
  rows[500].end = timestamp_from_ns(kMaxTimeNs);
  for (std::size_t i = 501; i < kBlockRows; ++i) rows[i].begin = rows[i].end = timestamp_from_ns(kMaxTimeNs);
  const FineLod fine(rows);
  const std::size_t bin = fine.bin_from(512) - 2;
  EXPECT_EQ(fine.first_row(bin), 500u);
  EXPECT_EQ(fine.bins().longest_ns(bin), 2 * kMaxTimeNs);
  EXPECT_EQ(fine.bins().begin_ns(0), -kMaxTimeNs);
  EXPECT_EQ(fine.bins().end_ns(fine.bins().size() - 1), kMaxTimeNs);
}

}  // namespace
}  // namespace runahead::recordings
