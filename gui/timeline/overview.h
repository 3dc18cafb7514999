// The strip above the timeline: the whole extent at a glance, with the view as a frame in it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct OverviewColumn {
  float busy = 0;  // share of the column in which ops ran or copies moved, of all workers and streams; 0..1
  float blocked = 0;  // share in which frontends waited; 0..1
};

struct Overview {
  TimeRange extent{};
  float width_px = 0;
  // Columns are as long as a power of two of nanoseconds and begin at a multiple of it: they stay where they
  // are in time while the trace grows, so that only those that new rows touch are computed again.
  Timestamp columns_begin{};  // at or before the extent's begin
  Duration column{0};
  float columns_x_px = 0, column_px = 0;  // where the first one begins (0 or less), how wide each is
  std::vector<OverviewColumn> columns;
  std::vector<float> marker_x_px;
  std::vector<float> note_x_px;
  std::pair<float, float> view_px{};
  // What has been taken into account, of which trace.
  std::uint64_t trace_identity = 0, trace_version = 0;
  std::size_t executing_tracks = 0;
  std::vector<TrackId> hidden, pinned;  // as the columns were computed: what is hidden is not in them
  std::vector<std::vector<std::uint64_t>> end_rows;  // by track and depth
  // Of a trace whose rows are in a file: some columns are shared out over runs that could be told apart,
  // after so many loads.
  bool coarse = false;
  std::uint64_t loads = 0;
};

// Brings `out` up to date for what is shown of the trace: O(lanes) while a capture grows, O(lanes * columns *
// log n) for another trace, another width, and each time the capture has become twice as long. Pure but for
// `out`, which may be of any trace, or fresh.
void update_overview(const trace::Trace& trace, const TimelineState& state, float width_px, float scale,
                     Overview& out);

// The view moved so that its centre lies at x of the overview; for a drag of the frame.
[[nodiscard]] TimeRange view_from_overview(const Overview& overview, TimeRange view, float x_px);

}  // namespace runahead::gui
