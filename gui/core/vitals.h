// What the window itself costs, and how fast data comes: for the debug panel and the report.
#pragma once

#include <chrono>
#include <cstdint>

#include "gui/core/frame_times.h"
#include "gui/core/screen.h"
#include "gui/model/model.h"

namespace runahead::gui {

class Vitals {
 public:
  explicit Vitals(const Screen& screen) : screen_(screen) {}  // must outlive this

  // True when half a second has passed: the rates are others.
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
