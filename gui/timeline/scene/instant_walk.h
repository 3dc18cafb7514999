// Visits the instants (events without a duration) in a view. Never waits for a file to be read. Visits only a
// limited number of instants per pixel column, because a pixel column cannot show more.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "gui/timeline/scene/time_scale.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::gui {

// True if the instant is drawn as a marker: a line through all tracks. The begin of a part of the run is also
// an instant on a marker track, but the part is drawn as a region of the ruler. REQUIRES: the instant's track
// is in the trace.
[[nodiscard]] inline bool is_marker(const trace::Trace& trace, const trace::Instant& instant) {
  return trace.track(instant.track).info.kind == trace::TrackKind::kMarkers &&
         !analysis::part_name(trace.string(instant.name));
}

struct ColumnWalk {
  TimeScale scale;                             // scale.view is the range to walk
  int most_in_column = 64;                     // if a pixel column has more instants, the rest is skipped
  trace::TrackBits tracks = trace::kAnyTrack;  // only instants whose track has one of these bits are visited
};

// The bits of all tracks of markers.
[[nodiscard]] inline trace::TrackBits marker_bits(const trace::Trace& trace) {
  trace::TrackBits bits = 0;
  for (const trace::Track& track : trace.tracks())
    bits |= track.info.kind == trace::TrackKind::kMarkers ? trace::bit_of(track.info.id) : 0;
  return bits;
}

// Calls visit(instant, x_px) in time order. Skips blocks without an instant that has one of the bits. If a
// block of instants is not in memory, requests the block and calls visit(nullopt, x_px) once for it, at the
// start of the block or of the view. At most one block is requested per pixel column.
template <typename Visit>
void walk_columns(trace::InstantReader& instants, const ColumnWalk& walk, Visit visit) {
  double column = -1;
  int in_column = 0;
  std::uint64_t i = instants.first_from(walk.scale.view.begin);
  while ((i = instants.next_of_tracks(walk.tracks, i)) < instants.size()) {
    if (instants.not_after(i) >= walk.scale.view.end) return;
    const std::optional<trace::Instant> instant = instants.instant_if_here(i);
    if (instant && (trace::bit_of(instant->track) & walk.tracks) == 0) {
      if (instant->at >= walk.scale.view.end) return;
      ++i;
      continue;
    }
    const Timestamp at = instant ? instant->at : std::max(instants.not_after(i), walk.scale.view.begin);
    if (at >= walk.scale.view.end) return;
    const double x = walk.scale.x_from_time(at);
    in_column = std::floor(x) == column ? in_column + 1 : 1;
    column = std::floor(x);
    visit(instant, x);
    i = instant ? i + 1 : instants.beyond_block(i);
    if (!instant || in_column >= walk.most_in_column)
      i = std::max(i, instants.first_from(walk.scale.time_from_x(column + 1)));
  }
}

}  // namespace runahead::gui
