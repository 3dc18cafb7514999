// Measuring: computes the figures of a measured range, and those of the strip (the panel with the figures
// before and after the last barrier change). A separate thread computes the figures from a snapshot, so that
// a long trace never delays a frame.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gui/answers/strip_tracker.h"
#include "gui/background/asker.h"
#include "gui/core/screen.h"
#include "gui/model/model.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
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
  std::shared_ptr<const CurveFacts> curves;
  std::vector<TimelineState::Level> levels_before;
  std::vector<ComparedTime> compared;
  std::vector<analysis::PartOfRun> parts;
  std::optional<TimeRange> range;  // the range of the question
  RangeFacts range_facts;
  double cost_ms = 0;
};

// While a trace grows, the worker reads only the new rows for each update of the strip's figures.
using Figures = Asker<FiguresQuestion, FiguresAnswer>;
[[nodiscard]] Figures::Work figures_work();

// Summarises the complete trace (trace mode). This work has a thread of its own, because for a large file it
// takes seconds. Figures must not wait for it.
using Summaries = Asker<trace::Trace, std::optional<analysis::TraceSummary>>;

// One thread (the window's) calls everything.
class Measuring {
 public:
  explicit Measuring(Screen& screen);  // `screen` must outlive this object

  // Takes a finished answer, and asks again if the trace or the range has changed. Returns true if there was
  // an answer.
  bool poll();
  void trace_replaced();  // call when another trace is shown: the figures are then outdated
  // True if the figures match the current state of the trace on the screen.
  [[nodiscard]] bool up_to_date() const;
  [[nodiscard]] FigureFacts facts() const;
  // The strip's figures of the last part with steps. nullptr: there are none yet, or the strip shows another
  // part.
  [[nodiscard]] const StripTracker::State* strip() const;
  [[nodiscard]] double cost_ms() const { return answer_ ? answer_->cost_ms : 0; }

 private:
  bool poll_figures();
  bool poll_summary();
  [[nodiscard]] bool summary_is_of_this_trace() const {
    return summarised_serial_ == screen_.serial && summarised_version_ == screen_.trace().version();
  }

  Screen& screen_;
  std::optional<FiguresAnswer> answer_;
  std::optional<analysis::TraceSummary> summary_;
  std::uint64_t summarised_serial_ = 0;  // serial of the trace whose summary was last requested; 0: none
  std::uint64_t summarised_version_ = 0;
  // A trace that grows is summarised again, but not before `summary_due_`.
  std::chrono::steady_clock::time_point summary_asked_{}, summary_due_{};
  std::uint64_t answered_version_ = 0, asked_version_ = 0, asked_serial_ = 0;
  std::optional<TimeRange> asked_range_;
  std::chrono::steady_clock::time_point due_{};
  // The last members are destroyed first, so their threads end while the members that the threads use exist.
  Figures figures_;
  Summaries summaries_;
};

}  // namespace runahead::gui
