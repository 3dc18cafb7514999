// Tests recordings that are written as several files, called parts. Every row is in exactly one part. Each
// part can be opened alone. If a recording keeps only its end (keep_last), it keeps at least the requested
// time.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <random>

#include "instrumentation/record/file_sink.h"
#include "instrumentation/record/files/file_names.h"
#include "tests/recording/random_batches.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/literals.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"

namespace runahead::record {
namespace {

namespace fs = std::filesystem;
using namespace runahead::testing;
using trace::Batch;
using trace::LossCause;

trace::Trace open(const fs::path& path) {
  auto trace = recordings::load_recording(path);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return trace.ok() ? std::move(trace).value() : trace::Trace();
}

std::uint64_t rows_in(const trace::Trace& trace) {
  const trace::TraceCounts counts = trace.counts();
  return counts.slices + counts.counter_samples + counts.instants + counts.ops + counts.flows +
         counts.dependencies + counts.allocations;
}

// Writes one batch after the other to a sink, as a collector does. When a part is full, a new part begins.
// Each new part gets all definitions so far.
class Source {
 public:
  void write(FileSink& sink, const Batch& batch) {
    if (sink.part_is_full()) lost_ += sink.next_part(definitions_);
    lost_ += sink.write(batch);
    definitions_.strings.insert(definitions_.strings.end(), batch.strings.begin(), batch.strings.end());
    definitions_.tracks.insert(definitions_.tracks.end(), batch.tracks.begin(), batch.tracks.end());
    definitions_.args.insert(definitions_.args.end(), batch.args.begin(), batch.args.end());
  }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  Batch definitions_;
  std::uint64_t lost_ = 0;
};

std::vector<Batch> random_batches(std::uint64_t seed, int count) {
  RandomSource random(seed);
  std::vector<Batch> batches;
  for (int i = 0; i < count; ++i) {
    batches.push_back(random.next());
    batches.back().open_slices.clear();  // RandomSource never ends these slices
  }
  return batches;
}

EndedFile record(const std::vector<Batch>& batches, const fs::path& path, const FileLimits& limits) {
  FileSink sink;
  const Status started = sink.start(path, {}, Batch{}, limits);
  EXPECT_TRUE(started.ok()) << started.error().message;
  Source source;
  for (const Batch& batch : batches) source.write(sink, batch);
  return sink.stop();
}

// A random duration: at least a hundredth of the time range of all batches, at most the complete range.
Duration any_part_of(const std::vector<Batch>& batches, std::mt19937_64& random) {
  const std::int64_t all = (batches.back().watermark - batches.front().watermark).count();
  return Duration{
      std::uniform_int_distribution<std::int64_t>(std::max<std::int64_t>(all / 100, 1), all)(random)};
}

TEST(FileParts, TheRowsOfAllPartsAreThoseOfTheRunRecordedWhole) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 12; ++round) {
    const ScratchFolder folder;
    const std::vector<Batch> batches = random_batches(random(), 60);
    EndedFile whole = record(batches, folder / "whole.runahead", {});
    ASSERT_TRUE(settle(whole).ok());
    EndedFile parts =
        record(batches, folder / "a.runahead", {.rotate = {.time = any_part_of(batches, random)}});
    ASSERT_TRUE(settle(parts).ok());
    EXPECT_EQ(parts.files, part_files(folder / "a.runahead"));
    std::uint64_t rows = 0;
    for (const fs::path& file : parts.files) rows += rows_in(open(file));
    const trace::Trace expected = open(folder / "whole.runahead");
    EXPECT_EQ(rows, rows_in(expected)) << parts.files.size() << " parts";
    ASSERT_TRUE(recordings::join_recordings(parts.parts, folder / "joined.runahead").ok());
    EXPECT_EQ(rows_text(open(folder / "joined.runahead")), rows_text(expected));
  }
}

TEST(FileParts, OfTheLastSoMuchIsKeptInOneFileAndTheRestIsCounted) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 12; ++round) {
    const ScratchFolder folder;
    const std::vector<Batch> batches = random_batches(random(), 80);
    const Duration wanted = any_part_of(batches, random);
    EndedFile whole = record(batches, folder / "whole.runahead", {});
    EndedFile kept = record(batches, folder / "a.runahead", {.keep_last = {.time = wanted}});
    ASSERT_TRUE(settle(kept).ok());
    EXPECT_EQ(kept.files, std::vector<fs::path>{folder / "a.runahead"});
    EXPECT_TRUE(part_files(folder / "a.runahead").empty());
    const trace::Trace all = open(whole.files.front()), last = open(folder / "a.runahead");
    EXPECT_EQ(rows_in(last) + last.losses().of(LossCause::kEvicted), rows_in(all));
    // The file keeps only the end of the recording. This end must be at least `wanted` long, and the file
    // must have all slices of this time range.
    const Timestamp from = batches.back().watermark - wanted;
    std::uint64_t expected = 0;
    for (const Batch& batch : batches) {
      if (batch.watermark <= from) continue;
      for (const trace::LaneRows& lane : batch.lanes) expected += lane.rows.size();
    }
    EXPECT_GE(last.counts().slices, expected);
    EXPECT_EQ(all.losses().of(LossCause::kBufferFull), last.losses().of(LossCause::kBufferFull))
        << "losses of deleted parts are still reported";
  }
}

// A batch that covers one millisecond and has sixty slices. Their times are random, so that they do not
// compress.
Batch busy_batch(int number, std::mt19937_64& random) {
  Batch batch;
  if (number == 0) {
    batch.strings = {"", "work"};
    trace::TrackInfo info;
    info.id = TrackId{0};
    info.kind = trace::TrackKind::kThread;
    info.name = "t";
    batch.tracks = {info};
  }
  trace::LaneRows lane{TrackId{0}, 0, {}};
  Timestamp at = timestamp_from_ns(0) + Duration{std::int64_t{number} * 1'000'000};
  for (int i = 0; i < 60; ++i) {
    const auto gap = [&] { return Duration{static_cast<std::int64_t>(random() % 8000)}; };
    trace::Slice slice{};
    slice.begin = at + gap();
    slice.end = slice.begin + gap();
    slice.name = StringId{1};
    at = slice.end;
    lane.rows.push_back(slice);
  }
  batch.lanes.push_back(std::move(lane));
  batch.watermark = timestamp_from_ns(0) + Duration{(std::int64_t{number} + 1) * 1'000'000};
  return batch;
}

std::uint64_t bytes_of_parts(const fs::path& path) {
  std::uint64_t bytes = 0;
  for (const fs::path& part : part_files(path)) bytes += fs::file_size(part);
  return bytes;
}

TEST(FileParts, OnTheDiskIsNeverMoreThanFiveQuartersOfWhatIsKept) {
  const ScratchFolder folder;
  std::mt19937_64 random(test_seed());
  // A sink collects at least 64 KiB of rows before it writes them. Therefore the files may exceed the limit
  // by the size of one such group of rows.
  constexpr std::uint64_t kKept = 256 << 10, kOneBatch = 96 << 10;
  FileSink sink;
  ASSERT_TRUE(sink.start(folder / "a.runahead", {}, Batch{}, {.keep_last = {.bytes = kKept}}).ok());
  Source source;
  std::uint64_t written = 0, most = 0;
  for (int i = 0; i < 4000; ++i) {
    source.write(sink, busy_batch(i, random));
    const std::uint64_t now = bytes_of_parts(folder / "a.runahead");
    EXPECT_EQ(now, sink.bytes());
    written = std::max(written, now);
    most = std::max(most, now);
    ASSERT_GE(now, std::min(written, kKept)) << "batch " << i;
    ASSERT_LE(now, kKept + kKept / 4 + kOneBatch) << "batch " << i;
  }
  EXPECT_GT(most, kKept);
  EndedFile ended = sink.stop();
  ASSERT_TRUE(settle(ended).ok());
  const trace::Trace last = open(folder / "a.runahead");
  EXPECT_GT(last.losses().of(LossCause::kEvicted), 0u);
  EXPECT_EQ(last.counts().slices + last.losses().of(LossCause::kEvicted), 4000u * 60u);
}

// Batch `number` of `count` batches. One slice stays open through all batches. Each batch also has a shorter
// slice on the lane below.
Batch batch_within(int number, int count) {
  Batch batch;
  if (number == 0) {
    batch.strings = {"", "outer", "inner"};
    trace::TrackInfo info;
    info.id = TrackId{0};
    info.kind = trace::TrackKind::kThread;
    info.name = "t";
    batch.tracks = {info};
  }
  const auto time = [](int ms) { return timestamp_from_ns(0) + Duration{std::int64_t{ms} * 1'000'000}; };
  trace::Slice outer{}, inner{};
  outer.begin = time(1);
  outer.name = StringId{1};
  inner.begin = time(10 * number + 2);
  inner.end = time(10 * number + 5);
  inner.name = StringId{2};
  batch.lanes.push_back({TrackId{0}, 1, {inner}});
  batch.watermark = time(10 * number + 10);
  if (number + 1 < count) {
    batch.open_slices.push_back({TrackId{0}, 0, outer});
  } else {
    outer.end = batch.watermark;
    batch.lanes.push_back({TrackId{0}, 0, {outer}});
  }
  return batch;
}

TEST(FileParts, AnOpenSliceIsInEachPartUnfinishedAndInTheJoinedFileOnce) {
  const ScratchFolder folder;
  constexpr int kBatches = 5;
  std::vector<Batch> batches;
  for (int i = 0; i < kBatches; ++i) batches.push_back(batch_within(i, kBatches));
  EndedFile parts = record(batches, folder / "a.runahead", {.keep_last = {.time = Duration{40'000'000}}});
  ASSERT_EQ(parts.files.size(), std::size_t{kBatches - 1})
      << "the time of the first part starts with its first batch";
  for (const fs::path& file : parts.files) {
    const trace::Trace part = open(file);
    EXPECT_EQ(part.track(TrackId{0}).info.name, "t") << "definitions are in every part";
    if (file == parts.files.back()) continue;
    ASSERT_EQ(part.track(TrackId{0}).lanes.at(0).size(), 1u) << file;
    EXPECT_NE(part.track(TrackId{0}).lanes[0].slice(0).flags & trace::kSliceUnfinished, 0);
    EXPECT_EQ(part.string(part.track(TrackId{0}).lanes[0].slice(0).name), "outer");
  }
  ASSERT_TRUE(settle(parts).ok());
  const trace::Trace joined = open(folder / "a.runahead");
  const trace::Lane& outer = joined.track(TrackId{0}).lanes.at(0);
  ASSERT_EQ(outer.size(), 1u);
  EXPECT_EQ(outer.slice(outer.first_row()).flags & trace::kSliceUnfinished, 0);
  EXPECT_EQ(outer.slice(outer.first_row()).end, batches.back().watermark);
}

TEST(FileParts, ThePartsOfAWriterThatWasCutOffOpen) {
  const ScratchFolder folder;
  const fs::path kept = folder / "a.runahead";
  std::mt19937_64 random(test_seed());
  FileSink sink;
  ASSERT_TRUE(sink.start(kept, {}, Batch{}, {.keep_last = {.time = 200_ms}}).ok());
  Source source;
  for (int i = 0; i < 2000; ++i) source.write(sink, busy_batch(i, random));
  // If the process were killed now, the files would stay as they are. Copies of the files show what a reader
  // would then find.
  std::uint64_t slices = 0;
  for (const fs::path& part : part_files(kept)) {
    fs::copy_file(part, folder / "copy.runahead", fs::copy_options::overwrite_existing);
    slices += open(folder / "copy.runahead").counts().slices;
  }
  EXPECT_GT(slices, 100u * 60u);
}

TEST(FileParts, ThoseOfAnEarlierRecordingStay) {
  const ScratchFolder folder;
  const std::vector<Batch> batches = random_batches(test_seed(), 10);
  const EndedFile first = record(batches, folder / "a.runahead", {.rotate = {.time = 1_ns}});
  ASSERT_GT(first.files.size(), 1u);
  const std::string before = file_bytes(first.files.back());
  const EndedFile second = record(batches, folder / "a.runahead", {.rotate = {.time = 1_ns}});
  EXPECT_EQ(file_bytes(first.files.back()), before);
  EXPECT_EQ(part_files(folder / "a.runahead").size(), first.files.size() + second.files.size());
  EXPECT_EQ(second.files.front(), part_name(folder / "a.runahead", static_cast<int>(first.files.size()) + 1));
}

TEST(FileParts, WhereANewPartCannotBeMadeTheOldOneGoesOnAndItIsSaid) {
  const ScratchFolder folder;
  const std::vector<Batch> batches = random_batches(test_seed(), 40);
  FileSink sink;
  ASSERT_TRUE(sink.start(folder / "a.runahead", {}, Batch{}, {.rotate = {.time = 1_ns}}).ok());
  fs::create_directory(folder / "a.0002.runahead");
  Source source;
  for (const Batch& batch : batches) source.write(sink, batch);
  EndedFile ended = sink.stop();
  const Status status = settle(ended);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("a.0002.runahead': is a directory"), std::string::npos)
      << status.error().message;
  EXPECT_EQ(status.error().message.find('\n'), std::string::npos);
  EXPECT_EQ(source.lost(), 0u);
  ASSERT_EQ(ended.files.size(), 1u);
  EndedFile whole = record(batches, folder / "whole.runahead", {});
  EXPECT_EQ(rows_text(open(ended.files.front())), rows_text(open(whole.files.front())));
}

TEST(FileParts, AFullDiskKeepsWhatWasWrittenSaysSoOnceAndCountsTheRest) {
  const ScratchFolder folder;
  std::mt19937_64 random(test_seed());
  FileSink sink;
  ASSERT_TRUE(sink.start(folder / "a.runahead", {}, Batch{}, {.rotate = {.bytes = 200'000}}).ok());
  Source source;
  std::uint64_t before = 0;
  {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{}, small{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 4000; ++i) {
      source.write(sink, busy_batch(i, random));
      if (part_files(folder / "a.runahead").size() < 3 || before != 0) continue;
      before = 1;
      small = limit;
      small.rlim_cur = 100'000;
      ::setrlimit(RLIMIT_FSIZE, &small);
    }
    EndedFile ended = sink.stop();
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ASSERT_EQ(before, 1u);
    EXPECT_FALSE(ended.status.ok());
    EXPECT_NE(ended.status.error().message.find("cannot write"), std::string::npos)
        << ended.status.error().message;
    EXPECT_EQ(ended.status.error().message.find('\n'), std::string::npos);
    EXPECT_GT(source.lost(), 0u);
    EXPECT_GE(ended.files.size(), 3u);
    for (const fs::path& file : ended.files) EXPECT_GT(open(file).counts().slices, 0u) << file;
  }
}

TEST(FileParts, WhereTheyCannotBeJoinedTheyStay) {
  const ScratchFolder folder;
  const std::vector<Batch> batches = random_batches(test_seed(), 40);
  EndedFile kept = record(batches, folder / "a.runahead", {.keep_last = {.time = 4_ns}});
  fs::create_directory(folder / "a.runahead");
  const std::vector<fs::path> files = kept.files;
  const Status status = settle(kept);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("all is in '"), std::string::npos) << status.error().message;
  EXPECT_EQ(kept.files, files);
  for (const fs::path& file : files) EXPECT_TRUE(fs::exists(file));
}

TEST(FileLimits, AreReadAsAPersonWritesThem) {
  EXPECT_EQ(*parse_amount("rotate", ""), Amount{});
  EXPECT_EQ(*parse_amount("rotate", "64M"), (Amount{.bytes = 64'000'000}));
  EXPECT_EQ(*parse_amount("rotate", "1Gi"), (Amount{.bytes = 1u << 30}));
  EXPECT_EQ(*parse_amount("rotate", "1.5s"), (Amount{.time = 1500_ms}));
  EXPECT_EQ(*parse_amount("rotate", "10min"), (Amount{.time = 600_s}));
  for (const char* wrong : {"0", "-1s", "s", "0s", "64MM", "nan s", "1e30s", "10m"}) {
    EXPECT_FALSE(parse_amount("rotate", wrong).ok()) << wrong;
  }
  EXPECT_TRUE(parse_limits("1M", "").ok());
  EXPECT_FALSE(parse_limits("1M", "1M").ok()) << "both";
  EXPECT_FALSE(parse_limits("1k", "").ok()) << "too small";
  EXPECT_FALSE(parse_limits("", "128k").ok()) << "quarters too small";
}

TEST(FileNames, OfPartsAreToldFromOthers) {
  const ScratchFolder folder;
  const fs::path path = folder / "a.runahead";
  for (const char* name :
       {"a.0001.runahead", "a.0010.runahead", "a.12345.runahead", "a.pid7.runahead", "a.1.runahead",
        "a.0000.runahead", "b.0002.runahead", "a.00003.runahead", "a.0004", "a.runahead"}) {
    write_file(folder / name, "");
  }
  EXPECT_EQ(part_files(path),
            (std::vector<fs::path>{part_name(path, 1), part_name(path, 10), part_name(path, 12345)}));
  EXPECT_EQ(last_part_number(path), 12345);
  EXPECT_EQ(last_part_number(folder / "none.runahead"), 0);
}

}  // namespace
}  // namespace runahead::record
