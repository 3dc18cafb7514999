// Measuring: the figures of the strip and of a measured range, worked out on a thread of their own on a
// snapshot, so that a long trace never holds up a frame.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "gui/background/asker.h"
#include "gui/core/screen.h"
#include "gui/core/warm_up.h"
#include "gui/model/model.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct FiguresQuestion {
  trace::Trace snapshot;
  std::uint64_t trace_serial = 0;  // another number is another trace, not the same one grown
  std::optional<TimeRange> range;
};
struct FiguresAnswer {
  std::optional<StripTracker::State> strip;
  std::optional<TimeRange> range;  // the one asked about
  RangeFacts range_facts;
  double cost_ms = 0;
};

// Asked again and again about a trace that grows, it looks at what has come since.
using Figures = Asker<FiguresQuestion, FiguresAnswer>;
[[nodiscard]] Figures::Work figures_work();

// One thread (the window's) calls everything.
class Measuring {
 public:
  explicit Measuring(Screen& screen);  // must outlive this

  // Takes what has come, and asks where the trace or the range is another. True: an answer has come.
  bool poll();
  void trace_replaced();  // the figures so far are of another one
  // The figures are those of the trace on the screen, as it is now.
  [[nodiscard]] bool settled() const;
  [[nodiscard]] FigureFacts facts() const;
  [[nodiscard]] const StripTracker::State* strip() const;  // nullptr: not known
  [[nodiscard]] double cost_ms() const { return answer_ ? answer_->cost_ms : 0; }

 private:
  Screen& screen_;
  std::optional<FiguresAnswer> answer_;
  std::uint64_t answered_version_ = 0, asked_version_ = 0, asked_serial_ = 0;
  std::optional<TimeRange> asked_range_;
  std::chrono::steady_clock::time_point due_{};
  Figures figures_;  // last: its thread ends first
};

}  // namespace runahead::gui
