// The overview above the timeline: the complete capture, with a frame around the visible part.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

struct OverviewColumn {
  // Share of the column's time in which ops or copies ran, as the mean of all workers and streams; 0..1. If
  // there are no workers and no streams: the share of time in which the busiest thread had a slice.
  float busy = 0;
  float blocked = 0;  // share of the column's time in which frontends waited; 0..1
};

struct Overview {
  TimeRange extent{};
  float width_px = 0;
  // The length of a column is a power of two, in nanoseconds. A column begins at a multiple of its length.
  // Therefore columns keep their times while the trace grows. Only columns that new rows touch are computed
  // again.
  Timestamp columns_begin{};  // at or before the start of the extent
  Duration column{0};
  float columns_x_px = 0,
        column_px = 0;  // x of the first column's left edge (0 or less), and a column's width
  std::vector<OverviewColumn> columns;
  std::vector<float> marker_x_px;
  std::vector<float> note_x_px;
  std::pair<float, float> view_px{};
  struct Part {  // a part of the run
    float x0_px = 0, x1_px = 0;
    bool measured = true;  // false: preparation or results; drawn shaded
    std::string name;      // in the window's language
  };
  std::vector<Part> part_px;
  // The input from which the current columns were computed.
  std::uint64_t trace_identity = 0, trace_version = 0;
  std::size_t executing_tracks = 0;  // number of tracks whose busy time the columns show
  bool of_threads = false;  // true: the columns show threads and asynchronous tracks, as there are no workers
                            // and no streams
  std::vector<TrackId> hidden, pinned;  // the hidden and pinned tracks at the last computation; hidden tracks
                                        // are not in the columns
  // By track and depth: Lane::end_row() at the last computation.
  std::vector<std::vector<std::uint64_t>> end_rows;
  // Only for a trace whose rows are in a file. `coarse`: true if some columns show the mean of a run of
  // slices, because the blocks with the single slices were not loaded. `loads`: the number of block loads
  // before the last computation.
  bool coarse = false;
  std::uint64_t loads = 0;
};

// Updates `out` for the visible tracks. O(lanes) while a capture grows. O(lanes * columns * log n) for
// another trace or another width, and each time the length of the capture has doubled. Pure except for `out`,
// which may be new or may have been filled from any trace.
void update_overview(const trace::Trace& trace, const TimelineState& state, float width_px, float scale,
                     Overview& out);

// Returns the view, moved so that its centre is at `x_px` of the overview. Used when the user drags the
// frame.
[[nodiscard]] TimeRange view_from_overview(const Overview& overview, TimeRange view, float x_px);

}  // namespace runahead::gui
