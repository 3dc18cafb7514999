// Measuring: computes the figures of the strip and of a measured range. A separate thread computes them from
// a snapshot, so that a long trace never delays a frame.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "gui/background/asker.h"
#include "gui/core/screen.h"
#include "gui/core/strip_tracker.h"
#include "gui/model/model.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/analysis/trace_summary.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct FiguresQuestion {
  trace::Trace snapshot;
  std::uint64_t trace_serial = 0;  // identifies the trace; a trace that has grown keeps its serial
  bool strip = true;               // false: the figures of the strip are not needed (trace mode)
  std::optional<TimeRange> range;
};
struct FiguresAnswer {
  std::optional<StripTracker::State> strip;
  std::optional<TimeRange> range;  // the range of the question
  RangeFacts range_facts;
  double cost_ms = 0;
};

// When the worker is asked repeatedly about a growing trace, it reads only the new rows.
using Figures = Asker<FiguresQuestion, FiguresAnswer>;
[[nodiscard]] Figures::Work figures_work();

// Summarises the complete trace (trace mode). This is separate from Figures, because a large file takes
// seconds.
using Summaries = Asker<trace::Trace, std::optional<analysis::TraceSummary>>;

// One thread (the window's) calls everything.
class Measuring {
 public:
  explicit Measuring(Screen& screen);  // must outlive this

  // Takes a finished answer, and asks again if the trace or the range has changed. Returns true if there was
  // an answer.
  bool poll();
  void trace_replaced();  // call when another trace is shown: the figures are then outdated
  // True if the figures match the current state of the trace on the screen.
  [[nodiscard]] bool up_to_date() const;
  [[nodiscard]] FigureFacts facts() const;
  [[nodiscard]] const StripTracker::State* strip() const;  // nullptr: no figures yet
  [[nodiscard]] double cost_ms() const { return answer_ ? answer_->cost_ms : 0; }

 private:
  bool poll_figures();
  bool poll_summary();

  Screen& screen_;
  std::optional<FiguresAnswer> answer_;
  std::optional<analysis::TraceSummary> summary_;
  std::uint64_t summarised_serial_ = 0;  // the trace that was last summarised; 0: none
  std::uint64_t answered_version_ = 0, asked_version_ = 0, asked_serial_ = 0;
  std::optional<TimeRange> asked_range_;
  std::chrono::steady_clock::time_point due_{};
  Figures figures_;  // last: their threads end before the members that they use are destroyed
  Summaries summaries_;
};

}  // namespace runahead::gui
