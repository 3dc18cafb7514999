// Builds Perfetto files for tests, packet by packet, with the format's field numbers.
//
//   const std::string file = PerfettoFile{}
//       .packet([](auto& p) { time(p, 10); event(p, [](auto& e) { begin(e, 7, "a"); }); })
//       .bytes();
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace runahead::testing {

using Message = protozero::pbf_writer;

// A bundle of kernel events of one cpu.
class FtraceBundle {
 public:
  explicit FtraceBundle(std::uint32_t cpu) { Message(bytes_).add_uint32(1, cpu); }

  // Adds an FtraceEvent. `number` is the number of the field for this kind of event, such as sched_switch.
  // `fill` receives the message in this field.
  template <typename Fill>
  FtraceBundle& event(std::uint64_t at, std::uint32_t tid, std::uint32_t number, Fill fill) {
    Message bundle(bytes_);
    Message event(bundle, 2);
    event.add_uint64(1, at);
    event.add_uint32(2, tid);
    Message payload(event, number);
    fill(payload);
    return *this;
  }
  FtraceBundle& print(std::uint64_t at, std::uint32_t tid, std::string_view text) {
    return event(at, tid, 3, [&](Message& e) {
      e.add_uint64(1, 0xffff);
      e.add_string(2, text.data(), text.size());
    });
  }
  struct Thread {
    std::string_view name;
    int tid = 0;
  };
  FtraceBundle& sched_switch(std::uint64_t at, Thread prev, std::int64_t prev_state, Thread next) {
    return event(at, static_cast<std::uint32_t>(prev.tid), 4, [&](Message& e) {
      e.add_string(1, prev.name.data(), prev.name.size());
      e.add_int32(2, prev.tid);
      e.add_int32(3, 120);
      e.add_int64(4, prev_state);
      e.add_string(5, next.name.data(), next.name.size());
      e.add_int32(6, next.tid);
      e.add_int32(7, 100 + next.tid);
    });
  }
  struct CompactSwitch {
    std::uint64_t delta = 0;
    std::int64_t prev_state = 0;
    int next_tid = 0;
    std::uint32_t comm = 0;
  };
  FtraceBundle& compact(const std::vector<std::string>& comms, const std::vector<CompactSwitch>& switches) {
    Message bundle(bytes_);
    Message compact(bundle, 4);
    for (const std::string& comm : comms) compact.add_string(5, comm);
    std::vector<std::uint64_t> deltas;
    std::vector<std::int64_t> states;
    std::vector<std::int32_t> tids, priorities;
    std::vector<std::uint32_t> names;
    for (const CompactSwitch& told : switches) {
      deltas.push_back(told.delta);
      states.push_back(told.prev_state);
      tids.push_back(told.next_tid);
      priorities.push_back(100 + told.next_tid);
      names.push_back(told.comm);
    }
    compact.add_packed_uint64(1, deltas.begin(), deltas.end());
    compact.add_packed_int64(2, states.begin(), states.end());
    compact.add_packed_int32(3, tids.begin(), tids.end());
    compact.add_packed_int32(4, priorities.begin(), priorities.end());
    compact.add_packed_uint32(6, names.begin(), names.end());
    return *this;
  }
  // The times of the bundle are times of `clock`, not of the boot clock. `ftrace_ns` and `boot_ns` are the
  // times that `clock` and the boot clock show at the same moment.
  FtraceBundle& clock(std::uint32_t clock, std::int64_t ftrace_ns, std::int64_t boot_ns) {
    Message bundle(bytes_);
    bundle.add_uint32(5, clock);
    bundle.add_int64(6, ftrace_ns);
    bundle.add_int64(7, boot_ns);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class PerfettoFile {
 public:
  template <typename Fill>
  PerfettoFile& packet(Fill fill) {
    Message file(bytes_);
    Message packet(file, 1);
    fill(packet);
    return *this;
  }
  // Adds a packet of packet sequence 1. The packet has a time on the trace's own clock, and an event of this
  // type on a track.
  template <typename Fill>
  PerfettoFile& event(std::uint64_t at, int type, std::uint64_t track, Fill fill) {
    return packet([&](Message& p) {
      p.add_uint64(8, at);
      p.add_uint32(10, 1);
      Message e(p, 11);
      e.add_int32(9, type);
      e.add_uint64(11, track);
      fill(e);
    });
  }
  PerfettoFile& begin(std::uint64_t at, std::uint64_t track, std::string_view name) {
    return event(at, 1, track, [&](Message& e) { e.add_string(23, name.data(), name.size()); });
  }
  PerfettoFile& end(std::uint64_t at, std::uint64_t track) {
    return event(at, 2, track, [](Message&) {});
  }
  // Adds an event in the legacy form: with a phase, as in a Chrome trace. `fill` receives the event's
  // LegacyEvent message.
  template <typename Fill>
  PerfettoFile& legacy(std::uint64_t at, char phase, std::uint64_t track, std::string_view name, Fill fill) {
    return packet([&](Message& p) {
      p.add_uint64(8, at);
      p.add_uint32(10, 1);
      Message e(p, 11);
      e.add_uint64(11, track);
      if (!name.empty()) e.add_string(23, name.data(), name.size());
      Message l(e, 6);
      l.add_int32(2, phase);
      fill(l);
    });
  }
  template <typename Fill>
  PerfettoFile& track(std::uint64_t uuid, std::string_view name, Fill fill) {
    return packet([&](Message& p) {
      Message t(p, 60);
      t.add_uint64(1, uuid);
      if (!name.empty()) t.add_string(2, name.data(), name.size());
      fill(t);
    });
  }
  PerfettoFile& track(std::uint64_t uuid, std::string_view name) {
    return track(uuid, name, [](Message&) {});
  }
  PerfettoFile& thread(std::uint64_t uuid, int pid, int tid, std::string_view name) {
    return track(uuid, {}, [&](Message& t) {
      Message thread(t, 4);
      thread.add_int32(1, pid);
      thread.add_int64(2, tid);
      thread.add_string(5, name.data(), name.size());
    });
  }
  PerfettoFile& ftrace(const FtraceBundle& bundle) {
    return packet([&](Message& p) { p.add_bytes(1, bundle.bytes()); });
  }
  // Adds an entry to the process list. If `parent` is 2, the process is a kernel thread.
  PerfettoFile& process(int pid, int parent, std::string_view name) {
    return packet([&](Message& p) {
      Message tree(p, 2);
      Message process(tree, 1);
      process.add_int32(1, pid);
      process.add_int32(2, parent);
      if (!name.empty()) process.add_string(3, name.data(), name.size());
    });
  }
  PerfettoFile& process_thread(int tid, int pid, std::string_view name) {
    return packet([&](Message& p) {
      Message tree(p, 2);
      Message thread(tree, 2);
      thread.add_int32(1, tid);
      thread.add_string(2, name.data(), name.size());
      thread.add_int32(3, pid);
    });
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace runahead::testing
