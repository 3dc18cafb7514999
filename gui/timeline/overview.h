// The strip above the timeline: the whole extent at a glance, with the view as a frame in it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gui/timeline/scene.h"

namespace runahead::gui {

struct OverviewColumn {
  float busy = 0;  // share of the column in which ops ran or copies moved, of all workers and streams; 0..1
  float blocked = 0;  // share in which frontends waited; 0..1
};

struct Overview {
  TimeRange extent{};
  float width_px = 0, column_px = 0;
  std::vector<OverviewColumn> columns;
  std::vector<float> marker_x_px;
  std::pair<float, float> view_px{};
  std::uint64_t trace_version = 0;  // of the trace that it was built from
};

// O(tracks * columns * log n), columns being a few pixels wide. Pure. Reuses the memory of `out`.
void build_overview(const trace::Trace& trace, const TimelineState& state, float width_px, float scale,
                    Overview& out);

// The view's frame alone, for an overview that is kept while nothing is appended.
void frame_overview(const TimelineState& state, Overview& out);

// The view moved so that its centre lies at x of the overview; for a drag of the frame.
[[nodiscard]] TimeRange view_from_overview(const Overview& overview, TimeRange view, float x_px);

}  // namespace runahead::gui
