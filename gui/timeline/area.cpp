#include "gui/timeline/area.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gui/timeline/arrange.h"

namespace runahead::gui {
namespace {

bool is_within(const trace::Trace& trace, TrackId track, TrackId group) {
  for (std::size_t level = 0; level < trace.tracks().size() && track != kNoTrack; ++level) {
    track = trace.track(track).info.parent;
    if (track == group) return true;
  }
  return false;
}

// Gathers the rows of an area. A folded group may have hundreds of thousands of lanes.
struct AreaRows {
  SelectedArea area;
  std::set<analysis::AreaLane> lanes;  // those of `area`
};

void add_lane(AreaRows& rows, const analysis::AreaLane& lane) {
  if (rows.lanes.insert(lane).second) rows.area.content.lanes.push_back(lane);
}

void add_row(const trace::Trace& trace, const TimelineState& state, const SceneRow& row, AreaRows& out) {
  switch (row.kind) {
    case RowKind::kLane:
      return add_lane(out, {row.track, row.depth});
    case RowKind::kQueue:
      if (!row.folded) return add_lane(out, {row.track, row.depth});
      break;
    case RowKind::kCounter:
      out.area.content.counters.push_back(row.track);
      return;
    case RowKind::kGroupHeader:
      if (!row.folded) break;
      for (const analysis::AreaLane& lane : lanes_of_group(trace, state, row.track)) add_lane(out, lane);
      break;
    case RowKind::kMore:
      break;
  }
  out.area.others.push_back(key_of(row));
}

}  // namespace

RowKey key_of(const SceneRow& row) { return {row.kind, row.track, row.depth}; }

std::optional<std::size_t> find_row(const std::vector<SceneRow>& rows, const RowKey& key) {
  const auto it = std::ranges::find(rows, key, key_of);
  if (it == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(it - rows.begin());
}

std::vector<analysis::AreaLane> lanes_of_group(const trace::Trace& trace, const TimelineState& state,
                                               TrackId group, std::size_t most) {
  std::vector<analysis::AreaLane> lanes;
  for (const trace::Track& track : trace.tracks()) {
    const TrackId id = track.info.id;
    const bool drawn =
        track.info.kind != trace::TrackKind::kCounter && track.info.kind != trace::TrackKind::kQueue;
    if (!drawn || !is_within(trace, id, group)) continue;
    if (is_pinned(state, id) || !is_shown(trace, state, id)) continue;
    for (std::uint32_t depth = 0; depth < track.lanes.size() && lanes.size() < most; ++depth)
      lanes.push_back({id, depth});
    if (lanes.size() >= most) break;
  }
  return lanes;
}

SelectedArea area_of(const trace::Trace& trace, const TimelineState& state, const std::vector<SceneRow>& rows,
                     std::size_t a, std::size_t b, TimeRange range) {
  AreaRows out;
  out.area.content.range = range;
  for (std::size_t i = std::min(a, b); i <= std::max(a, b); ++i) add_row(trace, state, rows[i], out);
  return std::move(out.area);
}

bool is_in_area(const SelectedArea& area, const SceneRow& row) {
  const analysis::Area& content = area.content;
  const bool shows_lane = row.kind == RowKind::kLane || (row.kind == RowKind::kQueue && !row.folded);
  if (shows_lane)
    return std::ranges::find(content.lanes, analysis::AreaLane{row.track, row.depth}) != content.lanes.end();
  if (row.kind == RowKind::kCounter)
    return std::ranges::find(content.counters, row.track) != content.counters.end();
  return std::ranges::find(area.others, key_of(row)) != area.others.end();
}

}  // namespace runahead::gui
