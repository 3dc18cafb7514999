// Clocks of a Perfetto trace. Each packet may use another clock. A snapshot lists the readings of several
// clocks, taken at the same time. The ClockTable uses the snapshots to convert every time to the trace's own
// clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace runahead::importers::perfetto {

// The number of a clock in the ClockTable: 0, 1, 2, ... in the order of first use.
enum class ClockIndex : std::uint32_t {};

// A reading of a clock, in nanoseconds of that clock.
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
  // Adds a clock snapshot: readings of several clocks, taken at the same time. `sequence`: the number of the
  // sequence (the packets of one writer) that the snapshot's packet belongs to.
  void add_snapshot(std::uint64_t sequence, const std::vector<Reading>& readings);
  void set_primary(std::uint32_t id) { primary_ = id; }
  // Returns the time of a packet. If the clock is incremental, a packet states only the difference from the
  // time of the previous packet. The call then advances the clock by this difference. REQUIRES: one call for
  // each packet, in file order.
  [[nodiscard]] ClockTime read(std::uint64_t sequence, std::optional<std::uint32_t> id, std::uint64_t time);

  // Returns a time that the file states in us, for a clock that is never incremental.
  [[nodiscard]] ClockTime read_us(std::uint32_t id, std::uint64_t us);

  // Prepares convert(). Call it after the last packet.
  void finish();
  // Converts a time to the trace's clock, in ns. nullopt: the snapshots do not relate the two clocks.
  // REQUIRES: finish() was called.
  [[nodiscard]] std::optional<std::int64_t> convert(ClockTime time) const;

 private:
  struct Clock {
    bool incremental = false;
    std::uint64_t unit_ns = 1;
    std::int64_t now_ns = 0;
    // Each pair has a time of this clock and an offset. The pairs are in time order. An offset applies from
    // the time of its pair to the time of the next pair: a time of this clock plus the offset is the trace's
    // time. Empty: the offset is unknown.
    std::vector<std::pair<std::int64_t, std::int64_t>> offsets;
  };
  ClockIndex index_of(std::uint64_t sequence, std::uint32_t id);
  Clock& clock(ClockIndex index) { return clocks_[static_cast<std::size_t>(index)]; }
  void tie_to_trace(ClockIndex trace);

  std::map<std::pair<std::uint64_t, std::uint32_t>, ClockIndex> indices_;  // key: sequence (0: global), id
  std::vector<Clock> clocks_;
  std::vector<std::vector<ClockTime>> snapshots_;
  std::optional<std::uint32_t> primary_;
  std::optional<ClockIndex> first_used_;
};

}  // namespace runahead::importers::perfetto
