#include "gui/timeline/arrange.h"

#include <algorithm>
#include <limits>

namespace runahead::gui {
namespace {

using trace::Trace;
using trace::TrackInfo;
using trace::TrackKind;

using Ids = std::vector<TrackId>;

bool holds(const Ids& ids, TrackId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

bool is_of(const Trace& trace, TrackId id) { return raw(id) < trace.tracks().size(); }

// True if `a` comes before its sibling `b` in the order of the capture.
bool comes_before(const TrackInfo& a, const TrackInfo& b) {
  return a.sort_order != b.sort_order ? a.sort_order < b.sort_order : a.id < b.id;
}

// Returns the child of `parent` that is `id` or contains `id`; kNoTrack if `id` is not below `parent`.
TrackId child_of(const Trace& trace, TrackId id, TrackId parent) {
  for (std::size_t level = 0; level <= trace.tracks().size() && is_of(trace, id); ++level) {
    const TrackId above = trace.track(id).info.parent;
    if (above == parent) return id;
    id = above;
  }
  return kNoTrack;
}

TrackId pinned_above(const Trace& trace, const TimelineState& state, TrackId id) {
  for (std::size_t level = 0; level <= trace.tracks().size() && is_of(trace, id); ++level) {
    if (holds(state.pinned, id)) return id;
    id = trace.track(id).info.parent;
  }
  return kNoTrack;
}

std::vector<const TrackInfo*> family(const Trace& trace, const TimelineState& state, TrackId parent) {
  std::vector<const TrackInfo*> all = tracks_in_order(trace, state);
  std::erase_if(all, [&](const TrackInfo* info) {
    return info->parent != parent || info->kind == TrackKind::kMarkers;  // marker tracks have no rows
  });
  return all;
}

// Returns how many of the first siblings have to be stored in TimelineState::order to describe the order. The
// siblings after them are in the capture's order, so they need not be stored.
std::size_t moved_count(const std::vector<const TrackInfo*>& siblings) {
  for (std::size_t i = siblings.size(); i-- > 1;) {
    if (!comes_before(*siblings[i - 1], *siblings[i])) return i;
  }
  return 0;
}

}  // namespace

std::vector<const TrackInfo*> tracks_in_order(const Trace& trace, const TimelineState& state) {
  constexpr auto kNotMoved = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> rank(trace.tracks().size(), kNotMoved);
  for (std::uint32_t i = 0; i < state.order.size(); ++i) {
    if (is_of(trace, state.order[i])) rank[raw(state.order[i])] = i;
  }
  std::vector<const TrackInfo*> sorted;
  sorted.reserve(rank.size());
  for (const trace::Track& track : trace.tracks()) sorted.push_back(&track.info);
  const auto before = [&](const TrackInfo* a, const TrackInfo* b) {
    if (a->parent != b->parent) return a->parent < b->parent;
    const std::uint32_t rank_a = rank[raw(a->id)], rank_b = rank[raw(b->id)];
    return rank_a != rank_b ? rank_a < rank_b : comes_before(*a, *b);
  };
  // The tracks of most traces are defined in this order. With a million tracks, sorting takes 100 ms.
  if (!std::is_sorted(sorted.begin(), sorted.end(), before)) std::sort(sorted.begin(), sorted.end(), before);
  return sorted;
}

bool is_pinned(const TimelineState& state, TrackId track) { return holds(state.pinned, track); }

bool is_shown(const Trace& trace, const TimelineState& state, TrackId track) {
  for (std::size_t level = 0; level <= trace.tracks().size() && is_of(trace, track); ++level) {
    if (holds(state.hidden, track)) return false;
    if (holds(state.pinned, track)) return true;
    track = trace.track(track).info.parent;
  }
  return true;
}

std::size_t hidden_count(const Trace& trace, const TimelineState& state) {
  return static_cast<std::size_t>(
      std::count_if(state.hidden.begin(), state.hidden.end(), [&](TrackId id) { return is_of(trace, id); }));
}

std::vector<TrackSpan> shown_siblings(const Trace& trace, const TimelineState& state,
                                      const std::vector<SceneRow>& rows, TrackId track) {
  std::vector<TrackSpan> spans;
  if (!is_of(trace, track)) return spans;
  const bool pinned = is_pinned(state, track);
  const TrackId parent = trace.track(track).info.parent;
  for (const SceneRow& row : rows) {
    if (row.pinned != pinned) continue;
    const TrackId one = pinned ? pinned_above(trace, state, row.track) : child_of(trace, row.track, parent);
    if (one == kNoTrack) continue;
    if (spans.empty() || spans.back().track != one) spans.push_back({one, row.y_px, row.y_px});
    spans.back().bottom_px = row.y_px + row.height_px;
  }
  return spans;
}

void hide_track(TrackId track, TimelineState& state) {
  std::erase(state.pinned, track);
  if (!holds(state.hidden, track)) state.hidden.push_back(track);
}

void show_track(const Trace& trace, TrackId track, TimelineState& state) {
  for (std::size_t level = 0; level <= trace.tracks().size() && is_of(trace, track); ++level) {
    std::erase(state.hidden, track);
    track = trace.track(track).info.parent;
  }
}

void show_only(const Trace& trace, TrackId track, TimelineState& state) {
  if (!is_of(trace, track)) return;
  show_track(trace, track, state);
  std::erase_if(state.pinned, [&](TrackId id) { return id != track; });
  for (TrackId id = track; is_of(trace, id); id = trace.track(id).info.parent) {
    for (const TrackInfo* sibling : family(trace, state, trace.track(id).info.parent)) {
      if (sibling->id != id) hide_track(sibling->id, state);
    }
  }
}

void pin_track(const Trace& trace, TrackId track, bool pinned, TimelineState& state) {
  if (!is_of(trace, track)) return;
  std::erase(state.pinned, track);
  if (!pinned) return;
  std::erase(state.hidden, track);
  state.pinned.push_back(track);
}

void place_track(const Trace& trace, TrackId track, TrackId before, TimelineState& state) {
  if (!is_of(trace, track) || track == before) return;
  if (is_pinned(state, track)) {
    if (before != kNoTrack && !is_pinned(state, before)) return;
    std::erase(state.pinned, track);
    state.pinned.insert(std::find(state.pinned.begin(), state.pinned.end(), before), track);
    return;
  }
  const TrackId parent = trace.track(track).info.parent;
  if (before != kNoTrack && (!is_of(trace, before) || trace.track(before).info.parent != parent)) return;
  std::vector<const TrackInfo*> siblings = family(trace, state, parent);
  const auto at = [&](TrackId id) {
    return std::find_if(siblings.begin(), siblings.end(),
                        [&](const TrackInfo* one) { return one->id == id; });
  };
  siblings.erase(at(track));
  siblings.insert(at(before), &trace.track(track).info);
  std::erase_if(state.order,
                [&](TrackId id) { return is_of(trace, id) && trace.track(id).info.parent == parent; });
  for (std::size_t i = 0; i < moved_count(siblings); ++i) state.order.push_back(siblings[i]->id);
}

void fold_all(const Trace& trace, bool folded, TimelineState& state) {
  state.more_shown.clear();
  for (const trace::Track& track : trace.tracks()) {
    const TrackKind kind = track.info.kind;
    // fold_all() does not change counters, because `collapsed` has another meaning for counters: it lists the
    // counters that are not in their default state. The default state (folded or not) depends on the
    // counter's role.
    if (kind == TrackKind::kCounter || (folded && kind != TrackKind::kGroup)) continue;
    std::erase(state.collapsed, track.info.id);
    if (!folded && kind == TrackKind::kGroup) state.more_shown.push_back(track.info.id);
    if (folded) state.collapsed.push_back(track.info.id);
  }
}

}  // namespace runahead::gui
