// Makes slices of several shapes (patterns of names, durations and nesting) that programs record. Computes a
// lower bound for the size of the columns that store the slices.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/trace/trace.h"

namespace runahead::bench {

using record::Site;

// Each call of emit() records kSlices slices on the calling thread. The slices get computed times, which
// continue from call to call. Therefore the times do not depend on the speed of the hooks (the functions that
// record a slice).
class SliceShape {
 public:
  SliceShape() : now_ns_(TickClock::get().now_ns()) {}

 protected:
  static constexpr Site site(const char* name) { return {name, trace::SliceKind::kZone, __FILE__, __LINE__}; }
  void begin(const Site& of, std::int64_t after_ns) { record::zone_begin(of, ticks_after(after_ns)); }
  void end(std::int64_t after_ns) { record::zone_end(ticks_after(after_ns)); }

 private:
  std::uint64_t ticks_after(std::int64_t ns) { return TickClock::get().ticks_from_ns(now_ns_ += ns); }

  std::int64_t now_ns_;
};

// Slices with one name, equal durations and equal gaps.
struct Repetitive : SliceShape {
  static constexpr int kSlices = 1;
  void emit() {
    static constexpr Site kSite = site("tick");
    begin(kSite, 500);
    end(1500);
  }
};

// Slices that are nested eight levels deep, with one name per level.
struct Nested : SliceShape {
  static constexpr int kSlices = 8;
  void emit() {
    static constexpr std::array kSites{site("a"), site("b"), site("c"), site("d"),
                                       site("e"), site("f"), site("g"), site("h")};
    for (const Site& of : kSites) begin(of, 100);
    for (int i = 0; i < kSlices; ++i) end(100);
  }
};

// Slices with fourteen names. Durations and gaps are uniformly distributed, up to 10 us.
struct Varied : SliceShape {
  static constexpr int kSlices = 1;
  void emit() {
    static constexpr std::array kSites{site("n0"),  site("n1"),  site("n2"),  site("n3"), site("n4"),
                                       site("n5"),  site("n6"),  site("n7"),  site("n8"), site("n9"),
                                       site("n10"), site("n11"), site("n12"), site("n13")};
    begin(kSites[random_() % kSites.size()], to_10_us_(random_));
    end(to_10_us_(random_));
  }

 private:
  std::mt19937_64 random_{1};
  std::uniform_int_distribution<std::int64_t> to_10_us_{0, 10'000};
};

// The order-0 Shannon entropy of a column in bits per value: the sum over its distinct values v of -p(v) log2
// p(v), where p(v) is the share of rows with value v. No code that encodes each value separately is shorter.
class Entropy {
 public:
  void add(std::int64_t value) {
    ++counts_[value];
    ++rows_;
  }
  [[nodiscard]] double bits() const {
    double bits = 0;
    for (const auto& [value, count] : counts_) {
      const double p = static_cast<double>(count) / static_cast<double>(rows_);
      bits -= p * std::log2(p);
    }
    return bits;
  }

 private:
  std::unordered_map<std::int64_t, std::uint64_t> counts_;
  std::uint64_t rows_ = 0;
};

// Returns an entropy in bytes per slice. For each lane, computes the sum of the entropies of name, duration
// and gap (the time since the end of the previous slice). The result is the mean of these sums, weighted by
// the number of rows of each lane.
inline double entropy_bytes_per_slice(const trace::Trace& trace) {
  double bits = 0, rows = 0;
  for (const trace::Track& track : trace.tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      Entropy name, duration, gap;
      Timestamp last{};
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const trace::Slice slice = lane.slice(row);
        name.add(raw(slice.name));
        duration.add((slice.end - slice.begin).count());
        if (row != lane.first_row()) gap.add((slice.begin - last).count());
        last = slice.end;
      }
      bits += static_cast<double>(lane.size()) * (name.bits() + duration.bits() + gap.bits());
      rows += static_cast<double>(lane.size());
    }
  }
  return bits / 8 / rows;
}

}  // namespace runahead::bench
