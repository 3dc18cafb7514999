// From when on the figures after a toggle speak of the new barrier. A frontend that ran ahead leaves a
// backlog: the first wait under the new barrier lasts until that has drained, and what is measured until then
// (memory above all) is of the old one.
#pragma once

#include <optional>
#include <string_view>

#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// The barrier that a change sets: of "none -> item" and of "start: item" it is "item"; empty where the label
// says neither.
[[nodiscard]] std::string_view barrier_after(std::string_view label);

// And the one that it ended: of "none -> item" it is "none"; empty of a start.
[[nodiscard]] std::string_view barrier_before(std::string_view label);

// The end of the first wait of a frontend that begins after `change`; `change` itself where it takes the
// barrier away, or nothing has waited yet; nullopt while that first wait goes on: the backlog is draining.
// Waits for the safety limit do not count. O(log n + rows up to that wait).
[[nodiscard]] std::optional<Timestamp> settled_from(const trace::Trace& trace,
                                                    const analysis::BarrierChange& change);

// The strip's figures of a trace that grows: reads only what has come since the last update. Without what was
// executed and copied, which the strip does not show: of a long recording in its file that would be all rows.
// One thread; the traces passed are one trace as it grows, or its snapshots.
class StripTracker {
 public:
  struct State {
    analysis::BeforeAfter figures;  // `after` from settled_from on, `before` likewise up to the change; no
                                    // before without a toggle
    bool draining = false;          // `after` is from the change on, since nothing has settled yet
  };
  // nullopt: an empty trace.
  const std::optional<State>& update(const trace::Trace& trace);

 private:
  void begin_segment(const trace::Trace& trace, const analysis::BarrierChange& change,
                     std::optional<Timestamp> before);

  std::optional<State> state_;
  analysis::SegmentAccumulator after_;
};

}  // namespace runahead::gui
