// Tests numbers in a Chrome trace that are too large, negative, infinite or not numbers. Checks by which
// values the import replaces such numbers, and that a recording of the imported trace stores these values
// unchanged.
#include <gtest/gtest.h>

#include <string>

#include "instrumentation/import/chrome/json_event.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/allocation_table.h"
#include "tests/import/import_support.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/scratch_folder.h"

namespace runahead::importers {
using namespace trace;
using namespace recordings;
namespace {

using namespace runahead::testing;

// Imports the events in `list`. Checks that a recording of the trace has all rows.
Trace kept(std::string_view list) {
  Trace trace = imported(events(list));
  if (!recordings_supported()) return trace;
  const ScratchFolder folder;
  EXPECT_TRUE(save_recording(trace, folder / "a.runahead").ok());
  const Result<Trace> read = load_recording(folder / "a.runahead");
  EXPECT_TRUE(read.ok());
  EXPECT_EQ(read ? rows_text(*read) : "", rows_text(trace)) << list;
  return trace;
}

std::string slices_and_losses(const Trace& trace) {
  return lines_of(trace, "process 1/thread 1 ") + "; " + lines_of(trace, "lost ");
}

TEST(ImportNumbers, ALengthBeyondARecordingsReachIsDrawnToTheEnd) {
  EXPECT_EQ(slices_and_losses(kept(R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":4e15,"name":"a"},
                                      {"ph":"X","pid":1,"tid":1,"ts":1,"dur":4,"name":"b"})")),
            "0: a@0+5000! | 1: b@1000+4000; unfinished_slice: 1");
}

TEST(ImportNumbers, ATimeFarFromAllOthersCostsItsEventAlone) {
  // 4e15 us are about 127 years. The event "far" is 127 years before 0, and all others are 127 years after 0.
  // A trace cannot have times so far apart. Therefore only "far" is dropped.
  constexpr std::string_view kFew = R"({"ph":"X","pid":1,"tid":1,"ts":-4e15,"dur":4,"name":"far"},)";
  constexpr std::string_view kMany = R"({"ph":"X","pid":1,"tid":1,"ts":4e15,"dur":4,"name":"a"},
      {"ph":"B","pid":1,"tid":1,"ts":4000000000000010,"name":"b"},{"ph":"E","pid":1,"tid":1,"ts":4000000000000012})";
  EXPECT_EQ(slices_and_losses(kept(std::string(kFew) + std::string(kMany))),
            "0: a@0+4000 b@10000+2000; import_broken: 1");
  std::string near;
  for (int ts = 1; ts < 5; ++ts)
    near += R"({"ph":"i","pid":1,"tid":1,"name":"near","ts":)" + std::to_string(ts) + "},";
  const Trace late = kept(near + R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":4,"name":"a"},
      {"ph":"X","pid":1,"tid":1,"ts":10,"dur":4,"name":"b"},
      {"ph":"i","pid":1,"tid":1,"ts":4e15,"name":"far"},{"ph":"C","pid":1,"name":"far","ts":4e15,"args":{"v":1}},
      {"ph":"b","pid":1,"id":1,"cat":"c","ts":4e15,"name":"far"},{"ph":"s","pid":1,"tid":1,"id":1,"ts":4e15,"name":"far"})");
  EXPECT_EQ(slices_and_losses(late), "0: a@0+4000 b@10000+4000; import_broken: 4");
}

TEST(ImportNumbers, AnEpochBesideZeroIsNoMistake) {
  EXPECT_EQ(slices_and_losses(kept(R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a"},
                                      {"ph":"X","pid":1,"tid":1,"ts":1900000000000000,"dur":1,"name":"b"})")),
            "0: a@0+1000 b@1900000000000000000+1000; ");
}

TEST(ImportNumbers, ASizeThatNothingHasIsNone) {
  for (const char* size : {"1e18", "-9e17", "1e300", "\"inf\"", "NaN", "9007199254740994", "\"\""}) {
    const Trace trace = kept(
        R"({"ph":"X","cat":"gpu_memcpy","pid":1,"tid":1,"ts":0,"dur":4,"name":"Memcpy HtoD","args":{"bytes":)" +
        std::string(size) + "}}");
    EXPECT_EQ(trace.tracks()[1].lanes[0].slice(0).size_bytes, 0) << size;
    EXPECT_NE(trace.tracks()[1].lanes[0].slice(0).args, kNoArgs) << size;
  }
  const Trace trace = kept(
      R"({"ph":"X","cat":"gpu_memcpy","pid":1,"tid":1,"ts":0,"dur":4,"name":"Memcpy HtoD","args":{"bytes":9007199254740992}})");
  EXPECT_EQ(trace.tracks()[1].lanes[0].slice(0).size_bytes, std::int64_t{1} << 53);
}

TEST(ImportNumbers, WhatIsNoOperationsNumberStaysAnArgument) {
  for (const char* op : {"-1", "0", "281474976710656", "1e300", "\"nan\""}) {
    const Trace trace =
        kept(R"({"ph":"X","cat":"execute","pid":1,"tid":1,"ts":0,"dur":4,"name":"a","args":{"op":)" +
             std::string(op) + R"(,"bytes":-1e17}})");
    EXPECT_EQ(trace.tracks()[1].lanes[0].slice(0).op, kNoOp) << op;
    EXPECT_EQ(trace.args(trace.tracks()[1].lanes[0].slice(0).args).size(), 2u) << op;
  }
}

TEST(ImportNumbers, ASampleThatIsNoNumberIsCounted) {
  const Trace trace = kept(R"({"ph":"C","pid":1,"name":"c","ts":0,"args":{"v":"nan"}},
      {"ph":"C","pid":1,"name":"c","ts":1,"args":{"v":"-inf"}},{"ph":"C","pid":1,"name":"c","ts":2,"args":{"v":NaN}},
      {"ph":"C","pid":1,"name":"c","ts":3,"args":{"v":1e400}},{"ph":"C","pid":1,"name":"c","ts":4,"args":{"v":""}},
      {"ph":"C","pid":1,"name":"c","ts":5,"args":{"v":1e300}},
      {"ph":"C","pid":1,"name":"c","ts":6,"args":{"v":18446744073709551616}},
      {"ph":"C","pid":1,"name":"c","ts":7,"args":{"v":"-1"}})");
  EXPECT_EQ(lines_of(trace, "counter process 1/c v:"), " 0=1e+300 1000=1.84467440737096e+19 2000=-1");
  EXPECT_EQ(lines_of(trace, "lost "), "import_skipped: 5");
}

TEST(ImportNumbers, AnAllocatorsOddNumbersMakeNoSample) {
  const Trace trace = kept(R"(
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":0,"args":{"Device Type":1,"Device Id":0,"Bytes":8,"Total Allocated":8,"Total Reserved":"inf"}},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":1,"args":{"Device Type":1,"Device Id":0,"Bytes":-9223372036854775808,"Addr":1,"Total Allocated":"nan"}},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":2,"args":{"Device Type":1e300,"Device Id":"x","Bytes":1e300,"Addr":1e300}})");
  EXPECT_EQ(lines_of(trace, "counter process 9/gpu 0 allocated:"), " 0=8 1000=8");
  EXPECT_EQ(trace.allocations().size(), 0u);
}

TEST(ImportNumbers, AddressesFrom2To63OnAreApart) {
  const auto memory = [](int ts, const char* address, int bytes) {
    return R"({"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":)" + std::to_string(ts) +
           R"(,"args":{"Device Type":1,"Device Id":0,"Addr":)" + address + R"(,"Bytes":)" +
           std::to_string(bytes) + "}}";
  };
  const Trace trace =
      kept(memory(0, "18446744073709551615", 8) + "," + memory(1, "18446744073709551614", 16) + "," +
           memory(2, "\"0xffffffffffffffff\"", -8) + "," + memory(3, "-2", -16));
  ASSERT_EQ(trace.allocations().size(), 2u);
  EXPECT_EQ(ns_from(trace.allocations().row(0).end), 2000);
  EXPECT_EQ(ns_from(trace.allocations().row(1).end), 3000);
}

TEST(ImportNumbers, IdsOfAllKindsKeepAll64BitsAndTheirSigns) {
  constexpr const char* kIds[] = {"-1",
                                  "18446744073709551615",
                                  "18446744073709551616",
                                  "9223372036854775807",
                                  "-9223372036854775808",
                                  "\"0xffffffffffffffff\"",
                                  "1e300"};
  std::string list;
  int ts = 0;
  for (const char* id : kIds) {
    const std::string at = std::to_string(ts++);
    list += std::string(list.empty() ? "" : ",") + R"({"ph":"C","pid":1,"name":"c","id":)" + id +
            R"(,"ts":)" + at + R"(,"args":{"value":1}},{"ph":"b","cat":"k","name":"a","pid":1,"id":)" + id +
            R"(,"ts":)" + at + R"(},{"ph":"e","cat":"k","name":"a","pid":1,"id":)" + id + R"(,"ts":)" + at +
            R"(},{"ph":"X","pid":)" + id + R"(,"tid":1,"dur":1,"ts":)" + at + R"(,"name":"p"})";
  }
  const Trace trace = kept(list);
  // "0xffffffffffffffff" and 2^64 - 1 are the same id, but -1 is a different id. Therefore the seven ids in
  // the file are six different ids.
  EXPECT_EQ(trace.counts().counters, 6u);
  std::size_t processes = 0, asyncs = 0;
  for (const Track& track : trace.tracks()) {
    processes += track.info.kind == TrackKind::kGroup ? 1 : 0;
    asyncs += track.info.kind == TrackKind::kAsync ? 1 : 0;
  }
  EXPECT_EQ(processes, 6u + 1);
  EXPECT_EQ(asyncs, 6u);
  EXPECT_TRUE(trace.losses().none());
}

TEST(ImportNumbers, AFlowOfEachIdIsAFlowOfItsOwn) {
  const auto flow = [](const char* id, int from, int to) {
    return R"(,{"ph":"s","cat":"f","name":"n","pid":1,"tid":1,"id":)" + std::string(id) + R"(,"ts":)" +
           std::to_string(from) + R"(},{"ph":"f","bp":"e","cat":"f","name":"n","pid":1,"tid":2,"id":)" + id +
           R"(,"ts":)" + std::to_string(to) + "}";
  };
  const Trace trace = kept(R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":50,"name":"a"},
      {"ph":"X","pid":1,"tid":2,"ts":0,"dur":90,"name":"b"},
      {"ph":"X","pid":1,"tid":3,"ts":0,"dur":1,"name":"c","bind_id":-1,"flow_out":true},
      {"ph":"X","pid":1,"tid":4,"ts":2,"dur":1,"name":"d","bind_id":18446744073709551615,"flow_out":true},
      {"ph":"X","pid":1,"tid":5,"ts":9,"dur":1,"name":"e","bind_id":"0xffffffffffffffff","flow_in":true})" +
                           flow("-1", 1, 61) + flow("18446744073709551615", 2, 62) +
                           flow("9223372036854775808", 3, 63) + flow("-9223372036854775808", 4, 64));
  EXPECT_EQ(lines_of(trace, "flow n: process 1/thread 1@"),
            "1000 -> process 1/thread 2@61000 | 2000 -> process 1/thread 2@62000 | "
            "3000 -> process 1/thread 2@63000 | 4000 -> process 1/thread 2@64000");
  EXPECT_EQ(lines_of(trace, "flow : "), "process 1/thread 4@2000 -> process 1/thread 5@9000");
  EXPECT_EQ(lines_of(trace, "lost "), "unbound_flow: 1");
}

TEST(ImportNumbers, APlaceInTheOrderThatNoneHasIsTheNearest) {
  const Trace trace = kept(R"({"ph":"M","name":"process_sort_index","pid":1,"args":{"sort_index":1e300}},
      {"ph":"M","name":"thread_sort_index","pid":1,"tid":1,"args":{"sort_index":"-inf"}},
      {"ph":"M","name":"thread_sort_index","pid":1,"tid":2,"args":{"sort_index":NaN}},
      {"ph":"X","pid":1,"tid":1,"ts":0,"dur":4,"name":"a"},{"ph":"X","pid":1,"tid":2,"ts":0,"dur":4,"name":"a"})");
  ASSERT_EQ(trace.tracks().size(), 3u);
  EXPECT_GT(trace.tracks()[0].info.sort_order, 1 << 30);
  EXPECT_LT(trace.tracks()[1].info.sort_order, -(1 << 30));
  EXPECT_EQ(trace.tracks()[2].info.sort_order, 0);
}

TEST(ImportNumbers, AKeyIsAWholeNumberOrNone) {
  for (const char* text : {"", "-", "x", "1e3", "0x", "0x-1", "+7", "1.5", "18446744073709551616", "nan"})
    EXPECT_EQ(number_key(text).kind, EventKey::Kind::kNone) << text;
  EXPECT_EQ(number_key("7.00").value, 7);
  EXPECT_EQ(number_key("0X1f").value, 31);
}

}  // namespace
}  // namespace runahead::importers
