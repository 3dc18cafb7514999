// Tests the export to Chrome trace JSON and CSV: the output is valid and complete. It uses the terms that
// viewers expect.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "instrumentation/export/chrome_json.h"
#include "instrumentation/export/csv.h"
#include "instrumentation/files/json_text.h"
#include "instrumentation/trace/rows/row_description.h"
#include "tests/recording/random_batches.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::exporters {
using namespace trace;
using namespace files;
using namespace recordings;
namespace {

using namespace runahead::testing;
using nlohmann::json;

struct Exported {
  ExportCounts counts;
  json events, other;
};

Exported exported(const Trace& trace) {
  const ScratchFolder folder;
  const auto counts = export_chrome_json(trace, folder / "a.json");
  EXPECT_TRUE(counts.ok()) << counts.error().message;
  const json all = json::parse(file_bytes(folder / "a.json"));
  return {*counts, all["traceEvents"], all["otherData"]};
}

std::vector<json> of_phase(const Exported& out, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : out.events) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

std::int64_t ns_of(const json& us) {
  return static_cast<std::int64_t>(std::llround(us.get<double>() * 1000));
}

Trace random_trace(std::uint64_t seed) {
  RandomSource source(seed);
  Trace trace;
  for (int i = 0; i < 30; ++i) trace.append(source.next());
  return trace;
}

TEST(ChromeJson, EverySliceCounterAndInstantIsThere) {
  for (int round = 0; round < rounds(5, 2); ++round) {
    const Trace trace = random_trace(test_seed() + static_cast<std::uint64_t>(round));
    const Exported out = exported(trace);
    EXPECT_EQ(out.counts.slices, trace.counts().slices);
    EXPECT_EQ(out.counts.instants, trace.counts().instants);
    EXPECT_EQ(out.counts.counter_samples, trace.counts().counter_samples);
    EXPECT_EQ(of_phase(out, "X").size() + of_phase(out, "b").size(), out.counts.slices);
    EXPECT_EQ(of_phase(out, "C").size(), out.counts.counter_samples);
    EXPECT_EQ(of_phase(out, "i").size(), out.counts.instants);
    EXPECT_EQ(of_phase(out, "s").size(), out.counts.flows);
    EXPECT_EQ(of_phase(out, "f").size(), out.counts.flows);
    EXPECT_EQ(out.counts.flows + out.other["flows_left_out"].get<std::uint64_t>(), trace.flow_count());
  }
}

TEST(ChromeJson, SlicesOfAThreadNestOrDoNotTouch) {
  for (int round = 0; round < rounds(5, 2); ++round) {
    const Exported out = exported(random_trace(test_seed() + static_cast<std::uint64_t>(round)));
    std::map<int, std::vector<std::pair<std::int64_t, std::int64_t>>> threads;
    for (const json& event : of_phase(out, "X")) {
      const std::int64_t begin = ns_of(event["ts"]);
      threads[event["tid"].get<int>()].emplace_back(begin, -(begin + ns_of(event["dur"])));
    }
    for (auto& [tid, slices] : threads) {
      std::sort(slices.begin(), slices.end());
      std::vector<std::int64_t> ends;
      for (const auto& [begin, negative_end] : slices) {
        while (!ends.empty() && ends.back() <= begin) ends.pop_back();
        ASSERT_TRUE(ends.empty() || -negative_end <= ends.back()) << "thread " << tid << " at " << begin;
        ends.push_back(-negative_end);
      }
    }
  }
}

TEST(ChromeJson, FlowsStartBeforeTheyEndWithinASlice) {
  const Exported out = exported(random_trace(test_seed()));
  std::map<std::int64_t, std::int64_t> starts;
  const std::vector<json> slices = of_phase(out, "X");
  const auto inside_a_slice = [&](const json& flow) {
    for (const json& event : slices) {
      const std::int64_t begin = ns_of(event["ts"]), end = begin + ns_of(event["dur"]), t = ns_of(flow["ts"]);
      if (event["tid"] == flow["tid"] && begin <= t && (t < end || begin == end)) return true;
    }
    return false;
  };
  for (const json& flow : of_phase(out, "s")) {
    EXPECT_TRUE(inside_a_slice(flow));
    starts[flow["id"]] = ns_of(flow["ts"]);
  }
  EXPECT_EQ(starts.size(), out.counts.flows) << "ids differ";
  for (const json& flow : of_phase(out, "f")) {
    EXPECT_TRUE(inside_a_slice(flow));
    EXPECT_EQ(flow["bp"], "e");
    EXPECT_LE(starts.at(flow["id"]), ns_of(flow["ts"]));
  }
}

TEST(ChromeJson, AnArrowFromTheEndOfASliceBindsToIt) {
  const Trace trace = TraceBuilder{}
                          .track("main", TrackKind::kFrontend)
                          .slice("step", 0_ns, 1000_ns, SliceKind::kStep)
                          .slice("enqueue a", 100_ns, 50_ns, SliceKind::kEnqueue, OpId{1})
                          .slice("enqueue b", 150_ns, 50_ns, SliceKind::kEnqueue, OpId{2})
                          .slice("wait", 300_ns, 500_ns, SliceKind::kWait)
                          .track("cpu 0", TrackKind::kWorker)
                          .slice("a", 200_ns, 600_ns, SliceKind::kExecute, OpId{1})
                          .flow(FlowKind::kEnqueueToExecute, "main", 150_ns, "cpu 0", 200_ns, OpId{1})
                          .flow(FlowKind::kExecuteToWait, "cpu 0", 800_ns, "main", 800_ns, OpId{1})
                          .build();
  const Exported out = exported(trace);
  ASSERT_EQ(out.counts.flows, 2u);
  const std::vector<json> starts = of_phase(out, "s"), ends = of_phase(out, "f");
  // 1 ns earlier, so that the arrow starts in "enqueue a" and not in "enqueue b"
  EXPECT_EQ(ns_of(starts[0]["ts"]), 149);
  EXPECT_EQ(ns_of(ends[0]["ts"]), 200);
  EXPECT_EQ(ns_of(starts[1]["ts"]), 799);
  EXPECT_EQ(ns_of(ends[1]["ts"]), 799);  // inside "wait", the innermost slice at this time
}

TEST(ChromeJson, TimesAreExactAndRebased) {
  // ns since 1970; at this size a double has steps of 256 ns
  const std::int64_t start = 1'700'000'000'000'000'001;
  Batch batch;
  batch.strings = {"", "a"};
  batch.tracks.push_back(TrackInfo{.id = TrackId{0}, .kind = TrackKind::kThread, .name = "t"});
  batch.lanes.push_back({TrackId{0},
                         0,
                         {{timestamp_from_ns(start), timestamp_from_ns(start + 1), StringId{1}},
                          {timestamp_from_ns(start + 1001), timestamp_from_ns(start + 3010), StringId{1}}}});
  Trace trace;
  trace.append(std::move(batch));
  const ScratchFolder folder;
  ASSERT_TRUE(export_chrome_json(trace, folder / "a.json").ok());
  const std::string text = file_bytes(folder / "a.json");
  EXPECT_NE(text.find("\"ts\":0.000,\"dur\":0.001"), std::string::npos) << text;
  EXPECT_NE(text.find("\"ts\":1.001,\"dur\":2.009"), std::string::npos);
  EXPECT_NE(text.find("\"times_rebased_by_ns\":\"1700000000000000001\""), std::string::npos);
}

TEST(ChromeJson, OverlappingLanesOfAStreamGetThreadsOfTheirOwn) {
  const Trace trace = TraceBuilder{}
                          .group("virtual:0")
                          .track("compute", TrackKind::kStream)
                          .device("virtual:0")
                          .slice("a", 0_ns, 100_ns)
                          .depth(0)
                          .slice("b", 50_ns, 100_ns)
                          .depth(1)
                          .build();
  const Exported out = exported(trace);
  const std::vector<json> slices = of_phase(out, "X");
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_NE(slices[0]["tid"], slices[1]["tid"]);
  std::set<std::string> names;
  for (const json& event : of_phase(out, "M")) {
    if (event["name"] == "thread_name") names.insert(event["args"]["name"]);
  }
  EXPECT_EQ(names, (std::set<std::string>{"compute (simulated)", "compute (simulated) (2)"}));
}

TEST(ChromeJson, LivesOfOperationsAreAsynchronousEvents) {
  const Trace trace = TraceBuilder{}
                          .track("op lives", TrackKind::kQueue)
                          .slice("a", 0_ns, 100_ns)
                          .slice("b", 50_ns, 100_ns)
                          .slice("c", 60_ns, 0_ns)
                          .build();
  const Exported out = exported(trace);
  const std::vector<json> begins = of_phase(out, "b"), ends = of_phase(out, "e");
  ASSERT_EQ(begins.size(), 3u);
  ASSERT_EQ(ends.size(), 3u);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < 3; ++i) {
    ids.insert(begins[i]["id"].get<std::string>());
    EXPECT_EQ(begins[i]["id"], ends[i]["id"]);
    EXPECT_EQ(begins[i]["cat"], ends[i]["cat"]);
    EXPECT_LE(ns_of(begins[i]["ts"]), ns_of(ends[i]["ts"]));
  }
  EXPECT_EQ(ids.size(), 3u);
}

TEST(ChromeJson, CountersOfOneNameInAProcessStayApart) {
  const Trace trace = TraceBuilder{}
                          .group("Memory")
                          .counter("live")
                          .sample(0_ns, 1)
                          .counter("live")
                          .sample(0_ns, 2)
                          .sample(1_ns, std::nan(""))
                          .build();
  const Exported out = exported(trace);
  const std::vector<json> samples = of_phase(out, "C");
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_NE(samples[0]["name"], samples[1]["name"]);
  EXPECT_EQ(out.other["samples_without_number"], 1);
}

TEST(ChromeJson, ProcessesAndThreadsArePositiveAndNeverShareANumber) {
  const Exported out = exported(random_trace(test_seed()));
  std::set<int> pids, tids;
  for (const json& event : out.events) {
    pids.insert(event["pid"].get<int>());
    if (event["ph"] == "X") tids.insert(event["tid"].get<int>());
  }
  EXPECT_GT(*pids.begin(), 0);
  for (const int tid : tids) EXPECT_FALSE(pids.contains(tid));
}

TEST(ChromeJson, FactsOfASliceAreItsArguments) {
  const Trace trace =
      TraceBuilder{}
          .track("copy to device", TrackKind::kStream)
          .slice("copy", 0_ns, 10_ns, SliceKind::kCopyToDevice, OpId{(std::uint64_t{3} << 48) | 9})
          .bytes(4096)
          .flags(kSliceLate)
          .arg("link", "pcie")
          .arg("op", std::int64_t{77})
          .op(OpId{(std::uint64_t{3} << 48) | 9}, "copy", {.enqueued = 0_ns, .ended = 10_ns}, {.step = 5})
          .open_slice("open", 20_ns)
          .instant("mark", 3_ns)
          .watermark(50_ns)
          .loss(LossCause::kBufferFull, 2)
          .metadata("workload", "overlap")
          .build();
  const Exported out = exported(trace);
  const json args = of_phase(out, "X")[0]["args"];
  EXPECT_EQ(args["op"], 9);
  EXPECT_EQ(args["step"], 5);
  EXPECT_EQ(args["bytes"], 4096);
  EXPECT_EQ(args["flags"], "late");
  EXPECT_EQ(args["link"], "pcie");
  EXPECT_EQ(args["op_"], 77);
  EXPECT_EQ(of_phase(out, "X")[1]["args"]["flags"], "unfinished");
  EXPECT_EQ(ns_of(of_phase(out, "X")[1]["dur"]), 30);
  EXPECT_EQ(out.other["losses"]["buffer_full"], 2);
  EXPECT_EQ(out.other["metadata"]["workload"], "overlap");
}

TEST(ChromeJson, AnyBytesMakeAValidString) {
  Random random;
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::int64_t n = random.integer(0, 12); n > 0; --n)
      text += static_cast<char>(random.integer(0, 255));
    std::string out;
    append_json_string(out, text);
    const json read = json::parse(out);  // throws if the text is not valid UTF-8 or not escaped
    ASSERT_TRUE(read.is_string());
  }
  std::string out;
  append_json_string(out, "a\"b\\c\n\x01\xff\xc3\xa9\xe6\xbc\xa2\xed\xa0\x80");
  EXPECT_EQ(out, "\"a\\\"b\\\\c\\n\\u0001\\ufffd\xc3\xa9\xe6\xbc\xa2\\ufffd\\ufffd\\ufffd\"");
}

TEST(ChromeJson, AnEmptyTraceIsAValidFile) {
  const Exported out = exported(Trace{});
  EXPECT_TRUE(out.events.is_array());
  EXPECT_EQ(out.counts.slices, 0u);
}

#ifdef RUNAHEAD_HAVE_ZLIB
TEST(ChromeJson, ANameThatEndsInGzIsCompressedAndTheSame) {
  const ScratchFolder folder;
  const Trace trace = random_trace(test_seed());
  ASSERT_TRUE(export_chrome_json(trace, folder / "a.json").ok());
  ASSERT_TRUE(export_chrome_json(trace, folder / "a.json.gz").ok());
  const gzFile file = ::gzopen((folder / "a.json.gz").c_str(), "rb");
  std::string text(64u << 20, '\0');
  const int n = ::gzread(file, text.data(), static_cast<unsigned>(text.size()));
  ::gzclose(file);
  ASSERT_GT(n, 0);
  text.resize(static_cast<std::size_t>(n));
  EXPECT_EQ(text, file_bytes(folder / "a.json"));
  EXPECT_LT(std::filesystem::file_size(folder / "a.json.gz") * 3, text.size());
}
#endif

TEST(Export, AFailureLeavesNothingBehindAndSaysWhy) {
  const ScratchFolder folder;
  Trace trace = random_trace(test_seed());
  const auto into_folder = export_chrome_json(trace, folder.path());
  ASSERT_FALSE(into_folder.ok());
  EXPECT_NE(into_folder.error().message.find("is a directory"), std::string::npos);
  EXPECT_FALSE(export_csv(trace, folder / "missing" / "a.csv").ok());
  ASSERT_TRUE(save_recording(trace, folder / "a.runahead").ok());
  const auto over_recording = export_chrome_json(trace, folder / "a.runahead");
  ASSERT_FALSE(over_recording.ok());
  EXPECT_NE(over_recording.error().message.find("is a recording"), std::string::npos);
  const auto cancelled = export_chrome_json(trace, folder / "a.json", [](double) { return false; });
  // The export calls the progress function rarely, so a short export may end before the first call.
  EXPECT_TRUE(!cancelled.ok() || trace.counts().slices < 20'000);
  EXPECT_FALSE(std::filesystem::exists(folder / "missing"));
}

TEST(Export, AFullDiskIsReportedAndNothingIsLeft) {
  const ScratchFolder folder;
  const Trace trace = random_trace(test_seed());
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto ignored = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 1000;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto json_status = export_chrome_json(trace, folder / "a.json");
  const auto gz_status = export_chrome_json(trace, folder / "a.json.gz");
  const auto csv_status = export_csv(trace, folder / "a.csv");
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, ignored);
  EXPECT_FALSE(json_status.ok());
  EXPECT_FALSE(gz_status.ok());
  ASSERT_FALSE(csv_status.ok());
  EXPECT_NE(csv_status.error().message.find("cannot write"), std::string::npos) << csv_status.error().message;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Removes the last columns of each line: the columns that newer versions of Runahead have added to slices. In
// this test they have their default values.
std::string without_added_columns(const std::string& csv) {
  std::istringstream lines(csv);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    for (std::size_t left = kAddedCount<Slice>; left > 0; --left)
      line = line.substr(0, line.rfind(',')) + '\r';
    out += line + '\n';
  }
  return out;
}

TEST(Csv, ARowIsASlice) {
  const ScratchFolder folder;
  const Trace trace = TraceBuilder{}
                          .group("virtual:0")
                          .track("compute", TrackKind::kStream)
                          .device("virtual:0")
                          .slice("mat\"mul, big", 10_ns, 5_ns, SliceKind::kExecute, OpId{4})
                          .bytes(7)
                          .flags(kSliceLate | kSliceFailed)
                          .end_group()
                          .track("main", TrackKind::kFrontend)
                          .slice("step", 0_ns, 30_ns, SliceKind::kStep)
                          .open_slice("wait", 40_ns, SliceKind::kWait)
                          .op(OpId{4}, "matmul", {.enqueued = 1_ns, .ended = 15_ns}, {.step = 2})
                          .watermark(60_ns)
                          .build();
  ASSERT_TRUE(export_csv(trace, folder / "a.csv").ok());
  EXPECT_EQ(without_added_columns(file_bytes(folder / "a.csv")),
            "track,depth,begin_ns,duration_ns,name,kind,op,step,bytes,flags\r\n"
            "virtual:0/compute (simulated),0,10,5,\"mat\"\"mul, big\",execute,4,2,7,late|failed\r\n"
            "main,0,0,30,step,step,,,0,\r\n"
            "main,0,40,20,wait,wait,,,0,unfinished\r\n");
}

}  // namespace
}  // namespace runahead::exporters
