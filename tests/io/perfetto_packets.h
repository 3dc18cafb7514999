// Perfetto files for tests, packet by packet, with the numbers of the fields as the format has them.
//
//   const std::string file = PerfettoFile{}
//       .packet([](auto& p) { time(p, 10); event(p, [](auto& e) { begin(e, 7, "a"); }); })
//       .bytes();
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>

namespace runahead::testing {

using Message = protozero::pbf_writer;

class PerfettoFile {
 public:
  template <typename Fill>
  PerfettoFile& packet(Fill fill) {
    Message file(bytes_);
    Message packet(file, 1);
    fill(packet);
    return *this;
  }
  // A packet of the sequence 1 at a time of the trace's own clock, with an event of a type on a track.
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
  // An event of the older kind: `fill` gets its event and its legacy part.
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
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace runahead::testing
