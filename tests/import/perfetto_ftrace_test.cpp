// Tests the import of kernel events and machine counters in Perfetto traces, from packets made by hand.
#include <gtest/gtest.h>

#include "instrumentation/import/load_any.h"
#include "instrumentation/import/perfetto/perfetto_kinds.h"
#include "instrumentation/import/perfetto/perfetto_sched.h"
#include "instrumentation/trace/labels.h"
#include "instrumentation/trace/skipped_kinds.h"
#include "tests/import/perfetto_packets.h"
#include "tests/import/perfetto_text.h"
#include "tests/support/scratch_folder.h"

namespace runahead::importers {
using namespace trace;
using namespace files;
using namespace recordings;
namespace {

using namespace runahead::testing;

std::string path_of(const Trace& trace, std::string_view name) {
  const Track* track = find_track(trace, name);
  return track == nullptr ? "no track" : track_path(trace, track->info.id);
}

// "time=value unit" for each sample of the counter with this path.
std::string counter_text(const Trace& trace, std::string_view path) {
  for (const Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kCounter || track_path(trace, track.info.id) != path) continue;
    std::string text;
    for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row) {
      const CounterSample sample = track.counter.sample(row);
      text += std::to_string(ns_from(sample.at)) + "=" +
              std::to_string(static_cast<std::int64_t>(sample.value)) +
              std::string(unit_key(track.info.unit)) + ";";
    }
    return text;
  }
  return "no counter";
}

std::string instants_text(const Trace& trace) {
  std::string text;
  for (std::uint64_t i = 0; i < trace.instant_count(); ++i) {
    const Instant instant = trace.instant(i);
    text += track_path(trace, instant.track) + ":" + std::string(trace.string(instant.name)) + "@" +
            std::to_string(ns_from(instant.at)) + ";";
  }
  return text;
}

std::string skipped(const Trace& trace) { return skipped_text(skipped_kinds(trace.metadata()), 100); }

// ---- atrace -----------------------------------------------------------------------------------------------

TEST(PerfettoFtrace, AtraceSlicesNestOnTheThreadThatWroteThem) {
  const Trace trace = imported(PerfettoFile{}
                                   .process(40, 1, "app")
                                   .process_thread(41, 40, "render")
                                   .ftrace(FtraceBundle(0)
                                               .print(100, 41, "B|40|outer\n")
                                               .print(110, 41, "B|40|inner\n")
                                               .print(115, 40, "B|40|of main\n")
                                               .print(120, 41, "E|40\n")
                                               .print(130, 41, "E\n")
                                               .print(140, 40, "E|40\n")));
  EXPECT_EQ(slices_text(trace, "render"), "0:outer 0+30;1:inner 10+10;");
  EXPECT_EQ(path_of(trace, "render"), "app 40/render");
  EXPECT_EQ(slices_text(trace, "app"), "0:of main 15+25;") << "the main thread has the name of its process";
  EXPECT_TRUE(trace.losses().none());
}

TEST(PerfettoFtrace, AThreadThatMovesToAnotherCpuKeepsItsSlices) {
  const Trace trace = imported(PerfettoFile{}
                                   .ftrace(FtraceBundle(1).print(130, 41, "E|40"))
                                   .ftrace(FtraceBundle(0).print(100, 41, "B|40|a"))
                                   .process_thread(41, 40, "render"));
  EXPECT_EQ(slices_text(trace, "render"), "0:a 0+30;");
}

TEST(PerfettoFtrace, StrayEndsAndOpenBeginsAreCounted) {
  const Trace trace = imported(PerfettoFile{}.ftrace(
      FtraceBundle(0).print(0, 41, "E|40").print(10, 41, "B|40|a").print(50, 42, "B|40|b")));
  EXPECT_EQ(trace.losses().of(LossCause::kUnmatchedEnd), 1u);
  EXPECT_EQ(trace.losses().of(LossCause::kUnfinishedSlice), 2u);
  EXPECT_EQ(slices_text(trace, "thread 41"), "0:a 10+40;") << "it lasts to the end of the trace";
}

TEST(PerfettoFtrace, AtraceCountersAreOfTheirProcess) {
  const Trace trace =
      imported(PerfettoFile{}
                   .process(40, 1, "app")
                   .ftrace(FtraceBundle(0).print(100, 41, "C|40|fps|60").print(200, 42, "C|40|fps|-2")));
  EXPECT_EQ(counter_text(trace, "app 40/fps"), "0=60;100=-2;");
}

TEST(PerfettoFtrace, AsynchronousSlicesArePairedByCookie) {
  const Trace trace = imported(PerfettoFile{}
                                   .process(40, 1, "app")
                                   .ftrace(FtraceBundle(0)
                                               .print(0, 41, "S|40|load|1")
                                               .print(10, 41, "S|40|load|2")
                                               .print(20, 42, "F|40|load|1")
                                               .print(50, 42, "F|40|load|2")
                                               .print(60, 41, "G|40|jobs|a|7")
                                               .print(90, 42, "H|40|jobs|7")));
  EXPECT_EQ(slices_text(trace, "load"), "0:load 0+20;1:load 10+40;");
  EXPECT_EQ(slices_text(trace, "jobs"), "0:a 60+30;");
  EXPECT_EQ(path_of(trace, "jobs"), "app 40/jobs");
}

TEST(PerfettoFtrace, InstantsAreOfTheThreadOrOfANamedTrack) {
  const Trace trace =
      imported(PerfettoFile{}
                   .process(40, 1, "app")
                   .process_thread(41, 40, "render")
                   .ftrace(FtraceBundle(0).print(0, 41, "I|40|vsync").print(5, 41, "N|40|jobs|done")));
  EXPECT_EQ(instants_text(trace), "app 40/render:vsync@0;app 40/jobs:done@5;");
}

TEST(PerfettoFtrace, DriversWriteAtraceAsEventsOfTheirOwn) {
  const Trace trace = imported(PerfettoFile{}
                                   .process_thread(41, 40, "render")
                                   .ftrace(FtraceBundle(0)
                                               .event(0, 41, 80,  // tracing_mark_write
                                                      [](Message& e) {
                                                        e.add_int32(1, 40);
                                                        e.add_string(2, "commit");
                                                        e.add_uint32(3, 1);
                                                      })
                                               .event(10, 41, 350,  // mali_tracing_mark_write
                                                      [](Message& e) {
                                                        e.add_string(1, "jobs");
                                                        e.add_int32(2, 40);
                                                        e.add_uint32(3, 'C');
                                                        e.add_int32(4, 3);
                                                      })
                                               .event(20, 41, 80, [](Message& e) { e.add_int32(1, 40); })));
  EXPECT_EQ(slices_text(trace, "render"), "0:commit 0+20;");
  EXPECT_EQ(counter_text(trace, "process 40/jobs"), "10=3;");
}

TEST(PerfettoFtrace, OtherTextsAreCountedAndClockSyncsAreNot) {
  const Trace trace =
      imported(PerfettoFile{}.ftrace(FtraceBundle(0)
                                         .print(0, 41, "C|40|fps|60")
                                         .print(1, 41, "hello from a driver")
                                         .print(2, 41, "C|40|fps|many")
                                         .print(3, 41, "trace_event_clock_sync: parent_ts=1")));
  EXPECT_EQ(trace.losses().of(LossCause::kImportSkipped), 2u);
  EXPECT_EQ(skipped(trace), "ftrace events: print 2");
}

// ---- scheduling -------------------------------------------------------------------------------------------

TEST(PerfettoFtrace, SwitchesAreRunsOnATrackForEachCpu) {
  const FtraceBundle::Thread idle{"swapper", 0}, render{"render", 41}, io{"io", 42};
  const Trace trace =
      imported(PerfettoFile{}
                   .process(40, 1, "app")
                   .process_thread(41, 40, "render")
                   .ftrace(FtraceBundle(3)
                               .sched_switch(100, idle, 0, render)
                               .sched_switch(150, render, 1, idle)
                               .sched_switch(180, idle, 0, io)
                               .sched_switch(200, io, 256, render)
                               .sched_switch(260, render, 2, idle))
                   .ftrace(FtraceBundle(0).sched_switch(120, idle, 0, io).sched_switch(130, io, 0, idle)));
  EXPECT_EQ(slices_text(trace, "CPU 3"), "0:render 0+50;0:io 80+20;0:render 100+60;")
      << "an idle CPU has no slice";
  EXPECT_EQ(slices_text(trace, "CPU 0"), "0:io 20+10;");
  EXPECT_EQ(args_text(trace, "CPU 3"), "tid=41;pid=40;process=app;priority=141;end_state=S;");
  EXPECT_EQ(path_of(trace, "CPU 3"), "Scheduling/CPU 3");
  EXPECT_LT(raw(find_track(trace, "CPU 0")->info.id), raw(find_track(trace, "CPU 3")->info.id));
  EXPECT_EQ(find_track(trace, "CPU 0")->info.kind, TrackKind::kWorker);
  EXPECT_TRUE(trace.losses().none());
}

TEST(PerfettoFtrace, CompactSwitchesAreTheSame) {
  const Trace trace = imported(PerfettoFile{}.ftrace(FtraceBundle(1).compact(
      {"render", "swapper"}, {{1000, 0, 41, 0}, {50, 1, 0, 1}, {30, 0, 41, 0}, {20, 256, 0, 1}})));
  EXPECT_EQ(slices_text(trace, "CPU 1"), "0:render 0+50;0:render 80+20;");
  EXPECT_EQ(args_text(trace, "CPU 1"), "tid=41;priority=141;end_state=S;");
}

TEST(PerfettoFtrace, ACompactNameMayEndInAnyByte) {
  const Trace trace = imported(PerfettoFile{}.ftrace(
      FtraceBundle(1).compact({"caf\xc3\xa9", "-"}, {{1000, 0, 41, 0}, {50, 1, 0, 1}})));
  EXPECT_EQ(slices_text(trace, "CPU 1"), "0:caf\xc3\xa9 0+50;");
  EXPECT_TRUE(trace.losses().none());
}

TEST(PerfettoFtrace, BundlesOfOneCpuMayComeInAnyOrder) {
  const Trace trace =
      imported(PerfettoFile{}
                   .ftrace(FtraceBundle(0).compact({"b", "-"}, {{200, 0, 2, 0}, {50, 1, 0, 1}}))
                   .ftrace(FtraceBundle(0).compact({"a"}, {{100, 0, 1, 0}})));
  EXPECT_EQ(slices_text(trace, "CPU 0"), "0:a 0+100;0:b 100+50;");
}

TEST(PerfettoFtrace, ARunWithoutAnEndIsUnfinished) {
  const Trace trace = imported(PerfettoFile{}
                                   .ftrace(FtraceBundle(0).compact({"a"}, {{100, 0, 1, 0}}))
                                   .ftrace(FtraceBundle(1).print(160, 7, "C|7|x|1")));
  EXPECT_EQ(slices_text(trace, "CPU 0"), "0:a 0+60;");
  EXPECT_EQ(args_text(trace, "CPU 0"), "tid=1;priority=101;");
  EXPECT_EQ(trace.losses().of(LossCause::kUnfinishedSlice), 1u);
}

TEST(PerfettoFtrace, ARunThatAnotherThreadEndedWasNotSeenWhole) {
  const Trace trace = imported(PerfettoFile{}.ftrace(
      FtraceBundle(0).sched_switch(0, {"-", 0}, 0, {"a", 1}).sched_switch(90, {"b", 2}, 1, {"-", 0})));
  EXPECT_EQ(slices_text(trace, "CPU 0"), "0:a 0+90;");
  EXPECT_EQ(args_text(trace, "CPU 0"), "tid=1;priority=101;") << "how it ended is not known";
  EXPECT_EQ(trace.losses().of(LossCause::kUnmatchedEnd), 1u);
}

TEST(PerfettoFtrace, EndStatesAreWrittenAsProcWritesThem) {
  EXPECT_EQ(perfetto::end_state_text(0), "R");
  EXPECT_EQ(perfetto::end_state_text(1), "S");
  EXPECT_EQ(perfetto::end_state_text(2), "D");
  EXPECT_EQ(perfetto::end_state_text(128), "I");
  EXPECT_EQ(perfetto::end_state_text(256), "R+");
  EXPECT_EQ(perfetto::end_state_text(4096), "R+") << "the form of older kernels";
  EXPECT_EQ(perfetto::end_state_text(3), "SD");
}

TEST(PerfettoFtrace, WakeupsTellNamesAndAreCounted) {
  const auto waking = [](Message& e) {
    e.add_string(1, "render");
    e.add_int32(2, 41);
  };
  const Trace trace = imported(PerfettoFile{}.ftrace(
      FtraceBundle(0).print(0, 41, "B|40|a").event(5, 9, 20, waking).print(9, 41, "E|40")));
  EXPECT_EQ(slices_text(trace, "render"), "0:a 0+9;");
  EXPECT_EQ(skipped(trace), "ftrace events: sched_waking 1");
  EXPECT_EQ(trace.losses().of(LossCause::kImportSkipped), 1u);
}

// ---- threads and processes --------------------------------------------------------------------------------

TEST(PerfettoFtrace, ThreadsAreNamedByTheListAndElseByTheKernel) {
  const Trace trace = imported(PerfettoFile{}
                                   .ftrace(FtraceBundle(0)
                                               .sched_switch(0, {"-", 0}, 0, {"short nam", 41})
                                               .sched_switch(5, {"short nam", 41}, 1, {"other", 42})
                                               .print(6, 41, "I|40|x")
                                               .print(7, 42, "I|40|x")
                                               .print(8, 43, "I|40|x"))
                                   .process(40, 1, "app")
                                   .process_thread(41, 40, "short name of the list"));
  EXPECT_EQ(instants_text(trace), "app 40/short name of the list:x@6;app 40/other:x@7;app 40/thread 43:x@8;");
  EXPECT_EQ(slices_text(trace, "CPU 0"), "0:short name of the list 0+5;0:other 5+3;");
}

TEST(PerfettoFtrace, ATrackDescriptorsThreadAndTheKernelsAreOneTrack) {
  const Trace trace = imported(PerfettoFile{}
                                   .thread(7, 40, 41, "from the program")
                                   .begin(0, 7, "event")
                                   .end(5, 7)
                                   .ftrace(FtraceBundle(0).print(10, 41, "B|0|print").print(20, 41, "E")));
  EXPECT_EQ(slices_text(trace, "from the program"), "0:event 0+5;0:print 10+10;");
}

TEST(PerfettoFtrace, KernelThreadsAreThreadsOfOneProcess) {
  const Trace trace = imported(PerfettoFile{}
                                   .process(2, 0, "kthreadd")
                                   .process(15, 2, "ksoftirqd/0")
                                   .ftrace(FtraceBundle(0).print(0, 15, "I|0|x")));
  EXPECT_EQ(instants_text(trace), "kernel threads 2/ksoftirqd/0:x@0;");
}

TEST(PerfettoFtrace, ThreadsOfNoKnownProcessHaveAGroupBelowAllOthers) {
  const Trace trace =
      imported(PerfettoFile{}.ftrace(FtraceBundle(0).print(0, 15, "I|0|x").print(1, 41, "I|40|y")));
  EXPECT_EQ(instants_text(trace), "Threads of unknown processes/thread 15:x@0;process 40/thread 41:y@1;");
  EXPECT_EQ(trace.tracks()[0].info.name, "process 40");
}

TEST(PerfettoFtrace, NewThreadsAreOfTheProcessThatStartedThem) {
  const auto newtask = [](int tid, std::uint64_t flags) {
    return [=](Message& e) {
      e.add_int32(1, tid);
      e.add_string(2, "started");
      e.add_uint64(3, flags);
    };
  };
  const auto rename = [](Message& e) {
    e.add_int32(1, 60);
    e.add_string(2, "started");
    e.add_string(3, "renamed");
  };
  const Trace trace = imported(PerfettoFile{}
                                   .process(40, 1, "app")
                                   .ftrace(FtraceBundle(0)
                                               .event(0, 40, 235, newtask(50, 0x10000))
                                               .event(1, 50, 235, newtask(51, 0x10000))
                                               .event(2, 40, 235, newtask(60, 0))
                                               .event(3, 60, 236, rename)
                                               .print(5, 51, "I|0|x")
                                               .print(6, 60, "I|0|y")));
  EXPECT_EQ(instants_text(trace), "app 40/started:x@0;renamed 60/renamed:y@1;");
  EXPECT_TRUE(trace.losses().none());
}

// ---- counters ---------------------------------------------------------------------------------------------

TEST(PerfettoFtrace, FrequenciesAndIdleStatesAreCountersOfTheirCpu) {
  const auto state = [](std::uint32_t value) {
    return [=](Message& e) {
      e.add_uint32(1, value);
      e.add_uint32(2, 4);
    };
  };
  const Trace trace = imported(PerfettoFile{}.ftrace(FtraceBundle(0)
                                                         .event(0, 0, 11, state(1800000))
                                                         .event(5, 0, 13, state(2))
                                                         .event(9, 0, 13, state(4294967295u))));
  EXPECT_EQ(counter_text(trace, "CPU/CPU 4 frequency (kHz)"), "0=1800000;");
  EXPECT_EQ(counter_text(trace, "CPU/CPU 4 idle state"), "5=2;9=-1;");
}

TEST(PerfettoFtrace, ResidentMemoryIsOfTheProcessThatOwnsIt) {
  const auto rss = [](std::int32_t member, std::int64_t size, bool own, std::uint32_t memory) {
    return [=](Message& e) {
      e.add_int32(1, member);
      e.add_int64(2, size);
      e.add_uint32(3, own ? 1 : 0);
      e.add_uint32(4, memory);
    };
  };
  const Trace trace = imported(PerfettoFile{}
                                   .process(40, 1, "app")
                                   .process_thread(41, 40, "render")
                                   .process(50, 1, "killer")
                                   .ftrace(FtraceBundle(0)
                                               .event(0, 41, 313, rss(1, 4096, true, 7))
                                               .event(5, 50, 313, rss(1, 8192, false, 7))
                                               .event(6, 50, 313, rss(0, 100, false, 8))
                                               .event(7, 41, 313, rss(2, 12288, true, 7))
                                               .event(8, 41, 313, rss(9, 1, true, 7))));
  EXPECT_EQ(counter_text(trace, "app 40/mem.rss.anon"), "0=4096bytes;5=8192bytes;");
  EXPECT_EQ(counter_text(trace, "app 40/mem.swap"), "7=12288bytes;");
  EXPECT_EQ(skipped(trace), "ftrace events: rss_stat 2") << "an unknown owner and an unknown kind";
}

TEST(PerfettoFtrace, MemoryOfProcessesIsInBytes) {
  const Trace trace = imported(PerfettoFile{}.process(40, 1, "app").packet([](Message& p) {
    p.add_uint64(8, 500);
    Message stats(p, 9);
    Message process(stats, 1);
    process.add_int32(1, 40);
    process.add_uint64(3, 2048);
    process.add_uint64(9, 4096);
    process.add_int64(10, -17);
  }));
  EXPECT_EQ(counter_text(trace, "app 40/mem.rss"), "0=2097152bytes;");
  EXPECT_EQ(counter_text(trace, "app 40/mem.rss.watermark"), "0=4194304bytes;");
  EXPECT_EQ(counter_text(trace, "app 40/oom_score_adj"), "0=-17;");
}

TEST(PerfettoFtrace, TheMachinesCountersHaveUnits) {
  const auto pair = [](Message& stats, std::uint32_t field, std::uint32_t key, std::uint64_t value) {
    Message entry(stats, field);
    entry.add_uint32(1, key);
    entry.add_uint64(2, value);
  };
  const Trace trace = imported(PerfettoFile{}.packet([&](Message& p) {
    p.add_uint64(8, 500);
    Message stats(p, 7);
    pair(stats, 1, 2, 1000);
    pair(stats, 2, 49, 5);
    {
      Message cpu(stats, 3);
      cpu.add_uint32(1, 1);
      cpu.add_uint64(2, 70);
      cpu.add_uint64(5, 90);
    }
    stats.add_uint64(4, 12);
    stats.add_uint32(11, 300);
    stats.add_uint32(11, 400);
    pair(stats, 14, 5, 33);
    stats.add_string(19, "a cgroup");
  }));
  EXPECT_EQ(counter_text(trace, "Memory/MemFree"), "0=1024000bytes;");
  EXPECT_EQ(counter_text(trace, "Memory/pgfault"), "0=5count;");
  EXPECT_EQ(counter_text(trace, "CPU/CPU 1 user time"), "0=70ns;");
  EXPECT_EQ(counter_text(trace, "CPU/CPU 1 idle time"), "0=90ns;");
  EXPECT_EQ(counter_text(trace, "CPU/CPU 0 frequency (kHz)"), "0=300;");
  EXPECT_EQ(counter_text(trace, "CPU/CPU 1 frequency (kHz)"), "0=400;");
  EXPECT_EQ(counter_text(trace, "System/forks"), "0=12count;");
  EXPECT_EQ(counter_text(trace, "System/pressure, memory some"), "0=33ns;");
  EXPECT_EQ(skipped(trace), "events: sys_stats_19 1");
}

TEST(PerfettoFtrace, MoreCpusThanAKernelCanHaveAreDamage) {
  constexpr std::uint32_t kMost = 1u << 13;
  const Trace trace = imported(PerfettoFile{}.packet([](Message& p) {
    p.add_uint64(8, 500);
    Message stats(p, 7);
    for (std::uint32_t i = 0; i < kMost + 100; ++i) stats.add_uint32(11, 300);
  }));
  EXPECT_EQ(trace.counts().counter_samples, kMost);
  EXPECT_EQ(trace.losses().of(LossCause::kImportBroken), 1u);
}

TEST(PerfettoFtrace, StatisticsWithoutATimeAreCounted) {
  const Trace trace = imported(PerfettoFile{}.packet([](Message& p) {
    Message stats(p, 7);
    stats.add_uint64(4, 12);
  }));
  EXPECT_EQ(trace.losses().of(LossCause::kImportUndefined), 1u);
  EXPECT_EQ(trace.counts().counter_samples, 0u);
}

TEST(PerfettoFtrace, InterruptsAreSlicesOfTheirCpu) {
  const Trace trace =
      imported(PerfettoFile{}.ftrace(FtraceBundle(2)
                                         .event(0, 0, 36,
                                                [](Message& e) {
                                                  e.add_int32(1, 5);
                                                  e.add_string(2, "timer");
                                                })
                                         .event(4, 0, 37, [](Message& e) { e.add_int32(1, 5); })
                                         .event(5, 0, 24, [](Message& e) { e.add_uint32(1, 9); })
                                         .event(9, 0, 25, [](Message& e) { e.add_uint32(1, 9); })));
  EXPECT_EQ(slices_text(trace, "CPU 2 IRQs"), "0:IRQ (timer) 0+4;");
  EXPECT_EQ(slices_text(trace, "CPU 2 softirqs"), "0:RCU 5+4;");
}

// ---- Android's calls and frames ---------------------------------------------------------------------------

auto transaction(int id, bool reply, std::uint32_t flags) {
  return [=](Message& e) {
    e.add_int32(1, id);
    e.add_int32(3, 60);
    e.add_int32(5, reply ? 1 : 0);
    e.add_uint32(6, 9);
    e.add_uint32(7, flags);
  };
}
auto received(int id) {
  return [=](Message& e) { e.add_int32(1, id); };
}

TEST(PerfettoFtrace, ACallIsASliceOfBothThreadsWithAnArrow) {
  const Trace trace = imported(
      PerfettoFile{}
          .process_thread(41, 40, "caller")
          .process_thread(61, 60, "server")
          // The server runs on cpu 1, and the caller on cpu 0. The file has the events of the server first.
          .ftrace(FtraceBundle(1).event(10, 61, 51, received(5)).event(80, 61, 50, transaction(6, true, 0)))
          .ftrace(FtraceBundle(0)
                      .event(0, 41, 50, transaction(5, false, 0))
                      .print(2, 41, "B|40|within")
                      .print(3, 41, "E|40")
                      .event(95, 41, 51, received(6))));
  EXPECT_EQ(slices_text(trace, "caller"), "0:binder transaction 0+95;1:within 2+1;");
  EXPECT_EQ(slices_text(trace, "server"), "0:binder reply 10+70;");
  EXPECT_EQ(args_text(trace, "caller"), "code=9;to process=60;");
  ASSERT_EQ(trace.flow_count(), 1u);
  EXPECT_EQ(trace.track(trace.flow(0).to_track).info.name, "server");
  EXPECT_EQ(ns_from(trace.flow(0).to_time), 10);
  EXPECT_TRUE(trace.losses().none());
}

TEST(PerfettoFtrace, ACallOneWayIsAnInstantOfBothThreads) {
  const Trace trace = imported(PerfettoFile{}
                                   .process_thread(41, 40, "caller")
                                   .process_thread(61, 60, "server")
                                   .ftrace(FtraceBundle(0)
                                               .event(0, 41, 50, transaction(5, false, 1))
                                               .event(7, 61, 51, received(5))
                                               .event(9, 61, 51, received(77))));
  EXPECT_EQ(instants_text(trace),
            "process 40/caller:binder transaction async@0;process 60/server:binder async rcv@7;");
  EXPECT_EQ(skipped(trace), "ftrace events: binder_transaction_received 1") << "its begin was not seen";
}

TEST(PerfettoFtrace, FramesAreSlicesOfTheirProcess) {
  PerfettoFile file;
  file.process(40, 1, "app");
  const auto frame = [&](std::uint64_t at, std::uint32_t kind, auto fill) {
    file.packet([&](Message& p) {
      p.add_uint64(8, at);
      Message event(p, 76);
      Message inner(event, kind);
      fill(inner);
    });
  };
  const auto begin = [](int cookie, int token, bool actual) {
    return [=](Message& e) {
      e.add_int64(1, cookie);
      e.add_int64(2, token);
      e.add_int32(4, 40);
      if (!actual) return;
      e.add_int32(6, 2);
      e.add_int32(9, 64 | 128);
    };
  };
  const auto end = [](int cookie) { return [=](Message& e) { e.add_int64(1, cookie); }; };
  frame(0, 3, begin(1, 500, false));
  frame(2, 4, begin(2, 500, true));
  frame(16, 5, end(1));
  frame(16, 3, begin(3, 501, false));
  frame(30, 5, end(2));
  frame(32, 5, end(3));
  const Trace trace = imported(file);
  EXPECT_EQ(slices_text(trace, "Expected Timeline"), "0:500 0+16;0:501 16+16;");
  EXPECT_EQ(slices_text(trace, "Actual Timeline"), "0:500 2+28;");
  EXPECT_EQ(args_text(trace, "Actual Timeline"), "presented=late;jank=app deadline missed, buffer stuffing;");
  EXPECT_EQ(path_of(trace, "Actual Timeline"), "app 40/Actual Timeline");
  EXPECT_TRUE(trace.losses().none());
}

// ---- clocks -----------------------------------------------------------------------------------------------

PerfettoFile with_two_clocks() {
  PerfettoFile file;
  return file.packet([](Message& p) {
    Message snapshot(p, 6);
    for (const auto& [id, ns] : {std::pair(6u, 1000u), std::pair(3u, 400u), std::pair(5u, 300u)}) {
      Message clock(snapshot, 1);
      clock.add_uint32(1, id);
      clock.add_uint64(2, ns);
    }
  });
}

TEST(PerfettoFtrace, ItsClockIsTheBootClock) {
  PerfettoFile file = with_two_clocks();
  file.track(7, "t").packet([](Message& p) {
    p.add_uint64(8, 410);  // time on the monotonic clock; the same moment is 1010 on the boot clock
    p.add_uint32(58, 3);
    Message e(p, 11);
    e.add_int32(9, 3);
    e.add_uint64(11, 7);
    e.add_string(23, "event");
  });
  const Trace trace = imported(file.ftrace(FtraceBundle(0).print(1030, 41, "I|40|print")));
  EXPECT_EQ(instants_text(trace), "t:event@0;process 40/thread 41:print@20;");
}

TEST(PerfettoFtrace, AnotherClockIsTiedByTheSnapshotOrByTheBundlesOwnPair) {
  PerfettoFile file = with_two_clocks();
  file.ftrace(FtraceBundle(0).print(1000, 41, "I|40|boot"));
  file.ftrace(FtraceBundle(0).clock(4, 0, 0).print(310, 41, "I|40|raw"));
  file.ftrace(FtraceBundle(0).clock(2, 70, 1100).print(50, 41, "I|40|global"));
  file.ftrace(FtraceBundle(0).clock(3, 5000, 2000).print(5005, 41, "I|40|local"));
  EXPECT_EQ(instants_text(imported(file)),
            "process 40/thread 41:boot@0;process 40/thread 41:raw@10;process 40/thread 41:global@80;"
            "process 40/thread 41:local@1005;");
}

TEST(PerfettoFtrace, EventsOfAClockThatNothingTiesAreCounted) {
  PerfettoFile file = with_two_clocks();
  file.ftrace(FtraceBundle(0).print(1000, 41, "I|40|boot"));
  file.packet([](Message& p) {
    FtraceBundle bundle(0);
    bundle.print(7, 41, "I|40|lost").compact({"a"}, {{5, 0, 41, 0}});
    std::string bytes = bundle.bytes();
    Message(bytes).add_uint32(5, 1);
    p.add_bytes(1, bytes);
  });
  const Trace trace = imported(file);
  EXPECT_EQ(trace.counts().instants, 1u);
  EXPECT_EQ(trace.losses().of(LossCause::kImportUndefined), 2u);
}

// ---- what is not read, and damage -------------------------------------------------------------------------

TEST(PerfettoFtrace, EventsWithoutAPlaceAreCountedByKind) {
  const auto some = [](Message& e) { e.add_uint64(1, 5); };
  const auto generic = [](Message& e) { e.add_string(1, "my tracepoint"); };
  const Trace trace = imported(PerfettoFile{}.ftrace(FtraceBundle(0)
                                                         .print(0, 41, "C|40|fps|1")
                                                         .event(1, 41, 323, some)
                                                         .event(2, 41, 323, some)
                                                         .event(3, 41, 987, some)
                                                         .event(4, 41, 327, generic)));
  EXPECT_EQ(skipped(trace), "ftrace events: binder_transaction_alloc_buf 2, event_987 1, my_tracepoint 1");
  EXPECT_EQ(trace.losses().of(LossCause::kImportSkipped), 4u) << "the sum over the kinds";
}

TEST(PerfettoFtrace, NumbersHaveTheNamesOfTheFormat) {
  using namespace perfetto;
  for (const auto& [number, name] :
       std::vector<std::pair<std::uint32_t, std::string>>{{3, "print"},
                                                          {20, "sched_waking"},
                                                          {126, "block_rq_insert"},
                                                          {134, "ext4_alloc_da_blocks"},
                                                          {219, "ext4_write_begin"},
                                                          {238, "sched_process_exit"},
                                                          {298, "kfree"},
                                                          {313, "rss_stat"},
                                                          {335, "ion_stat"},
                                                          {351, "dma_heap_stat"},
                                                          {404, "wakeup_source_activate"},
                                                          {448, "trusty_std_call32_done"},
                                                          {467, "lwis_tracing_mark_write"},
                                                          {481, "suspend_resume_minimal"},
                                                          {491, "sched_migrate_task"},
                                                          {509, "kgsl_gpu_frequency"},
                                                          {127, "event_127"},
                                                          {999, "event_999"}}) {
    EXPECT_EQ(ftrace_event_kind(number), name);
  }
  for (const auto& [number, name] :
       std::vector<std::pair<std::uint32_t, std::string>>{{2, "process_tree"},
                                                          {39, "android_log"},
                                                          {57, "graphics_frame_event"},
                                                          {71, "gpu_mem_total_event"},
                                                          {78, "ui_state"},
                                                          {84, "statsd_atom"},
                                                          {97, "shell_handler_mappings"},
                                                          {107, "remote_clock_sync"},
                                                          {119, "cpu_per_uid_data"},
                                                          {135, "stack_sample"},
                                                          {140, "module_disassembly"},
                                                          {900, "packet_900"}}) {
    EXPECT_EQ(packet_kind(number), name);
  }
  EXPECT_EQ(meminfo_name(33), "CmaFree");
  EXPECT_EQ(vmstat_name(95), "nr_gpu_heap");
  EXPECT_EQ(vmstat_name(96), "vmstat_96");
}

TEST(PerfettoFtrace, DamagedEventsAreCountedAndTheOthersAreRead) {
  FtraceBundle bundle(0);
  bundle.print(0, 41, "B|40|a");
  std::string bytes = bundle.bytes();
  {
    Message message(bytes);
    message.add_bytes(2, std::string("\x08\x05\x1a\x7f", 4));              // print longer than its event
    message.add_bytes(2, std::string("\x10\x05", 2));                      // no time and no kind of event
    message.add_bytes(2, std::string("\x08\x05\x1a\x02\x12\x7f", 6));      // text longer than its print
    message.add_bytes(4, std::string("\x0a\x02\x05\x06\x12\x01\x01", 7));  // times of 2 switches, but 1 state
  }
  bundle = FtraceBundle(0);
  bytes += bundle.print(9, 41, "E|40").bytes();
  PerfettoFile file;
  file.packet([&](Message& p) { p.add_bytes(1, bytes); });
  const Trace trace = imported(file);
  EXPECT_EQ(slices_text(trace, "thread 41"), "0:a 0+9;");
  EXPECT_EQ(trace.losses().of(LossCause::kImportBroken), 4u);
}

TEST(PerfettoFtrace, AFileCutAtAnyByteGivesWhatIsWhole) {
  PerfettoFile file;
  file.process(40, 1, "app").ftrace(FtraceBundle(0).print(0, 41, "B|40|a").print(5, 41, "E|40"));
  file.ftrace(FtraceBundle(1).compact({"a", "-"}, {{1, 0, 41, 0}, {2, 1, 0, 1}}));
  const std::string& whole = file.bytes();
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    const Result<Trace> trace = read_perfetto(as_bytes(std::string_view(whole).substr(0, n)));
    if (!trace) continue;
    EXPECT_LE(trace->counts().slices, 2u);
  }
  EXPECT_EQ(imported(file).counts().slices, 2u);
}

// ---- nothing to show --------------------------------------------------------------------------------------

TEST(PerfettoFtrace, AFileOfWhichNothingIsShownIsRefusedWithWhatItHolds) {
  const ScratchFolder folder;
  const auto some = [](Message& e) { e.add_uint64(1, 5); };
  write_file(folder / "a.pftrace",
             PerfettoFile{}
                 .ftrace(FtraceBundle(0).event(0, 1, 323, some).event(1, 1, 323, some).event(2, 1, 53, some))
                 .packet([](Message& p) { p.add_string(39, "log"); })
                 .bytes());
  const Result<Trace> trace = load_any(folder / "a.pftrace");
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().message.find("a.pftrace"), std::string::npos);
  EXPECT_NE(trace.error().message.find("no slice, instant or sample"), std::string::npos);
  EXPECT_NE(
      trace.error().message.find(
          "4 skipped (ftrace events: binder_transaction_alloc_buf 2, binder_lock 1; packets: android_log 1)"),
      std::string::npos)
      << trace.error().message;
}

TEST(PerfettoFtrace, AFileWithoutEventsIsAnEmptyTrace) {
  const ScratchFolder folder;
  write_file(folder / "a.pftrace",
             PerfettoFile{}.packet([](Message& p) { p.add_string(33, "config"); }).bytes());
  const Result<Trace> trace = load_any(folder / "a.pftrace");
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_TRUE(trace->losses().none());
}

}  // namespace
}  // namespace runahead::importers
