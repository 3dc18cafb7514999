// Clocks of a Perfetto trace: each packet may tell its time by another one. Snapshots say what several clocks
// showed at one moment; with them every time becomes one of the trace's own clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace runahead::importers::perfetto {

// Dense, in the order of first mention.
enum class ClockIndex : std::uint32_t {};

// A reading of a clock, in its own nanoseconds.
struct ClockTime {
  ClockIndex clock{};
  std::int64_t ns = 0;
};

class ClockTable {
 public:
  struct Reading {
    std::uint32_t id = 0;
    std::uint64_t time = 0;
    bool incremental = false;
    std::uint64_t unit_ns = 1;
  };
  // What the clocks showed at one moment, as told on a sequence.
  void add_snapshot(std::uint64_t sequence, const std::vector<Reading>& readings);
  void set_primary(std::uint32_t id) { primary_ = id; }
  // A packet's time. Of a clock that counts from packet to packet, moves it on: each packet once, in the
  // order of the file.
  [[nodiscard]] ClockTime read(std::uint64_t sequence, std::optional<std::uint32_t> id, std::uint64_t time);

  // A time in us of a clock that never counts differences.
  [[nodiscard]] ClockTime read_us(std::uint32_t id, std::uint64_t us);

  // After the last packet: makes ready what convert() needs.
  void finish();
  // nullopt: no snapshot ties this clock to the trace's. REQUIRES: finish() was called.
  [[nodiscard]] std::optional<std::int64_t> convert(ClockTime time) const;

 private:
  struct Clock {
    bool incremental = false;
    std::uint64_t unit_ns = 1;
    std::int64_t now_ns = 0;
    // From a time on (its own), what is added to get the trace's; empty: not known.
    std::vector<std::pair<std::int64_t, std::int64_t>> offsets;
  };
  ClockIndex index_of(std::uint64_t sequence, std::uint32_t id);
  Clock& clock(ClockIndex index) { return clocks_[static_cast<std::size_t>(index)]; }
  void tie_to_trace(ClockIndex trace);

  std::map<std::pair<std::uint64_t, std::uint32_t>, ClockIndex> indices_;  // sequence 0: global
  std::vector<Clock> clocks_;
  std::vector<std::vector<ClockTime>> snapshots_;
  std::optional<std::uint32_t> primary_;
  std::optional<ClockIndex> first_used_;
};

}  // namespace runahead::importers::perfetto
