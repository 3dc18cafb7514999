#include "gui/timeline/timeline_commands.h"

#include <algorithm>

#include "gui/timeline/arrange.h"
#include "gui/timeline/glide.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/scene/time_scale.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {
namespace {

using trace::Trace;

constexpr std::uint32_t kMostFlowSteps = 1000;
constexpr Duration kFirstView = std::chrono::seconds{8};

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;  // clang 16 needs this deduction guide

void toggle(std::vector<TrackId>& ids, TrackId id) {
  const auto it = std::find(ids.begin(), ids.end(), id);
  if (it == ids.end()) {
    ids.push_back(id);
  } else {
    ids.erase(it);
  }
}

// Returns the finished row of an open slice that has ended: the last row of its lane with the same begin
// time.
std::optional<SliceRef> finished(const Trace& trace, const SliceRef& open) {
  const trace::Lane* lane = find_lane(trace, open.track, open.depth);
  if (lane == nullptr) return std::nullopt;
  const Timestamp begin = timestamp_from_ns(static_cast<std::int64_t>(open.row));
  const std::uint64_t after = lane->first_row_beginning_from(begin + Duration{1});
  if (after == lane->first_row() || lane->begin(after - 1) != begin) return std::nullopt;
  return SliceRef{open.track, open.depth, after - 1, false};
}

void keep_valid(const Trace& trace, std::optional<SliceRef>& ref) {
  if (!ref || find_slice(trace, *ref)) return;
  ref = ref->open ? finished(trace, *ref) : std::nullopt;
}

Timestamp newest(const Trace& trace) { return std::max(trace.extent().end, trace.watermark()); }

}  // namespace

void apply_timeline(const TimelineCommand& command, const Trace& trace, TimelineState& state) {
  const auto zoom = [&](const ZoomTo& zoom_to) {
    if (zoom_to.view.empty()) return;
    state.glide.reset();
    state.view = clamp_view(zoom_to.view, trace.extent());
    state.follow = false;
  };
  const auto select = [&](const SelectSlice& selection) {
    if (!find_slice(trace, selection.slice)) return;
    if (state.selected != selection.slice) state.flow_steps = 1;
    state.selected = selection.slice;
    state.selected_idle.reset();
  };
  std::visit(
      Overloaded{
          select,
          zoom,
          [&](const GlideTo& glide) {
            if (glide.view.empty()) return;
            glide_to(clamp_view(glide.view, trace.extent()), state);
            state.follow = false;
          },
          [&](const ShowSlice& show) {
            select({show.slice});
            if (state.selected == show.slice) state.to_show = show.slice;
          },
          [&](const SelectIdle& select_idle) {
            state.selected_idle = select_idle.idle;
            state.selected.reset();
            state.area.reset();
          },
          [&](const Shown&) {
            state.to_show.reset();
            state.to_reveal.reset();
          },
          [&](const HoverSlice& hover) { state.hovered = hover.slice; },
          [&](const ClearSelection&) {
            state.selected.reset();
            state.selected_idle.reset();
          },
          [&](const ScrollTo& scroll) { state.scroll_y_px = std::max(0.0, scroll.y_px); },
          [&](const SetRange& range) {
            state.range = range.range;
            if (range.range) state.area.reset();
          },
          [&](const SetArea& area) {
            state.area = area.area;
            if (!area.area) return;
            state.range.reset();
            state.selected.reset();
            state.selected_idle.reset();
          },
          [&](const ToggleFold& fold) { toggle(state.collapsed, fold.track); },
          [&](const HideTrack& hide) { hide_track(hide.track, state); },
          [&](const ShowTrack& show) { show_track(trace, show.track, state); },
          [&](const ShowOnly& only) { show_only(trace, only.track, state); },
          [&](const PinTrack& pin) { pin_track(trace, pin.track, pin.pinned, state); },
          [&](const PlaceTrack& place) { place_track(trace, place.track, place.before, state); },
          [&](const FoldAll& fold) { fold_all(trace, fold.folded, state); },
          [&](const ShowAllTracks&) { state.hidden.clear(); },
          [&](const ShowFlows& flows) { state.flow_steps = std::clamp(flows.steps, 1u, kMostFlowSteps); },
          [&](const SetColourBy& colour) { state.colour_by = colour.by; },
          [&](const ToggleQueue& queue) { toggle(state.expanded_queues, queue.track); },
          [&](const ToggleMore& more) { toggle(state.more_shown, more.group); },
          [&](const ToggleCounterFit& fit) { toggle(state.fitted, fit.track); },
          [&](const PinTime& pin) { state.pinned_time = pin.at; },
          [&](const RevealTrack& reveal) { state.to_reveal = reveal.track; },
          [&](const FollowLive& follow) { state.follow = follow.follow; },
      },
      command);
}

void advance_timeline(const Trace& trace, TimelineState& state) {
  keep_valid(trace, state.selected);
  keep_valid(trace, state.hovered);
  if (state.view.empty()) {
    const bool whole = !state.follow && !trace.extent().empty();
    state.view = whole ? fit(trace.extent()) : TimeRange{newest(trace) - kFirstView, newest(trace)};
  }
  if (state.follow) {
    const Duration length = state.view.duration();
    state.view = {newest(trace) - length, newest(trace)};
  }
}

}  // namespace runahead::gui
