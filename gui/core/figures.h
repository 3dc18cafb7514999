// The figures of the strip and of a measured range, worked out on a thread of their own on a snapshot, so
// that a long trace never holds up a frame.
#pragma once

#include <cstdint>
#include <optional>

#include "gui/background/asker.h"
#include "gui/model/model.h"
#include "gui/core/settling.h"
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

}  // namespace runahead::gui
