// Forecasts: what the run on the screen would do with each barrier, from its last seconds
// (predict/forecast.h). A separate thread computes them from a snapshot, so that they never delay a frame.
// They are computed only while the rate of steps is steady, and not more often than once a second.
//
// When the user chooses a barrier, its forecast is kept, so that it can be compared with what the run then
// does.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/answers/strip_tracker.h"
#include "gui/background/asker.h"
#include "gui/core/screen.h"
#include "gui/model/model.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/predict/forecast.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct ForecastQuestion {
  trace::Trace snapshot;
  std::vector<BarrierPolicy> policies;
  BarrierPolicy now;  // the barrier of the run
};
struct ForecastAnswer {
  BarrierPolicy now;
  std::vector<predict::PolicyForecast> barriers;  // empty: why_none says why
  std::string why_none;
  Duration covers{};  // the time of the run that was read
  double cost_ms = 0;
};
[[nodiscard]] ForecastAnswer answer_forecast(const ForecastQuestion& question);

// One thread (the window's) calls everything.
class Forecasts {
 public:
  using Work = std::function<ForecastAnswer(const ForecastQuestion&)>;
  // `screen` must outlive this object. A test may answer in another way.
  explicit Forecasts(Screen& screen, Work work = answer_forecast);

  // Takes a finished answer, and asks again if it is time. `strip`: the figures of the strip, nullptr: none.
  // `offered`: the barriers of the buttons. Returns true if facts() may have changed.
  bool poll(const StripTracker::State* strip, std::span<const BarrierPolicy> offered);
  void trace_replaced();
  [[nodiscard]] bool busy() const { return asker_.busy(); }
  [[nodiscard]] ForecastFacts facts() const;

 private:
  bool take_answer();
  bool note_barrier(const BarrierPolicy& now);
  [[nodiscard]] bool may_ask(const StripTracker::State* strip) const;

  Screen& screen_;
  std::optional<ForecastAnswer> answer_;
  std::optional<PressedForecast> pressed_;
  std::optional<BarrierPolicy> barrier_;  // of the run, at the last poll; nullopt: no run goes on
  std::int64_t answers_ = 0;
  double most_cost_ms_ = 0;
  std::uint64_t asked_serial_ = 0, asked_version_ = 0;
  std::chrono::steady_clock::time_point due_{};
  // The last member is destroyed first, so its thread ends while the others exist.
  Asker<ForecastQuestion, ForecastAnswer> asker_;
};

}  // namespace runahead::gui
