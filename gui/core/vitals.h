// Vitals: the cost of the window itself, and the rate of incoming data, for the debug panel and the report.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gui/core/screen.h"
#include "gui/model/model.h"

namespace runahead::gui {

// A ring buffer of the times that a part of the newest frames took, in ms.
class RecentCosts {
 public:
  void add(double ms) {
    values_[static_cast<std::size_t>(count_ % values_.size())] = ms;
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Returns the newest value, the median and the 99th percentile. Percentiles are by nearest rank.
  [[nodiscard]] DebugFacts::Part part() const {
    DebugFacts::Part part;
    const std::size_t n = std::min<std::size_t>(count_, values_.size());
    if (n == 0) return part;
    std::vector<double> sorted(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(n));
    std::ranges::sort(sorted);
    part.last_ms = values_[static_cast<std::size_t>((count_ - 1) % values_.size())];
    part.median_ms = sorted[(n - 1) / 2];
    part.p99_ms = sorted[(n * 99 + 99) / 100 - 1];
    return part;
  }

 private:
  std::array<double, 600> values_{};
  std::uint64_t count_ = 0;
};

struct FrameTimes {
  RecentCosts poll, build, paint, total;
  RecentCosts build_own;  // CPU time of building, in the window's thread only; `build` is wall time
};

class Vitals {
 public:
  explicit Vitals(const Screen& screen) : screen_(screen) {}  // `screen` must outlive this object

  // Computes the rates of incoming data again every half second. Returns true if this call computed them.
  bool poll();
  void trace_replaced() { events_before_ = 0; }
  [[nodiscard]] FrameTimes& frame_times() { return frame_times_; }
  [[nodiscard]] DebugFacts facts(double figures_ms) const;

 private:
  const Screen& screen_;
  FrameTimes frame_times_;
  double events_per_s_ = 0;
  std::uint64_t events_before_ = 0;
  std::chrono::steady_clock::time_point rates_at_{};
};

}  // namespace runahead::gui
