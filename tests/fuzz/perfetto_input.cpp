#include "tests/fuzz/perfetto_input.h"

#include <vector>

#include "instrumentation/base/check.h"
#include "instrumentation/export/perfetto_export.h"
#include "instrumentation/import/perfetto/perfetto_import.h"
#include "tests/fuzz/read_everything.h"
#include "tests/import/perfetto_packets.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::testing {
namespace {

std::string exported_file(const exporters::ExportOptions& options) {
  const trace::Trace trace = TraceBuilder{}
                                 .group("Frontend")
                                 .track("main", trace::TrackKind::kFrontend)
                                 .slice("step", 0_ns, 100_ns, trace::SliceKind::kStep)
                                 .slice("a", 10_ns, 5_ns, trace::SliceKind::kEnqueue, OpId{1})
                                 .arg("axis", std::int64_t{1})
                                 .arg("layout", "row")
                                 .instant("mark", 12_ns)
                                 .track("ops", trace::TrackKind::kQueue)
                                 .slice("a", 10_ns, 30_ns)
                                 .slice("b", 20_ns, 30_ns)
                                 .counter("live", trace::CounterRole::kLiveBytes, trace::Unit::kBytes)
                                 .sample(5_ns, 0.5)
                                 .flow(trace::FlowKind::kOther, "main", 15_ns, "ops", 20_ns)
                                 .build();
  const ScratchFolder folder;
  RUNAHEAD_CHECK(exporters::export_perfetto(trace, folder / "seed.pftrace", {}, options).ok());
  return file_bytes(folder / "seed.pftrace");
}

void add_state(PerfettoFile& file) {
  file.packet([](Message& p) {
    p.add_uint32(10, 1);
    p.add_uint32(13, 1);
    Message snapshot(p, 6);
    for (const std::uint32_t id : {6u, 3u, 64u}) {
      Message clock(snapshot, 1);
      clock.add_uint32(1, id);
      clock.add_uint64(2, 1000ull * id);
      clock.add_bool(3, id == 64);
      clock.add_uint64(4, id == 64 ? 1000 : 1);
    }
  });
  file.packet([](Message& p) {
    p.add_uint32(10, 1);
    Message defaults(p, 59);
    defaults.add_uint32(58, 64);
    Message events(defaults, 11);
    events.add_uint64(11, 7);
    events.add_uint64(31, 8);
    events.add_uint64(45, 8);
  });
  file.packet([](Message& p) {
    p.add_uint32(10, 1);
    Message interned(p, 12);
    for (const std::uint32_t field : {1u, 2u, 3u, 29u}) {
      Message entry(interned, field);
      entry.add_uint64(1, 1);
      entry.add_string(2, "name");
    }
  });
}

std::string packets_by_hand() {
  PerfettoFile file;
  add_state(file);
  file.thread(7, 1, 2, "main").track(8, "cycles", [](Message& t) {
    t.add_uint64(5, 7);
    Message counter(t, 8);
    counter.add_int32(1, 1);
    counter.add_int64(4, 10);
    counter.add_bool(5, true);
  });
  for (const int type : {1, 3, 2}) {
    file.packet([&](Message& p) {
      p.add_uint32(10, 1);
      p.add_uint32(13, 2);
      p.add_uint64(8, 3);
      Message e(p, 11);
      e.add_int32(9, type);
      e.add_uint64(10, 1);
      e.add_uint64(3, 1);
      e.add_int64(12, 5);
      e.add_double(46, 5);
      e.add_fixed64(type == 2 ? 48 : 47, 9);
      Message a(e, 4);
      a.add_uint64(1, 1);
      Message item(a, 12);
      item.add_uint64(17, 1);
    });
  }
  return file.bytes();
}

std::string older_packets_by_hand() {
  PerfettoFile file;
  file.thread(7, 1, 2, "main").thread(8, 3, 4, "io");
  std::uint64_t at = 0;
  for (const char phase : std::string("BstfXCIEbnSTpFe")) {
    file.legacy(at += 10, phase, 7, "a", [&](Message& l) {
      l.add_int64(3, 1);
      l.add_uint64(phase < 'a' ? 10 : 6, 5);
      l.add_string(7, "scope");
      l.add_uint64(8, 5);
      l.add_int32(13, 1 + phase % 3);
      l.add_bool(12, phase % 2 == 0);
      l.add_int32(14, phase % 4);
      if (phase == 'X') l.add_int32(18, 3);
      if (phase == 'X') l.add_int32(19, 4);
    });
  }
  file.packet([](Message& p) {
    p.add_uint32(10, 5);
    Message thread(p, 44);
    thread.add_int32(1, 3);
    thread.add_int64(2, 4);
    thread.add_int64(6, 1000);
  });
  file.packet([](Message& p) {
    p.add_uint32(10, 5);
    Message e(p, 11);
    e.add_int64(1, 10);
    e.add_int32(9, 1);
    Message a(e, 4);
    a.add_string(10, "old");
    Message nested(a, 8);
    nested.add_string(2, "k");
    Message value(nested, 3);
    value.add_int64(5, 9);
  });
  return file.bytes();
}

void add_stats(PerfettoFile& file) {
  file.packet([](Message& p) {
    p.add_uint64(8, 500);
    Message stats(p, 9);
    Message process(stats, 1);
    for (std::uint32_t field = 1; field <= 10; ++field) process.add_uint64(field, 40 + field);
  });
  file.packet([](Message& p) {
    p.add_uint64(8, 600);
    Message stats(p, 7);
    for (const std::uint32_t field : {1u, 2u, 3u, 6u, 8u, 14u}) {
      Message pair(stats, field);
      pair.add_uint32(1, 2);
      pair.add_uint64(2, 1000);
    }
    for (const std::uint32_t field : {10u, 13u, 15u}) {
      Message pair(stats, field);
      pair.add_string(1, "name");
      pair.add_uint64(2, 1000);
    }
    for (const std::uint32_t field : {4u, 5u, 7u, 9u, 11u, 17u}) stats.add_uint64(field, field);
    {
      Message buddies(stats, 12);
      buddies.add_string(1, "0");
      buddies.add_string(2, "DMA");
      const std::vector<std::uint32_t> pages{1, 2, 3};
      buddies.add_packed_uint32(3, pages.begin(), pages.end());
    }
    Message idle(stats, 16);
    idle.add_uint32(1, 1);
    Message state(idle, 2);
    state.add_string(1, "C1");
    state.add_uint64(2, 70);
  });
  file.packet([](Message& p) {
    p.add_uint64(8, 700);
    Message battery(p, 38);
    battery.add_int64(1, 5);
    battery.add_float(2, 97.5f);
  });
  file.packet([](Message& p) {
    p.add_uint64(8, 800);
    Message rails(p, 40);
    {
      Message rail(rails, 1);
      rail.add_uint32(1, 3);
      rail.add_string(2, "display");
    }
    Message energy(rails, 2);
    energy.add_uint32(1, 3);
    energy.add_uint64(2, 1);
    energy.add_uint64(3, 900);
  });
  file.packet([](Message& p) {
    p.add_uint64(8, 900);
    Message gpu(p, 71);
    gpu.add_uint32(2, 40);
    gpu.add_uint64(3, 4096);
  });
}

// These packets have every kind of event that the importer reads, and every clock.
std::string kernel_packets_by_hand() {
  PerfettoFile file;
  add_state(file);
  file.process(40, 1, "app").process(15, 2, "ksoftirqd/0").process_thread(41, 40, "render");
  FtraceBundle texts(0);
  std::uint64_t at = 100;
  for (const char* text : {"B|40|a", "S|40|load|7", "C|40|fps|60", "I|40|x", "N|40|t|y", "G|40|t|job|5",
                           "H|40|t|5", "F|40|load|7", "E|40\n", "E", "some text"}) {
    texts.print(at += 10, 41, text);
  }
  file.ftrace(texts);
  FtraceBundle events(1);
  for (const std::uint32_t kind :
       {11u,  13u,  14u,  16u,  17u,  20u,  24u,  25u,  36u,  37u,  46u,  47u,  50u,
        51u,  53u,  80u,  114u, 235u, 236u, 238u, 313u, 314u, 315u, 320u, 321u, 322u,
        326u, 327u, 328u, 331u, 332u, 335u, 340u, 341u, 342u, 349u, 351u, 359u}) {
    events.event(at += 10, 41, kind, [&](Message& e) {
      const bool named = kind == 14 || kind == 16 || (kind >= 320 && kind <= 322) || kind == 327;
      if (named) e.add_string(1, "name");
      if (!named) e.add_uint64(1, 1);
      for (std::uint32_t field = 2; field < 6; ++field) e.add_uint64(field, field);
    });
  }
  file.ftrace(events);
  file.ftrace(FtraceBundle(0)
                  .clock(2, 70, 1100)
                  .sched_switch(100, {"swapper", 0}, 0, {"render", 41})
                  .sched_switch(150, {"render", 41}, 1, {"swapper", 0}));
  file.ftrace(FtraceBundle(1).compact({"a", "swapper"}, {{1000, 0, 41, 0}, {50, 1, 0, 1}, {30, 0, 41, 0}}));
  for (const std::uint32_t kind : {1u, 4u, 5u, 7u}) {
    file.packet([&](Message& p) {
      p.add_uint64(8, 900 + kind);
      Message event(p, 76);
      Message frame(event, kind);
      for (std::uint32_t field = 1; field < 10; ++field) frame.add_uint64(field, 1);
    });
  }
  add_stats(file);
  return file.bytes();
}

}  // namespace

void open_as_perfetto(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  (void)importers::looks_like_perfetto(text);
  const Result<trace::Trace> loaded = importers::read_perfetto(bytes);
  if (!loaded) {
    RUNAHEAD_CHECK(!loaded.error().message.empty());
    return;
  }
  volatile std::uint64_t sum = read_everything(*loaded);
  (void)sum;
}

std::vector<std::string> seed_perfetto_files() {
  return {exported_file(exporters::kEventsOnly), exported_file({}), packets_by_hand(),
          older_packets_by_hand(), kernel_packets_by_hand()};
}

}  // namespace runahead::testing
