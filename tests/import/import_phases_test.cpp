// Tests what each phase of a Chrome trace becomes: slices, asynchronous slices, instants, counters, names.
#include <gtest/gtest.h>

#include "tests/import/import_support.h"

namespace runahead::importers {
using namespace trace;
namespace {

using namespace runahead::testing;

// ---- X ----------------------------------------------------------------------------------------------------

TEST(ImportComplete, SlicesNestByTimeWhateverTheirOrderInTheFile) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":7,"ts":12,"dur":2,"name":"child"},
      {"ph":"X","pid":1,"tid":7,"ts":10,"dur":10,"name":"parent"})"));
  EXPECT_EQ(trace_text(trace),
            "process 1/thread 7 0: parent@0+10000\n"
            "process 1/thread 7 1: child@2000+2000\n");
}

TEST(ImportComplete, OverlapInPartTakesALaneAndDropsNothing) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":7,"ts":0,"dur":10,"name":"a"},
      {"ph":"X","pid":1,"tid":7,"ts":5,"dur":10,"name":"b"})"));
  EXPECT_EQ(trace_text(trace),
            "process 1/thread 7 0: a@0+10000\n"
            "process 1/thread 7 1: b@5000+10000\n");
}

TEST(ImportComplete, WithoutATimeItIsCounted) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":1,"dur":1,"name":"a"}, {"ph":"X","pid":1,"tid":1,"ts":"soon","dur":1},
      {"ph":"X","pid":1,"tid":1,"ts":1e400,"dur":1}, {"pid":1,"tid":1,"ts":1,"dur":1,"name":"no phase"})"));
  EXPECT_EQ(trace_text(trace), "lost import_broken: 4\n");
}

TEST(ImportComplete, WithoutALengthItIsDrawnToTheEndAndMarked) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"whole"}, {"ph":"X","pid":1,"tid":2,"ts":1,"name":"none"},
      {"ph":"X","pid":1,"tid":3,"ts":2,"dur":null,"name":"null"}, {"ph":"X","pid":1,"tid":4,"ts":3,"dur":NaN,"name":"nan"},
      {"ph":"X","pid":1,"tid":5,"ts":4,"dur":"long","name":"word"}, {"ph":"X","pid":1,"tid":6,"ts":5,"dur":1e400,"name":"huge"},
      {"ph":"X","pid":1,"tid":7,"ts":6,"dur":4611686018427387,"name":"beyond"})"));
  EXPECT_EQ(trace_text(trace),
            "lost unfinished_slice: 6\n"
            "process 1/thread 1 0: whole@0+9000\n"
            "process 1/thread 2 0: none@1000+8000!\n"
            "process 1/thread 3 0: null@2000+7000!\n"
            "process 1/thread 4 0: nan@3000+6000!\n"
            "process 1/thread 5 0: word@4000+5000!\n"
            "process 1/thread 6 0: huge@5000+4000!\n"
            "process 1/thread 7 0: beyond@6000+3000!\n");
}

TEST(ImportComplete, WithoutALengthItHoldsWhatBeginsInIt) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":1,"ts":0,"name":"a"}, {"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"name":"in a"},
      {"ph":"X","pid":1,"tid":2,"ts":1,"dur":6,"name":"b"})"));
  EXPECT_EQ(trace_text(trace),
            "lost unfinished_slice: 1\n"
            "process 1/thread 1 0: a@0+7000!\n"
            "process 1/thread 1 1: in a@2000+1000\n"
            "process 1/thread 2 0: b@1000+6000\n");
}

TEST(ImportComplete, OfNegativeLengthItHasNoneAndIsCounted) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":1,"ts":5,"dur":-1,"name":"a"}, {"ph":"X","pid":1,"tid":1,"ts":9,"dur":-4611686018427386,"name":"b"},
      {"ph":"X","pid":1,"tid":1,"ts":-2300000000000000,"dur":-4611686018427387,"name":"c"})"));
  EXPECT_EQ(trace.counts().slices, 3u);
  EXPECT_EQ(lines_of(trace, "lost "), "clock_went_back: 2 | unfinished_slice: 1");
}

TEST(ImportComplete, ALengthThatCannotBeReadIsNoMatterToOtherPhases) {
  EXPECT_EQ(trace_text(imported(events(R"({"ph":"i","pid":1,"tid":1,"ts":5,"dur":"long","name":"a"})"))),
            "instant process 1/thread 1: a@0\n");
}

TEST(ImportComplete, ArgumentsAreKeptNestedOnesAsTheirText) {
  const Trace trace = imported(events(
      R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a","args":{"i":7,"d":0.5,"s":"x\n\"y\"","o":{"k":[1, 2]},
          "l":[],"b":true,"n":null,"big":18446744073709551615,"nan":NaN}})"));
  EXPECT_EQ(lines_of(trace, "process 1/thread 1 0: "),
            "a@0+1000{i=7,d=0.5,s='x\n\"y\"',o='{\"k\":[1, 2]}',l='[]',b='true',n='null',"
            "big='18446744073709551615',nan=nan}");
}

// ---- B and E ----------------------------------------------------------------------------------------------

TEST(ImportBeginEnd, AStackPerThread) {
  const Trace trace = imported(events(R"(
      {"ph":"B","pid":1,"tid":1,"ts":0,"name":"a"}, {"ph":"B","pid":1,"tid":2,"ts":1,"name":"other"},
      {"ph":"B","pid":1,"tid":1,"ts":2,"name":"b"}, {"ph":"E","pid":1,"tid":1,"ts":3},
      {"ph":"E","pid":1,"tid":1,"ts":4}, {"ph":"E","pid":1,"tid":2,"ts":5})"));
  EXPECT_EQ(trace_text(trace),
            "process 1/thread 1 0: a@0+4000\n"
            "process 1/thread 1 1: b@2000+1000\n"
            "process 1/thread 2 0: other@1000+4000\n");
}

TEST(ImportBeginEnd, AnEndWithANameClosesThatSliceAndThoseInsideIt) {
  const Trace trace = imported(events(R"(
      {"ph":"B","pid":1,"tid":1,"ts":0,"name":"a"}, {"ph":"B","pid":1,"tid":1,"ts":2,"name":"b"},
      {"ph":"E","pid":1,"tid":1,"ts":9,"name":"a"})"));
  EXPECT_EQ(trace_text(trace),
            "lost unfinished_slice: 1\n"
            "process 1/thread 1 0: a@0+9000\n"
            "process 1/thread 1 1: b@2000+7000!\n");
}

TEST(ImportBeginEnd, AStrayEndIsCounted) {
  const Trace trace = imported(events(R"(
      {"ph":"E","pid":1,"tid":1,"ts":0}, {"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"},
      {"ph":"E","pid":1,"tid":1,"ts":2,"name":"b"}, {"ph":"E","pid":1,"tid":1,"ts":3,"name":"a"})"));
  EXPECT_EQ(trace_text(trace),
            "lost unmatched_end: 2\n"
            "process 1/thread 1 0: a@1000+2000\n");
}

TEST(ImportBeginEnd, AnUnclosedSliceIsDrawnToTheEndAndMarked) {
  const Trace trace = imported(events(R"(
      {"ph":"B","pid":1,"tid":1,"ts":0,"name":"a"}, {"ph":"X","pid":1,"tid":2,"ts":1,"dur":6,"name":"b"})"));
  EXPECT_EQ(trace_text(trace),
            "lost unfinished_slice: 1\n"
            "process 1/thread 1 0: a@0+7000!\n"
            "process 1/thread 2 0: b@1000+6000\n");
}

TEST(ImportBeginEnd, BothAtOneTimeAreASliceOfLengthZeroBesideAComplete) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"x"},
      {"ph":"B","pid":1,"tid":1,"ts":5,"name":"zero"}, {"ph":"E","pid":1,"tid":1,"ts":5,"name":"zero"})"));
  EXPECT_EQ(trace_text(trace),
            "process 1/thread 1 0: x@0+9000\n"
            "process 1/thread 1 1: zero@5000+0\n");
}

TEST(ImportBeginEnd, AtOneTimeAnEndOfAnEarlierBeginGoesBeforeTheNextBegin) {
  const Trace trace = imported(events(R"(
      {"ph":"B","pid":1,"tid":1,"ts":0,"name":"a"}, {"ph":"B","pid":1,"tid":1,"ts":5,"name":"b"},
      {"ph":"E","pid":1,"tid":1,"ts":5,"name":"a"}, {"ph":"E","pid":1,"tid":1,"ts":9,"name":"b"})"));
  EXPECT_EQ(trace_text(trace), "process 1/thread 1 0: a@0+5000 b@5000+4000\n");
}

TEST(ImportBeginEnd, EventsMayComeUnsorted) {
  const Trace trace = imported(events(R"(
      {"ph":"E","pid":1,"tid":1,"ts":9,"name":"a"}, {"ph":"B","pid":1,"tid":1,"ts":4,"name":"a"})"));
  EXPECT_EQ(trace_text(trace), "process 1/thread 1 0: a@0+5000\n");
}

TEST(ImportBeginEnd, TheArgumentsOfAnEndAreAdded) {
  const Trace trace = imported(events(R"(
      {"ph":"B","pid":1,"tid":1,"ts":0,"name":"a","args":{"k":1}},
      {"ph":"E","pid":1,"tid":1,"ts":1,"name":"a","args":{"result":2}})"));
  EXPECT_EQ(lines_of(trace, "process 1/thread 1 0: "), "a@0+1000{k=1,result=2}");
}

// ---- b e n and the older S F T p --------------------------------------------------------------------------

TEST(ImportAsync, SlicesNestOnOneTrackPerId) {
  const Trace trace = imported(events(R"(
      {"ph":"b","pid":1,"cat":"net","id":1,"ts":0,"name":"a"}, {"ph":"b","pid":1,"cat":"net","id":1,"ts":1,"name":"b"},
      {"ph":"b","pid":1,"cat":"net","id":2,"ts":2,"name":"c"}, {"ph":"n","pid":1,"cat":"net","id":1,"ts":2,"name":"tick"},
      {"ph":"e","pid":1,"cat":"net","id":1,"ts":3,"name":"b"}, {"ph":"e","pid":1,"cat":"net","id":1,"ts":4,"name":"a"},
      {"ph":"e","pid":1,"cat":"net","id":2,"ts":5,"name":"c"})"));
  EXPECT_EQ(trace_text(trace),
            "instant process 1/net 1: tick@2000\n"
            "process 1/net 1 0: a@0+4000\n"
            "process 1/net 1 1: b@1000+2000\n"
            "process 1/net 2 0: c@2000+3000\n");
}

TEST(ImportAsync, TheNumberAndItsHexadecimalTextAreOneId) {
  const Trace trace = imported(events(R"(
      {"ph":"b","pid":1,"cat":"c","id":1,"ts":0,"name":"a"}, {"ph":"e","pid":1,"cat":"c","id":"0x1","ts":4,"name":"a"})"));
  EXPECT_EQ(trace_text(trace), "process 1/c 0: a@0+4000\n");
}

TEST(ImportAsync, AnIdCountsAcrossProcessesUnlessItIsLocal) {
  const Trace global = imported(events(R"(
      {"ph":"b","pid":1,"cat":"c","id":"0x1","ts":0,"name":"a"}, {"ph":"e","pid":2,"cat":"c","id":"0x1","ts":4,"name":"a"})"));
  EXPECT_EQ(trace_text(global), "process 1/c 0: a@0+4000\n");
  const Trace local = imported(events(R"(
      {"ph":"b","pid":1,"cat":"c","id2":{"local":"0x1"},"ts":0,"name":"a"},
      {"ph":"b","pid":2,"cat":"c","id2":{"local":"0x1"},"ts":1,"name":"b"},
      {"ph":"e","pid":1,"cat":"c","id2":{"local":"0x1"},"ts":4,"name":"a"},
      {"ph":"e","pid":2,"cat":"c","id2":{"local":"0x1"},"ts":5,"name":"b"})"));
  EXPECT_EQ(trace_text(local), "process 1/c 0: a@0+4000\nprocess 2/c 0: b@1000+4000\n");
}

TEST(ImportAsync, WithoutAnIdOrAProcessItIsCounted) {
  const Trace trace = imported(events(R"(
      {"ph":"b","pid":1,"cat":"c","ts":0,"name":"a"}, {"ph":"b","cat":"c","id":1,"ts":0,"name":"a"})"));
  EXPECT_EQ(trace_text(trace), "lost import_broken: 2\n");
}

TEST(ImportAsync, ManyIdsOfACategoryAreLaidSideBySideOnOneTrack) {
  std::string list;
  for (int i = 0; i < 100; ++i) {
    const std::string id = std::to_string(i), begin = std::to_string(10 * i),
                      end = std::to_string(10 * i + 15);
    list += (i == 0 ? "" : ",") +
            (R"({"ph":"b","pid":1,"cat":"c","id":)" + id + R"(,"name":"a","ts":)" + begin + "}," +
             R"({"ph":"e","pid":1,"cat":"c","id":)" + id + R"(,"name":"a","ts":)" + end + "}");
  }
  const Trace trace = imported(events(list));
  EXPECT_EQ(trace.counts().slices, 100u);
  EXPECT_EQ(trace.counts().tracks, 2u);
  EXPECT_EQ(trace.track(TrackId{1}).lanes.size(), 2u);
}

TEST(ImportAsync, TheOlderPhasesAreThere) {
  const Trace trace = imported(events(R"(
      {"ph":"S","pid":1,"tid":1,"cat":"c","id":"x","ts":0,"name":"a"}, {"ph":"T","pid":1,"cat":"c","id":"x","ts":1,"name":"a"},
      {"ph":"p","pid":1,"cat":"c","id":"x","ts":2,"name":"a"}, {"ph":"F","pid":1,"cat":"c","id":"x","ts":3,"name":"a"})"));
  EXPECT_EQ(trace_text(trace),
            "instant process 1/c: a@1000\ninstant process 1/c: a@2000\nprocess 1/c 0: a@0+3000\n");
}

// ---- the rest ---------------------------------------------------------------------------------------------

TEST(ImportInstants, TheScopeSaysWhereTheyStand) {
  const Trace trace = imported(events(R"(
      {"ph":"i","pid":1,"tid":2,"ts":0,"name":"here"}, {"ph":"i","pid":1,"tid":2,"ts":1,"s":"t","name":"there"},
      {"ph":"I","pid":1,"tid":2,"ts":2,"s":"p","name":"process"}, {"ph":"R","pid":1,"tid":2,"ts":3,"s":"g","name":"all"})"));
  EXPECT_EQ(trace_text(trace),
            "instant events: all@3000\n"
            "instant process 1/events of the process: process@2000\n"
            "instant process 1/thread 2: here@0\n"
            "instant process 1/thread 2: there@1000\n");
}

TEST(ImportCounters, OneSeriesPerKeyAndQuotedNumbersCount) {
  const Trace trace = imported(events(R"(
      {"ph":"C","pid":1,"ts":5,"name":"mem","args":{"used":"7","free":3.5}},
      {"ph":"C","pid":1,"ts":0,"name":"mem","args":{"used":1,"free":9}},
      {"ph":"C","pid":1,"ts":1,"name":"load","args":{"value":2}},
      {"ph":"C","pid":1,"ts":1,"name":"load","id":"b","args":{"value":4}},
      {"ph":"C","pid":1,"ts":1,"name":"words","args":{"value":"many"}})"));
  EXPECT_EQ(trace_text(trace),
            "counter process 1/load [b]: 1000=4\n"
            "counter process 1/load: 1000=2\n"
            "counter process 1/mem free: 0=9 5000=3.5\n"
            "counter process 1/mem used: 0=1 5000=7\n"
            "lost import_skipped: 1\n");
}

TEST(ImportNames, MayStandAnywhereAndOrderTheTracks) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":4,"tid":5,"ts":0,"dur":1,"name":"a"},
      {"ph":"M","pid":4,"tid":5,"name":"thread_name","args":{"name":"main"}},
      {"ph":"M","pid":4,"name":"process_name","args":{"name":"browser"}},
      {"ph":"M","pid":4,"name":"process_labels","args":{"labels":"tab"}},
      {"ph":"M","pid":4,"name":"process_sort_index","args":{"sort_index":-3}},
      {"ph":"M","pid":4,"tid":5,"name":"thread_sort_index","args":{"sort_index":"9"}},
      {"ph":"M","pid":9,"tid":9,"name":"thread_name","args":{"name":"nothing happens here"}})"));
  EXPECT_EQ(trace_text(trace), "browser (tab)/main 0: a@0+1000\n");
  EXPECT_EQ(trace.track(TrackId{0}).info.sort_order, -3);
  EXPECT_EQ(trace.track(TrackId{0}).info.pid, 4);
  EXPECT_EQ(trace.track(TrackId{1}).info.sort_order, 9);
  EXPECT_EQ(trace.track(TrackId{1}).info.tid, 5);
  EXPECT_EQ(trace.tracks().size(), 2u);
}

TEST(ImportThreads, ANumberAndItsTextAreOneThreadAndNegativeOnesAreTheirOwn) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":7,"ts":0,"dur":1,"name":"a"}, {"ph":"X","pid":"1","tid":"7","ts":2,"dur":1,"name":"b"},
      {"ph":"X","pid":1.0,"tid":7.0,"ts":4,"dur":1,"name":"c"}, {"ph":"X","pid":1,"tid":-7,"ts":0,"dur":1,"name":"d"},
      {"ph":"X","pid":1,"tid":-1,"ts":0,"dur":1,"name":"e"}, {"ph":"X","pid":1,"tid":"stream 7","ts":0,"dur":1,"name":"f"})"));
  EXPECT_EQ(trace_text(trace),
            "process 1/stream 7 0: f@0+1000\n"
            "process 1/thread -1 0: e@0+1000\n"
            "process 1/thread -7 0: d@0+1000\n"
            "process 1/thread 7 0: a@0+1000 b@2000+1000 c@4000+1000\n");
}

TEST(ImportThreads, IdsFromTwoToThe63OnKeepTheirDigits) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":9223372036854775808,"tid":18446744073709551615,"ts":0,"dur":1,"name":"a"},
      {"ph":"X","pid":"9223372036854775808","tid":"0xffffffffffffffff","ts":2,"dur":1,"name":"b"},
      {"ph":"X","pid":1,"tid":-1,"ts":0,"dur":1,"name":"c"}, {"ph":"X","pid":1,"tid":18446744073709551615,"ts":2,"dur":1,"name":"d"},
      {"ph":"b","pid":1,"cat":"net","id":18446744073709551614,"ts":0,"name":"e"},
      {"ph":"b","pid":1,"cat":"net","id":-2,"ts":0,"name":"f"},
      {"ph":"e","pid":1,"cat":"net","id":"0xfffffffffffffffe","ts":3,"name":"e"},
      {"ph":"e","pid":1,"cat":"net","id":-2,"ts":4,"name":"f"},
      {"ph":"C","pid":1,"ts":1,"name":"load","id":18446744073709551615,"args":{"value":2}},
      {"ph":"C","pid":1,"ts":1,"name":"load","id":-1,"args":{"value":3}})"));
  EXPECT_EQ(trace_text(trace),
            "counter process 1/load [-1]: 1000=3\n"
            "counter process 1/load [18446744073709551615]: 1000=2\n"
            "process 1/net -2 0: f@0+4000\n"
            "process 1/net 18446744073709551614 0: e@0+3000\n"
            "process 1/thread -1 0: c@0+1000\n"
            "process 1/thread 18446744073709551615 0: d@2000+1000\n"
            "process 9223372036854775808/thread 18446744073709551615 0: a@0+1000 b@2000+1000\n");
  EXPECT_EQ(trace.track(TrackId{0}).info.pid, TrackInfo{}.pid)
      << "the pid does not fit an int64, only the name shows it";
}

TEST(ImportOthers, PhasesWithoutAPlaceAreCounted) {
  std::string list = R"({"ph":"XX","pid":1,"tid":1,"ts":0})";
  for (const char phase : std::string("NODVvcP(=?")) {
    list += std::string(R"(,{"ph":")") + phase + R"(","pid":1,"tid":1,"ts":0,"name":"a"})";
  }
  EXPECT_EQ(trace_text(imported(events(list))), "lost import_skipped: 11\n");
}

// ---- flows ------------------------------------------------------------------------------------------------

constexpr const char* kTwoThreads = R"(
      {"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"}, {"ph":"X","pid":1,"tid":2,"ts":20,"dur":10,"name":"b"},
      {"ph":"X","pid":1,"tid":2,"ts":40,"dur":10,"name":"c"},)";

std::string flows_of(const std::string& list) {
  const Trace trace = imported(events(kTwoThreads + list));
  const std::string lost = lines_of(trace, "lost ");
  return lines_of(trace, "flow ") + (lost.empty() ? "" : "; " + lost);
}

TEST(ImportFlows, AnArrowLeadsFromTheSliceAroundTheStartToTheOneAroundTheEnd) {
  EXPECT_EQ(flows_of(R"({"ph":"s","pid":1,"tid":1,"ts":5,"cat":"f","name":"n","id":1},
                        {"ph":"f","pid":1,"tid":2,"ts":25,"cat":"f","name":"n","id":1,"bp":"e"})"),
            "n: process 1/thread 1@5000 -> process 1/thread 2@25000");
}

TEST(ImportFlows, WithoutBpAnEndBindsToTheNextSlice) {
  EXPECT_EQ(flows_of(R"({"ph":"s","pid":1,"tid":1,"ts":5,"cat":"f","name":"n","id":1},
                        {"ph":"f","pid":1,"tid":2,"ts":25,"cat":"f","name":"n","id":1})"),
            "n: process 1/thread 1@5000 -> process 1/thread 2@40000");
}

TEST(ImportFlows, StepsMakeAChain) {
  EXPECT_EQ(flows_of(R"({"ph":"s","pid":1,"tid":1,"ts":5,"cat":"f","name":"n","id":1},
                        {"ph":"f","pid":1,"tid":2,"ts":45,"cat":"f","name":"n","id":1,"bp":"e"},
                        {"ph":"t","pid":1,"tid":2,"ts":25,"cat":"f","name":"n","id":1})"),
            "n: process 1/thread 1@5000 -> process 1/thread 2@25000 | "
            "n: process 1/thread 2@25000 -> process 1/thread 2@45000");
}

TEST(ImportFlows, TheKeyIsCategoryNameAndId) {
  EXPECT_EQ(flows_of(R"({"ph":"s","pid":1,"tid":1,"ts":5,"cat":"f","name":"n","id":1},
                        {"ph":"f","pid":1,"tid":2,"ts":25,"cat":"g","name":"n","id":1,"bp":"e"},
                        {"ph":"f","pid":1,"tid":2,"ts":25,"cat":"f","name":"m","id":1,"bp":"e"},
                        {"ph":"f","pid":1,"tid":2,"ts":25,"cat":"f","name":"n","id":2,"bp":"e"})"),
            "; unbound_flow: 4");
}

TEST(ImportFlows, ASecondStartReplacesTheFirstWhichIsCounted) {
  EXPECT_EQ(flows_of(R"({"ph":"s","pid":1,"tid":1,"ts":5,"cat":"f","name":"n","id":1},
                        {"ph":"s","pid":1,"tid":1,"ts":6,"cat":"f","name":"n","id":1},
                        {"ph":"f","pid":1,"tid":2,"ts":25,"cat":"f","name":"n","id":1,"bp":"e"})"),
            "n: process 1/thread 1@6000 -> process 1/thread 2@25000; unbound_flow: 1");
}

TEST(ImportFlows, APointThatNoSliceHoldsIsCounted) {
  EXPECT_EQ(flows_of(R"({"ph":"s","pid":1,"tid":1,"ts":15,"cat":"f","name":"n","id":1},
                        {"ph":"f","pid":1,"tid":2,"ts":25,"cat":"f","name":"n","id":1,"bp":"e"},
                        {"ph":"s","pid":1,"tid":9,"ts":5,"cat":"f","name":"n","id":2},
                        {"ph":"f","pid":1,"tid":2,"ts":35,"cat":"f","name":"n","id":2,"bp":"e"})"),
            "; unbound_flow: 2");
}

TEST(ImportFlows, SlicesMayCarryThem) {
  const Trace trace = imported(events(R"(
      {"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a","bind_id":"0x7","flow_out":true},
      {"ph":"X","pid":1,"tid":2,"ts":20,"dur":10,"name":"b","bind_id":7,"flow_in":true,"flow_out":true},
      {"ph":"X","pid":1,"tid":3,"ts":40,"dur":10,"name":"c","bind_id":"7","flow_in":true})"));
  EXPECT_EQ(lines_of(trace, "flow "),
            ": process 1/thread 1@0 -> process 1/thread 2@20000 | : process 1/thread 2@20000 -> process "
            "1/thread 3@40000");
}

}  // namespace
}  // namespace runahead::importers
