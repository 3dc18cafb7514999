// Tests the import of Perfetto traces: the meaning of each field of the format, from packets made by hand.
#include "instrumentation/import/perfetto/perfetto_import.h"

#include <gtest/gtest.h>

#include "instrumentation/import/load_any.h"
#include "tests/import/perfetto_packets.h"
#include "tests/import/perfetto_text.h"
#include "tests/support/scratch_folder.h"

#ifdef RUNAHEAD_HAVE_ZLIB
#include <zlib.h>
#endif

namespace runahead::importers {
using namespace trace;
using namespace files;
using namespace recordings;
namespace {

using namespace runahead::testing;

std::string flows_text(const Trace& trace) {
  std::string text;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const Flow flow = trace.flow(i);
    text += trace.track(flow.from_track).info.name + "@" + std::to_string(ns_from(flow.from_time)) + ">" +
            trace.track(flow.to_track).info.name + "@" + std::to_string(ns_from(flow.to_time)) + ";";
  }
  return text;
}

// ---- slices and tracks ------------------------------------------------------------------------------------

TEST(PerfettoImport, BeginsAndEndsArePairsThatNest) {
  const Trace trace = imported(PerfettoFile{}
                                   .track(7, "t")
                                   .begin(100, 7, "outer")
                                   .begin(110, 7, "inner")
                                   .end(120, 7)
                                   .end(130, 7)
                                   .begin(130, 7, "next")
                                   .end(130, 7));
  EXPECT_EQ(slices_text(trace, "t"), "0:outer 0+30;0:next 30+0;1:inner 10+10;");
  EXPECT_EQ(trace.metadata().at("format"), "perfetto");
  EXPECT_EQ(trace.metadata().at("import.first_us"), "0.100");
  EXPECT_TRUE(trace.losses().none());
}

TEST(PerfettoImport, PacketsMayComeInAnyOrderOfTime) {
  const Trace trace = imported(
      PerfettoFile{}.track(7, "t").begin(20, 7, "b").end(30, 7).begin(0, 7, "a").end(10, 7).track(7, "t"));
  EXPECT_EQ(slices_text(trace, "t"), "0:a 0+10;0:b 20+10;");
}

TEST(PerfettoImport, ADescriptorMayComeAfterItsEvents) {
  const Trace trace = imported(PerfettoFile{}.begin(0, 7, "a").end(5, 7).thread(7, 1, 2, "worker"));
  EXPECT_EQ(slices_text(trace, "worker"), "0:a 0+5;");
}

TEST(PerfettoImport, AnEndWithANameClosesTheSliceOfThatName) {
  const auto named = [](Message& e) { e.add_string(23, "outer"); };
  const Trace trace = imported(
      PerfettoFile{}.track(7, "t").begin(0, 7, "outer").begin(10, 7, "inner").event(20, 2, 7, named));
  EXPECT_EQ(slices_text(trace, "t"), "0:outer 0+20;1:inner 10+10;");
}

TEST(PerfettoImport, StrayEndsAndOpenBeginsAreCounted) {
  const Trace trace = imported(PerfettoFile{}.track(7, "t").end(0, 7).begin(10, 7, "a").begin(50, 8, "b"));
  EXPECT_EQ(trace.losses().of(LossCause::kUnmatchedEnd), 1u);
  EXPECT_EQ(trace.losses().of(LossCause::kUnfinishedSlice), 2u);
  EXPECT_EQ(slices_text(trace, "t"), "0:a 10+40;") << "it lasts to the end of the trace";
}

TEST(PerfettoImport, ThreadsLieInTheirProcess) {
  const Trace trace = imported(PerfettoFile{}
                                   .track(1, "",
                                          [](Message& t) {
                                            Message process(t, 3);
                                            process.add_int32(1, 40);
                                            process.add_string(6, "browser");
                                          })
                                   .thread(2, 40, 42, "io")
                                   .thread(3, 40, 40, "main")
                                   .thread(4, 40, 42, "io")  // the same thread with another uuid
                                   .begin(0, 2, "a")
                                   .end(1, 2)
                                   .begin(2, 3, "b")
                                   .end(3, 3)
                                   .begin(4, 4, "c")
                                   .end(5, 4));
  ASSERT_EQ(trace.tracks().size(), 3u);
  EXPECT_EQ(trace.tracks()[0].info.name, "browser 40");
  EXPECT_EQ(trace.tracks()[1].info.name, "main") << "the main thread first";
  EXPECT_EQ(trace.tracks()[1].info.parent, trace.tracks()[0].info.id);
  EXPECT_EQ(slices_text(trace, "io"), "0:a 0+1;0:c 4+1;");
}

TEST(PerfettoImport, TracksKeepTheOrderThatTheirParentAsksFor) {
  const auto child = [](int rank) {
    return [=](Message& t) {
      t.add_uint64(5, 1);
      t.add_int32(12, rank);
    };
  };
  PerfettoFile file;
  file.track(1, "group", [](Message& t) { t.add_int32(11, 3); });
  file.track(2, "second", child(20)).track(3, "first", child(10));
  file.begin(0, 2, "a").end(1, 2).begin(0, 3, "b").end(1, 3);
  const Trace trace = imported(file);
  ASSERT_EQ(trace.tracks().size(), 3u);
  EXPECT_EQ(trace.tracks()[0].info.kind, TrackKind::kGroup);
  EXPECT_EQ(trace.tracks()[1].info.name, "first");
  EXPECT_EQ(trace.tracks()[2].info.name, "second");
}

TEST(PerfettoImport, SiblingsOfOneNameAreOneTrackUnlessTheyAskNotTo) {
  PerfettoFile file;
  file.track(1, "ops").track(2, "ops").track(3, "ops", [](Message& t) { t.add_int32(15, 2); });
  file.begin(0, 1, "a").begin(5, 2, "b").end(10, 1).end(15, 2).begin(20, 2, "c").end(30, 2);
  file.begin(0, 3, "alone").end(1, 3);
  const Trace trace = imported(file);
  ASSERT_EQ(trace.tracks().size(), 2u);
  EXPECT_EQ(slices_text(trace, "ops"), "0:a 0+10;1:b 5+10;1:c 20+10;");
}

TEST(PerfettoImport, ARingOfParentsIsCutOpen) {
  PerfettoFile file;
  file.track(1, "a", [](Message& t) { t.add_uint64(5, 2); }).track(2, "b", [](Message& t) {
    t.add_uint64(5, 1);
  });
  file.begin(0, 1, "x").end(1, 1);
  EXPECT_EQ(imported(file).counts().slices, 1u);
}

TEST(PerfettoImport, InstantsAndCategoriesAreThere) {
  const auto marked = [](Message& e) {
    e.add_string(23, "mark");
    e.add_string(22, "net");
    e.add_string(22, "io");
  };
  const Trace trace = imported(PerfettoFile{}.track(7, "t").event(5, 3, 7, marked).event(6, 1, 7, marked));
  ASSERT_EQ(trace.instant_count(), 1u);
  EXPECT_EQ(trace.string(trace.instant(0).name), "mark");
  EXPECT_EQ(args_text(trace, "t"), "category=net,io;");
}

// ---- names and state --------------------------------------------------------------------------------------

PerfettoFile with_interned_names() {
  PerfettoFile file;
  file.track(7, "t");
  file.packet([](Message& p) {
    p.add_uint32(10, 1);
    p.add_uint32(13, 1);
    Message interned(p, 12);
    const auto entry = [&](int field, std::uint64_t iid, const char* text) {
      Message e(interned, field);
      e.add_uint64(1, iid);
      e.add_string(2, text);
    };
    entry(1, 3, "net");
    entry(2, 3, "load");
    entry(3, 3, "url");
    entry(29, 3, "http://x");
  });
  return file;
}

void add_event_by_number(PerfettoFile& file, std::uint32_t sequence, std::uint32_t flags) {
  file.packet([&](Message& p) {
    p.add_uint64(8, 10);
    p.add_uint32(10, sequence);
    p.add_uint32(13, flags);
    Message e(p, 11);
    e.add_int32(9, 1);
    e.add_uint64(11, 7);
    e.add_uint64(10, 3);
    e.add_uint64(3, 3);
    Message a(e, 4);
    a.add_uint64(1, 3);
    a.add_uint64(17, 3);
  });
}

TEST(PerfettoImport, InternedNamesAreLookedUp) {
  PerfettoFile file = with_interned_names();
  add_event_by_number(file, 1, 2);
  const Trace trace = imported(file);
  EXPECT_EQ(slices_text(trace, "t"), "0:load 0+0;");
  EXPECT_EQ(args_text(trace, "t"), "url=http://x;category=net;");
}

TEST(PerfettoImport, NamesAreOfOneSequence) {
  PerfettoFile file = with_interned_names();
  add_event_by_number(file, 2, 0);
  const Trace trace = imported(file);
  EXPECT_EQ(trace.losses().of(LossCause::kImportUndefined), 4u);
  EXPECT_EQ(trace.counts().slices, 1u) << "the slice has no name, but it is imported";
}

TEST(PerfettoImport, AfterADroppedPacketNothingIsReadUntilTheStateStartsAnew) {
  PerfettoFile file = with_interned_names();
  file.packet([](Message& p) {
    p.add_uint32(10, 1);
    p.add_bool(42, true);
  });
  add_event_by_number(file, 1, 2);
  const Trace trace = imported(file);
  EXPECT_EQ(trace.counts().slices, 0u);
  EXPECT_EQ(trace.losses().of(LossCause::kImportUndefined), 1u);
}

TEST(PerfettoImport, AClearedStateForgetsNames) {
  PerfettoFile file = with_interned_names();
  add_event_by_number(file, 1, 1);
  EXPECT_EQ(imported(file).losses().of(LossCause::kImportUndefined), 4u);
}

TEST(PerfettoImport, DefaultsGiveTrackClockAndExtraCounters) {
  PerfettoFile file;
  file.track(7, "t").track(8, "cycles", [](Message& t) { Message counter(t, 8); });
  file.track(9, "load", [](Message& t) { Message counter(t, 8); });
  file.packet([](Message& p) {
    p.add_uint32(10, 1);
    p.add_uint32(13, 1);
    Message snapshot(p, 6);
    for (const auto& [id, at] : {std::pair(6, 1000), std::pair(64, 5)}) {
      Message clock(snapshot, 1);
      clock.add_uint32(1, static_cast<std::uint32_t>(id));
      clock.add_uint64(2, static_cast<std::uint64_t>(at));
      if (id == 64) clock.add_bool(3, true);
      if (id == 64) clock.add_uint64(4, 100);
    }
  });
  file.packet([](Message& p) {
    p.add_uint32(10, 1);
    Message defaults(p, 59);
    defaults.add_uint32(58, 64);
    Message events(defaults, 11);
    events.add_uint64(11, 7);
    events.add_uint64(31, 8);
    events.add_uint64(45, 9);
  });
  for (const int type : {1, 2}) {
    file.packet([&](Message& p) {
      p.add_uint32(10, 1);
      p.add_uint64(8, 2);  // time on clock 64: two units of 100 ns after the previous packet
      Message e(p, 11);
      e.add_int32(9, type);
      e.add_int64(12, 40 * type);
      e.add_double(46, 0.5 * type);
    });
  }
  const Trace trace = imported(file);
  EXPECT_EQ(slices_text(trace, "t"), "0: 0+200;");
  EXPECT_EQ(trace.metadata().at("import.first_us"), "1.200");
  EXPECT_EQ(samples_text(trace, "cycles"), "0=40.000;200=80.000;");
  EXPECT_EQ(samples_text(trace, "load"), "0=0.5000;200=1.0000;");
}

TEST(PerfettoImport, ClocksAreConvertedBySnapshotsThroughOthersToo) {
  PerfettoFile file;
  const auto snapshot = [&](std::initializer_list<std::pair<int, int>> clocks) {
    file.packet([&](Message& p) {
      Message told(p, 6);
      for (const auto& [id, at] : clocks) {
        Message clock(told, 1);
        clock.add_uint32(1, static_cast<std::uint32_t>(id));
        clock.add_uint64(2, static_cast<std::uint64_t>(at));
      }
    });
  };
  snapshot({{6, 1000}, {3, 100}});
  snapshot({{3, 200}, {1, 50}});
  // clock 6 (the trace's) has advanced 1010 ns, the monotonic clock (3) only 1000 ns
  snapshot({{6, 2010}, {3, 1100}});
  file.track(7, "t");
  const auto at_clock = [&](std::uint64_t at, std::uint32_t clock, int type) {
    file.packet([&](Message& p) {
      p.add_uint64(8, at);
      p.add_uint32(58, clock);
      Message e(p, 11);
      e.add_int32(9, type);
      e.add_uint64(11, 7);
    });
  };
  at_clock(1000, 6, 3);
  at_clock(60, 1, 1);    // the same moment: 210 on the monotonic clock, 1110 on the trace's clock
  at_clock(1110, 3, 2);  // the same moment: 2020 on the trace's clock
  at_clock(5, 99, 1);    // no snapshot contains this clock
  const Trace trace = imported(file);
  EXPECT_EQ(slices_text(trace, "t"), "0: 110+910;");
  EXPECT_EQ(trace.losses().of(LossCause::kImportUndefined), 1u);
}

TEST(PerfettoImport, OldEventsTellTheirTimeInMicrosecondsSinceTheEventBefore) {
  PerfettoFile file;
  file.packet([](Message& p) {
    p.add_uint32(10, 5);
    Message thread(p, 44);
    thread.add_int32(1, 3);
    thread.add_int64(2, 4);
    thread.add_string(5, "old");
    thread.add_int64(6, 1000);
  });
  const auto event = [&](int type, int field, std::int64_t us) {
    file.packet([&](Message& p) {
      p.add_uint32(10, 5);
      Message e(p, 11);
      e.add_int32(9, type);
      e.add_int64(field, us);
    });
  };
  event(1, 1, 10);     // 1010 us
  event(3, 16, 1005);  // an absolute time
  event(2, 1, 20);     // 1030 us
  const Trace trace = imported(file);
  EXPECT_EQ(slices_text(trace, "old"), "0: 5000+20000;");
  EXPECT_EQ(trace.instant_count(), 1u);
}

TEST(PerfettoImport, ArgumentsOfEveryTypeAreKept) {
  const auto fill = [](Message& e) {
    e.add_string(23, "a");
    const auto arg = [&](const char* name, auto value) {
      Message a(e, 4);
      a.add_string(10, name);
      value(a);
    };
    arg("flag", [](Message& a) { a.add_bool(2, true); });
    arg("count", [](Message& a) { a.add_uint64(3, 7); });
    arg("less", [](Message& a) { a.add_int64(4, -7); });
    arg("real", [](Message& a) { a.add_double(5, 1.5); });
    arg("text", [](Message& a) { a.add_string(6, "x"); });
    arg("where", [](Message& a) { a.add_uint64(7, 255); });
    arg("json", [](Message& a) { a.add_string(9, "{}"); });
    arg("dict", [](Message& a) {
      Message entry(a, 11);
      entry.add_string(10, "k");
      entry.add_int64(4, 1);
    });
    arg("list", [](Message& a) {
      for (const int value : {5, 6}) {
        Message item(a, 12);
        item.add_int64(4, value);
      }
    });
    arg("old", [](Message& a) {
      Message nested(a, 8);
      nested.add_string(2, "k");
      Message value(nested, 3);
      value.add_int64(5, 9);
    });
  };
  const Trace trace = imported(PerfettoFile{}.track(7, "t").event(0, 1, 7, fill).end(1, 7));
  EXPECT_EQ(
      args_text(trace, "t"),
      "flag=1;count=7;less=-7;real=1.500000;text=x;where=255;json={};dict.k=1;list[0]=5;list[1]=6;old.k=9;");
}

// ---- counters ---------------------------------------------------------------------------------------------

TEST(PerfettoImport, CountersHaveValuesUnitsAndFactors) {
  PerfettoFile file;
  file.track(8, "memory", [](Message& t) {
    Message counter(t, 8);
    counter.add_int32(3, 3);
    counter.add_int64(4, 1024);
  });
  file.track(9, "rate", [](Message& t) {
    Message counter(t, 8);
    counter.add_string(6, "bytes/s");
  });
  file.event(0, 4, 8, [](Message& e) { e.add_int64(30, 2); });
  file.event(5, 4, 9, [](Message& e) { e.add_double(44, 0.25); });
  const Trace trace = imported(file);
  EXPECT_EQ(samples_text(trace, "memory"), "0=2048.0;");
  EXPECT_EQ(find_track(trace, "memory")->info.unit, Unit::kBytes);
  EXPECT_EQ(samples_text(trace, "rate"), "5=0.2500;");
  EXPECT_EQ(find_track(trace, "rate")->info.unit, Unit::kBytesPerSecond);
}

TEST(PerfettoImport, IncrementalCountersAddUpWithinTheirSequence) {
  PerfettoFile file;
  file.track(8, "sum", [](Message& t) {
    Message counter(t, 8);
    counter.add_bool(5, true);
  });
  for (const int at : {1, 2, 3}) {
    file.event(static_cast<std::uint64_t>(at), 4, 8, [](Message& e) { e.add_int64(30, 10); });
  }
  EXPECT_EQ(samples_text(imported(file), "sum"), "0=10.000;1=20.000;2=30.000;");
}

TEST(PerfettoImport, SamplesOnTracksThatAreOneAreInTheOrderOfTime) {
  PerfettoFile file;
  file.track(1, "c").track(2, "c");  // no counter descriptor; the samples below make them counters
  file.event(5, 4, 1, [](Message& e) { e.add_int64(30, 1); });
  file.event(0, 4, 2, [](Message& e) { e.add_int64(30, 2); });
  EXPECT_EQ(samples_text(imported(file), "c"), "0=2.0000;5=1.0000;");
}

TEST(PerfettoImport, ACounterOfAThreadIsNamedByIt) {
  PerfettoFile file;
  file.thread(7, 1, 2, "io").track(8, "", [](Message& t) {
    t.add_uint64(5, 7);
    Message counter(t, 8);
    counter.add_int32(1, 1);
  });
  file.event(0, 4, 8, [](Message& e) { e.add_int64(30, 1); });
  const Trace trace = imported(file);
  ASSERT_NE(find_track(trace, "io/CPU time"), nullptr);
  EXPECT_EQ(find_track(trace, "io/CPU time")->info.unit, Unit::kNanoseconds);
}

// ---- flows ------------------------------------------------------------------------------------------------

TEST(PerfettoImport, FlowsConnectSlicesInTheOrderOfTime) {
  PerfettoFile file;
  file.track(1, "a").track(2, "b");
  const auto flow = [](int field, std::uint64_t id) { return [=](Message& e) { e.add_fixed64(field, id); }; };
  file.event(0, 1, 1, flow(47, 5)).end(10, 1);
  file.event(20, 1, 2, flow(47, 5)).end(30, 2);
  file.event(40, 1, 1, flow(48, 5)).end(50, 1);
  file.event(60, 1, 2, flow(48, 5)).end(70, 2);  // flow 5 has already ended
  file.event(80, 1, 1, flow(47, 6)).end(90, 1);  // flow 6 has no end
  const Trace trace = imported(file);
  EXPECT_EQ(flows_text(trace), "a@10>b@20;b@30>a@40;");
  EXPECT_EQ(trace.losses().of(LossCause::kUnboundFlow), 2u);
}

TEST(PerfettoImport, LegacyFlowsBindToTheSliceAroundOrTheNextOne) {
  PerfettoFile file;
  file.track(1, "a").track(2, "b");
  const auto id = [](Message& l) { l.add_uint64(6, 5); };
  const auto enclosing = [](Message& l) {
    l.add_uint64(6, 5);
    l.add_bool(12, true);
  };
  file.begin(0, 1, "x").legacy(5, 's', 1, "f", id).end(10, 1);
  file.begin(20, 2, "y").legacy(25, 't', 2, "f", id).end(30, 2);
  file.legacy(35, 'f', 1, "f", id).begin(40, 1, "z").end(50, 1);
  file.begin(55, 1, "v").legacy(56, 's', 1, "f", id).end(60, 1);
  file.begin(70, 2, "w").legacy(75, 'f', 2, "f", enclosing).end(80, 2);
  file.legacy(90, 's', 1, "f", id);  // inside no slice
  const Trace trace = imported(file);
  EXPECT_EQ(flows_text(trace), "a@5>b@25;b@25>a@40;a@56>b@75;");
  EXPECT_EQ(trace.losses().of(LossCause::kUnboundFlow), 1u);
}

TEST(PerfettoImport, BindIdsAreFlowsToo) {
  PerfettoFile file;
  file.track(1, "a").track(2, "b");
  const auto bound = [](int direction) {
    return [=](Message& l) {
      l.add_uint64(8, 5);
      l.add_int32(13, direction);
    };
  };
  file.legacy(0, 'B', 1, "x", bound(2)).end(10, 1);
  file.legacy(20, 'B', 2, "y", bound(3)).end(30, 2);
  file.legacy(40, 'B', 1, "z", bound(1)).end(50, 1);
  EXPECT_EQ(flows_text(imported(file)), "a@10>b@20;b@30>a@40;");
}

// ---- legacy phases ----------------------------------------------------------------------------------------

TEST(PerfettoImport, LegacyPhasesAreSlicesInstantsAndCounters) {
  PerfettoFile file;
  file.thread(7, 1, 1, "main");
  const auto nothing = [](Message&) {};
  file.legacy(0, 'B', 7, "b", nothing).legacy(10'000, 'E', 7, "", nothing);
  file.legacy(20'000, 'X', 7, "x", [](Message& l) { l.add_int64(3, 5); });
  file.legacy(22'000, 'X', 7, "inside", [](Message& l) { l.add_int64(3, 1); });
  file.legacy(30'000, 'I', 7, "i", [](Message& l) { l.add_int32(14, 3); });
  file.legacy(30'000, 'O', 7, "object", nothing);
  const Trace trace = imported(file);
  EXPECT_EQ(slices_text(trace, "main"), "0:b 0+10000;0:x 20000+5000;1:inside 22000+1000;");
  EXPECT_EQ(trace.instant_count(), 1u);
  EXPECT_EQ(trace.losses().of(LossCause::kImportSkipped), 1u);
}

TEST(PerfettoImport, LegacyAsynchronousEventsNestOnATrackOfTheirId) {
  PerfettoFile file;
  file.thread(1, 9, 9, "main").thread(2, 9, 10, "io");
  const auto id = [](std::uint64_t number) { return [=](Message& l) { l.add_uint64(6, number); }; };
  file.legacy(0, 'b', 1, "get", id(1)).legacy(10, 'b', 1, "get", id(2));
  file.legacy(15, 'n', 2, "half", id(1));
  file.legacy(20, 'e', 2, "get", id(1)).legacy(30, 'e', 2, "get", id(2));
  const Trace trace = imported(file);
  EXPECT_EQ(slices_text(trace, "get"), "0:get 0+20;1:get 10+20;");
  EXPECT_EQ(trace.instant_count(), 1u);
}

TEST(PerfettoImport, ALocalIdIsAnotherOneInEachProcess) {
  PerfettoFile file;
  file.thread(1, 8, 8, "p").thread(2, 9, 9, "q");
  const auto id = [](Message& l) { l.add_uint64(10, 1); };
  file.legacy(0, 'b', 1, "get", id).legacy(10, 'e', 2, "get", id);
  const Trace trace = imported(file);
  EXPECT_EQ(trace.losses().of(LossCause::kUnmatchedEnd), 1u);
  EXPECT_EQ(trace.losses().of(LossCause::kUnfinishedSlice), 1u);
}

TEST(PerfettoImport, OverridesMoveAnEventToAnotherThread) {
  PerfettoFile file;
  file.thread(1, 8, 8, "p").thread(2, 9, 10, "q");
  file.legacy(0, 'X', 1, "x", [](Message& l) {
    l.add_int64(3, 1);
    l.add_int32(18, 9);
    l.add_int32(19, 10);
  });
  EXPECT_EQ(slices_text(imported(file), "q"), "0:x 0+1000;");
}

// ---- containers -------------------------------------------------------------------------------------------

#ifdef RUNAHEAD_HAVE_ZLIB
std::string deflated(const std::string& plain) {
  uLongf size = ::compressBound(plain.size());
  std::string out(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
             plain.size());
  out.resize(size);
  return out;
}

TEST(PerfettoImport, CompressedPacketsAreUnpacked) {
  const std::string inside = PerfettoFile{}.track(7, "t").begin(0, 7, "a").end(5, 7).bytes();
  const auto packed = [](const std::string& bytes) {
    return PerfettoFile{}.packet([&](Message& p) { p.add_bytes(50, deflated(bytes)); });
  };
  EXPECT_EQ(slices_text(imported(packed(inside)), "t"), "0:a 0+5;");
  EXPECT_EQ(imported(packed(packed(inside).bytes())).losses().of(LossCause::kImportBroken), 1u);
}

TEST(PerfettoImport, GzipAroundTheFileIsTakenOff) {
  const ScratchFolder folder;
  const std::string inside = PerfettoFile{}.track(7, "t").begin(0, 7, "a").end(5, 7).bytes();
  const std::string path = folder / "a.pftrace";
  gzFile file = ::gzopen(path.c_str(), "wb");
  ::gzwrite(file, inside.data(), static_cast<unsigned>(inside.size()));
  ::gzclose(file);
  const Result<Trace> trace = load_any(path);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(slices_text(*trace, "t"), "0:a 0+5;");
  write_file(path, file_bytes(path).substr(0, 30));
  const Result<Trace> cut = load_any(path);
  if (cut) {
    EXPECT_GT(cut->losses().of(LossCause::kImportCut), 0u);
  }
}
#endif

TEST(PerfettoImport, AFileIsKnownByItsContent) {
  const ScratchFolder folder;
  write_file(folder / "x.data", PerfettoFile{}.track(7, "t").begin(0, 7, "a").end(5, 7).bytes());
  const Result<Trace> trace = load_any(folder / "x.data");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->metadata().at("format"), "perfetto");
  write_file(folder / "y.pftrace", "\n\nnot a trace at all");
  EXPECT_FALSE(load_any(folder / "y.pftrace").ok());
}

// ---- damage -----------------------------------------------------------------------------------------------

TEST(PerfettoImport, AFileCutAtAnyByteGivesWhatIsWholeAndCountsTheRest) {
  PerfettoFile file = with_interned_names();
  add_event_by_number(file, 1, 2);
  file.thread(9, 1, 2, "w").begin(0, 9, "a").end(5, 9).event(6, 4, 8, [](Message& e) {
    e.add_double(44, 1);
  });
  const std::string& whole = file.bytes();
  std::uint64_t most = 0;
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    const Result<Trace> trace = read_perfetto(as_bytes(std::string_view(whole).substr(0, n)));
    if (!trace) {
      EXPECT_FALSE(trace.error().message.empty());
      continue;
    }
    const TraceCounts counts = trace->counts();
    EXPECT_GE(counts.slices + counts.counter_samples, most) << "fewer at " << n;
    most = counts.slices + counts.counter_samples;
    std::uint64_t end = 0;  // end of the last complete packet
    while (end < n) {
      const auto length = static_cast<unsigned char>(whole[end + 1]);
      ASSERT_LT(length, 128) << "a length of one byte";
      if (end + 2 + length > n || end + 2 > n) break;
      end += 2ull + length;
    }
    EXPECT_EQ(trace->losses().of(LossCause::kImportCut), n - end) << "at " << n;
  }
  EXPECT_EQ(most, 3u);
}

TEST(PerfettoImport, ADamagedEventIsCountedAndTheOthersAreRead) {
  PerfettoFile file;
  file.track(7, "t").begin(0, 7, "a");
  file.packet([](Message& p) {
    p.add_uint64(8, 2);
    p.add_bytes(11, std::string("\x48\x01\xba\x01\x7f", 5));  // the name is longer than its event
  });
  file.end(5, 7);
  const Trace trace = imported(file);
  EXPECT_EQ(slices_text(trace, "t"), "0:a 0+5;");
  EXPECT_EQ(trace.losses().of(LossCause::kImportBroken), 1u);
}

TEST(PerfettoImport, FieldsOfAnotherTypeThanTheirsAreNotMisread) {
  PerfettoFile file;
  file.packet([](Message& p) {
    p.add_string(8, "when");
    p.add_fixed64(58, 6);
    Message e(p, 11);
    e.add_string(9, "begin");
    e.add_uint64(23, 5);
    e.add_uint64(4, 5);
    e.add_string(47, "odd");
  });
  EXPECT_EQ(imported(file).counts().slices, 0u);
}

TEST(PerfettoImport, PacketsOfOtherKindsAreCountedByKind) {
  PerfettoFile file;
  for (const std::uint32_t number : {39u, 39u, 1234u, 33u}) {
    file.packet([=](Message& p) { p.add_string(number, "of another kind"); });
  }
  const Trace trace = imported(file);
  EXPECT_EQ(trace.losses().of(LossCause::kImportSkipped), 3u) << "the configuration is no event";
  EXPECT_EQ(trace.metadata().at("import.skipped.packet.android_log"), "2");
  EXPECT_EQ(trace.metadata().at("import.skipped.packet.packet_1234"), "1");
}

TEST(PerfettoImport, LegacyPhasesWithoutAPlaceAreCountedByKind) {
  const auto nothing = [](Message&) {};
  const Trace trace = imported(PerfettoFile{}
                                   .track(7, "t")
                                   .legacy(0, 'M', 7, "a", nothing)
                                   .legacy(1, 'O', 7, "b", nothing)
                                   .legacy(2, 'O', 7, "c", nothing));
  EXPECT_EQ(trace.losses().of(LossCause::kImportSkipped), 3u);
  EXPECT_EQ(trace.metadata().at("import.skipped.phase.O"), "2");
  EXPECT_EQ(trace.metadata().at("import.skipped.phase.M"), "1");
}

}  // namespace
}  // namespace runahead::importers
