// Tests exports with an embedded recording. When such an export is opened again, the whole trace comes back.
// If the recording does not match the events, the events are read instead and the mismatch is counted.
#include "instrumentation/export/embedded_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <protozero/pbf_writer.hpp>

#include "instrumentation/export/chrome_json.h"
#include "instrumentation/export/perfetto_export.h"
#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/import/perfetto/perfetto_import.h"
#include "instrumentation/recording/recording.h"
#include "tests/import/perfetto_packets.h"
#include "tests/recording/random_batches.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::exporters {
using namespace trace;
using namespace files;
using namespace importers;
using namespace recordings;
namespace {

using namespace runahead::testing;

struct EmbeddedFormat {
  // The file name of the export. Its extension says the format.
  const char* name;
  Result<ExportCounts> (*write)(const Trace&, const std::filesystem::path&, const Progress&,
                                const ExportOptions&);
};
void PrintTo(const EmbeddedFormat& format, std::ostream* out) { *out << format.name; }

class EveryFormat : public ::testing::TestWithParam<EmbeddedFormat> {
 protected:
  std::string exported(const Trace& trace, const ExportOptions& options = {}) {
    const auto counts = GetParam().write(trace, path(), {}, options);
    EXPECT_TRUE(counts.ok()) << counts.error().message;
    return file_bytes(path());
  }
  Trace opened(std::string_view bytes) {
    write_file(path(), bytes);
    Result<Trace> trace = load_any(path());
    EXPECT_TRUE(trace.ok()) << trace.error().message;
    return std::move(trace).value();
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / GetParam().name; }
  [[nodiscard]] static bool compressed() { return std::string_view(GetParam().name).ends_with(".gz"); }
  ScratchFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Carried, EveryFormat,
                         ::testing::Values(EmbeddedFormat{"a.json", export_chrome_json},
                                           EmbeddedFormat{"a.json.gz", export_chrome_json},
                                           EmbeddedFormat{"a.pftrace", export_perfetto},
                                           EmbeddedFormat{"a.pftrace.gz", export_perfetto}));

Trace random_trace(std::uint64_t seed, int batches, std::int64_t most_rows = 20) {
  RandomSource source(seed, most_rows);
  Trace trace;
  for (int i = 0; i < batches; ++i) trace.append(source.next());
  trace.set_metadata("workload", "random \"rows\"\n");
  trace.set_metadata("empty", "");
  return trace;
}

// Returns the metadata of the trace, without the entries that describe the file.
std::map<std::string, std::string> facts(const Trace& trace) {
  std::map<std::string, std::string> out = trace.metadata();
  out.erase("format");
  out.erase("recording.ended");
  return out;
}

void expect_same(const Trace& a, const Trace& b) {
  const std::string first = rows_text(a), second = rows_text(b);
  const auto [x, y] = std::ranges::mismatch(first, second);
  const auto line = [](const std::string& text, auto at) {
    const std::size_t begin = text.rfind('\n', static_cast<std::size_t>(at - text.begin())) + 1;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_TRUE(first == second) << "first: " << line(first, x) << "\nthen:  " << line(second, y);
  EXPECT_EQ(facts(a), facts(b));
}

std::uint64_t stale(const Trace& trace) { return trace.losses().of(LossCause::kImportStale); }

// The trace has every kind of row with all its fields. Some rows have times before 0, and at the end of some
// arrows there is no slice.
TEST_P(EveryFormat, ATraceComesBackWithAllOfItsRows) {
  // The number of rows of each kind, summed over all rounds of the loop. The trace of a single round may have
  // no row of some kind.
  std::array<std::uint64_t, 7> rows{};
  constexpr int kRounds = rounds(6, 3);
  for (int round = 0; round < kRounds; ++round) {
    const Trace trace = random_trace(test_seed() + static_cast<std::uint64_t>(round), 30,
                                     round == kRounds - 1 ? rounds(1500, 400) : 20);
    const TraceCounts counts = trace.counts();
    const std::array here{counts.slices, counts.instants,     counts.counter_samples, counts.flows,
                          counts.ops,    counts.dependencies, counts.allocations};
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += here[i];
    const Trace back = opened(exported(trace));
    expect_same(back, trace);
    expect_same(opened(exported(back)), trace);  // a second export and import must not change the trace
  }
  EXPECT_THAT(rows, ::testing::Each(::testing::Gt(0u)));
}

TEST_P(EveryFormat, WhatIsStillOpenComesBackAsFromARecording) {
  Trace trace;
  const Track* thread = nullptr;
  for (std::uint64_t seed = test_seed(); thread == nullptr; ++seed) {  // not every random trace has a stream
    trace = random_trace(seed, 5);
    for (const Track& track : trace.tracks()) {
      if (track.info.kind == TrackKind::kStream) thread = &track;
    }
  }
  Batch open;
  const Timestamp at = trace.watermark() + Duration{5};
  open.open_slices.push_back({thread->info.id, 0, {.begin = at, .end = at, .kind = SliceKind::kWait}});
  open.open_ops.push_back({.id = OpId{999'999}, .enqueued = at, .output_bytes = 7});
  open.watermark = at + Duration{100};
  trace.append(std::move(open));
  ASSERT_TRUE(save_recording(trace, folder_ / "a.runahead").ok());
  const Result<Trace> recorded = load_recording(folder_ / "a.runahead");
  ASSERT_TRUE(recorded.ok());
  expect_same(opened(exported(trace)), *recorded);
}

TEST_P(EveryFormat, ATraceWithoutRowsComesBack) {
  Trace trace;
  trace.set_metadata("workload", "none");
  const Trace back = opened(exported(trace));
  expect_same(back, trace);
  EXPECT_EQ(stale(back), 0u);
}

TEST_P(EveryFormat, ItSaysWhichFormatItIs) {
  const std::string format = opened(exported(random_trace(1, 3))).metadata().at("format");
  const bool is_json = std::string_view(GetParam().name).starts_with("a.json");
  EXPECT_EQ(format, !is_json ? "perfetto" : compressed() ? "chrome json, gzip" : "chrome json");
}

TEST_P(EveryFormat, OnRequestTheEventsAreAll) {
  const Trace trace = random_trace(test_seed(), 20);
  const std::string alone = exported(trace, kEventsOnly), whole = exported(trace);
  EXPECT_LT(alone.size(), whole.size());
  const Trace back = opened(alone);
  EXPECT_EQ(stale(back), 0u);
  EXPECT_EQ(back.counts().allocations, 0u);
  EXPECT_EQ(back.counts().slices, trace.counts().slices);
}

// If the events of an export were changed later, an import must not use the embedded recording instead of the
// events.
TEST_P(EveryFormat, AnyChangedByteIsSeen) {
  const Trace trace = random_trace(test_seed(), 4);
  const std::string whole = exported(trace);
  const std::string rows = rows_text(trace);
  RandomSource random(test_seed());
  int changed = 0;
  // The test makes kAnywhere changes at random bytes. It makes kAtTheEnd more changes among the last kLast
  // bytes of the file: without a sanitizer, one in each of them. These bytes contain the recording's last
  // blocks and the hash.
  constexpr int kLast = 150;
  constexpr int kAnywhere = rounds(200), kAtTheEnd = rounds(kLast), kStep = kLast / kAtTheEnd;
  for (int round = 0; round < kAnywhere + kAtTheEnd; ++round) {
    std::string bytes = whole;
    const auto back_from_end = static_cast<std::size_t>(
        round < kAnywhere ? random.uniform(0, static_cast<std::int64_t>(bytes.size()) - 17)
                          : (round - kAnywhere) * kStep + random.uniform(0, kStep - 1));
    const std::size_t at = bytes.size() - 1 - back_from_end;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.uniform(0, 7)));
    write_file(path(), bytes);
    const Result<Trace> back = load_any(path());
    if (!back) continue;  // the import reported the damage
    // Only in a gzip file may a changed bit have no effect: the bit may be after the compressed data.
    const bool same = rows_text(*back) == rows;
    EXPECT_TRUE(stale(*back) == 1 || (same && compressed()) || back->losses().of(LossCause::kImportCut) > 0)
        << "byte " << at << " of " << bytes.size();
    changed += same ? 0 : 1;
  }
  EXPECT_GT(changed, (kAnywhere + kAtTheEnd) * 2 / 7);
}

TEST_P(EveryFormat, ACutOffFileIsReadByItsEvents) {
  if (compressed()) return;  // compressed files are tested by AnyChangedByteIsSeen
  const Trace trace = random_trace(test_seed(), 4);
  const std::string whole = exported(trace);
  const std::size_t events = exported(trace, kEventsOnly).size();
  ASSERT_LT(events + 500, whole.size());
  for (const std::size_t size : {events + 300, whole.size() - 60, whole.size() - 40, whole.size() - 2}) {
    const Trace back = opened(std::string_view(whole).substr(0, size));
    EXPECT_TRUE(stale(back) == 1 || back.losses().of(LossCause::kImportCut) > 0) << size;
    EXPECT_EQ(back.counts().slices, trace.counts().slices) << size;
    EXPECT_EQ(back.counts().allocations, 0u) << size;
  }
}

TEST_P(EveryFormat, OneExportBehindAnotherIsReadByTheEvents) {
  const std::string whole = exported(random_trace(test_seed(), 3));
  EXPECT_EQ(stale(opened(whole + whole)), 1u);
}

// The export is cancelled at several points. Then the disk becomes full while the export writes the embedded
// recording. In both cases the export must leave no file.
TEST_P(EveryFormat, AFailureLeavesNothingBehind) {
  const Trace trace = random_trace(test_seed(), 30, rounds(1500, 400));
  const std::size_t events = exported(trace, kEventsOnly).size();
  std::filesystem::remove(path());
  for (const double until : {0.01, 0.5, 0.85, 0.99}) {
    const auto status = GetParam().write(
        trace, path(), [&](double done) { return done < until; }, ExportOptions{});
    ASSERT_FALSE(status.ok()) << until;
    EXPECT_NE(status.error().message.find("was cancelled"), std::string::npos) << status.error().message;
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  }
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto ignored = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = events + 1000;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto status = GetParam().write(trace, path(), {}, ExportOptions{});
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, ignored);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("cannot write"), std::string::npos) << status.error().message;
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_P(EveryFormat, ItIsHalfAsLargeAsTheEventsAtMost) {
  const Trace trace = random_trace(test_seed(), 30, 1500);
  if (compressed()) return;
  EXPECT_LT(exported(trace).size(), 1.5 * static_cast<double>(exported(trace, kEventsOnly).size()));
}

// ---- JSON -------------------------------------------------------------------------------------------------

class EmbeddedJson : public ::testing::Test {
 protected:
  std::string exported(const Trace& trace) {
    EXPECT_TRUE(export_chrome_json(trace, folder_ / "a.json").ok());
    return file_bytes(folder_ / "a.json");
  }
  Trace opened(std::string_view bytes) {
    write_file(folder_ / "b.json", bytes);
    return std::move(load_any(folder_ / "b.json")).value();
  }
  ScratchFolder folder_;
};

TEST_F(EmbeddedJson, ItIsJsonThatOthersRead) {
  const Trace trace = random_trace(test_seed(), 4);
  const nlohmann::json all = nlohmann::json::parse(exported(trace));
  EXPECT_TRUE(all.at("traceEvents").is_array());
  EXPECT_TRUE(all.at("runahead.recording").at("base64").is_array());
}

// In this test, another program parses the export and writes it again, as a user's script may do. Later in
// the test, the program also leaves out the JSON members that only Runahead knows.
TEST_F(EmbeddedJson, WrittenAnewByAnotherProgramItIsReadByItsEvents) {
  const Trace trace = random_trace(test_seed(), 4);
  nlohmann::json all = nlohmann::json::parse(exported(trace));
  const Trace same = opened(all.dump());
  EXPECT_EQ(stale(same), 1u);
  EXPECT_EQ(same.counts().slices, trace.counts().slices);
  EXPECT_FALSE(same.metadata().contains("chrome.runahead"));
  all.erase("runahead.recording");
  EXPECT_EQ(stale(opened(all.dump())), 1u);
  all.erase("runahead");
  EXPECT_EQ(stale(opened(all.dump())), 0u);
}

TEST_F(EmbeddedJson, MembersOfThatNameInAForeignFileAreCountedAndNeverTrusted) {
  const std::string start(embedded_json::kStart);
  const std::string event = R"({"ph":"X","pid":1,"tid":1,"ts":5,"dur":2,"name":"a"}])";
  for (const std::string_view rest :
       {R"(,"runahead.recording":7})", "}", ",\n\"runahead.recording\":{}}",
        ",\n\"runahead.recording\":{\"bytes\":99999999999999999999999,\"base64\":[\n],\"hash\":\"0\"}}\n",
        ",\n\"runahead.recording\":{\"bytes\":0,\"base64\":[\n],\"hash\":\"0\"}}\n"}) {
    const Trace trace = opened(start + event + std::string(rest));
    EXPECT_EQ(stale(trace), 1u) << rest;
    EXPECT_EQ(trace.counts().slices, 1u) << rest;
  }
}

// ---- Perfetto ---------------------------------------------------------------------------------------------

TEST(EmbeddedPerfetto, PacketsOfThatNumberInAForeignFileAreCountedAndNeverTrusted) {
  PerfettoFile file;
  file.begin(5, 7, "a").end(9, 7);
  const std::uint64_t size = file.bytes().size();
  file.packet([](Message& packet) { packet.add_string(perfetto::packet::kEmbedded, "\x0a\x03xyz"); });
  file.packet([&](Message& packet) {
    Message tail(packet, perfetto::packet::kEmbedded);
    tail.add_fixed64(perfetto::embedded::kBegin, size);
    tail.add_fixed64(perfetto::embedded::kHash, 12345);
    tail.add_fixed64(perfetto::embedded::kTotal, 3);
  });
  const Result<Trace> trace = read_perfetto(as_bytes(file.bytes()));
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace->counts().slices, 1u);
  EXPECT_EQ(stale(*trace), 1u);
  EXPECT_EQ(trace->losses().of(LossCause::kImportSkipped), 0u);
}

}  // namespace
}  // namespace runahead::exporters
