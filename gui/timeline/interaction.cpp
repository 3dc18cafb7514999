#include "gui/timeline/interaction.h"

#include <algorithm>
#include <cmath>

#include "gui/timeline/area.h"
#include "gui/timeline/arrange.h"
#include "gui/timeline/glide.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/reveal.h"
#include "gui/timeline/rows.h"
#include "gui/timeline/scene/time_scale.h"
#include "gui/timeline/selection_facts.h"
#include "gui/timeline/slice_walk.h"

namespace runahead::gui {
namespace {

using trace::Trace;
using Kind = TimelineGesture::Kind;

constexpr double kZoomPerNotch = 1.25;
constexpr double kZoomPerSecond = 8.0;  // zoom factor for one second of holding W or S
// Pan for one second of holding A or D, as a share of the view's length.
constexpr double kPanPerSecond = 0.9;
constexpr double kPanPerNotch = 0.12;  // pan for one notch of the wheel, as a share of the view's length
constexpr float kScrollPerNotchPx = 60;
constexpr double kScrollPerSecondPx = 700;  // distance at scale 1, for one second of holding an arrow key
constexpr float kDragPx = 4;  // if the mouse moves less than this, the press is a click and not a drag
constexpr double kLeastStep_s = 1.0 / 60;  // minimum time per frame: even a short key press moves the view
constexpr double kMostStep_s = 0.1;  // maximum time per frame: after an idle time the view does not jump
constexpr double kSliceMargin = 0.1;

class Interaction {
 public:
  Interaction(const Trace& trace, const Scene& scene, const TimelineState& state, const TimelineInput& input,
              TimelineGesture& gesture, TimelineCommands& out)
      : trace_(trace),
        scene_(scene),
        state_(state),
        input_(input),
        gesture_(gesture),
        out_(out),
        scale_{scene.view, std::max(1.0f, scene.size.width_px)} {}

  void run() {
    if (scene_.view.empty()) return;
    if (state_.to_show) {
      go_to_slice(trace_, scene_, state_, *state_.to_show, out_);
      emit(Shown{});
    } else if (state_.to_reveal) {
      reveal_row(trace_, scene_, state_, {.track = *state_.to_reveal}, out_);
      emit(Shown{});
    }
    keys();
    wheel();
    if (input_.double_clicked && input_.over && !on_names()) {  // on a name these are two clicks
      double_click();
    } else {
      drag();
    }
    hover();
    keep_scroll();
  }

 private:
  // ---- where the mouse is -------------------------------------------------------------------------------
  bool on_names() const { return input_.x_px < 0; }
  bool on_ruler() const { return input_.x_px >= 0 && input_.y_px < 0; }
  bool on_plot() const {
    return input_.over && input_.x_px >= 0 && input_.y_px >= 0 && input_.x_px < scene_.size.width_px &&
           input_.y_px < scene_.size.height_px;
  }
  double zoom_centre() const {
    return input_.over && input_.x_px >= 0 ? input_.x_px : scene_.size.width_px / 2.0;
  }

  // ---- commands -----------------------------------------------------------------------------------------
  void emit(TimelineCommand command) { out_.push_back(std::move(command)); }
  void show(TimeRange view) { emit(ZoomTo{clamp_view(view, trace_.extent())}); }
  void glide(TimeRange view) { emit(GlideTo{clamp_view(view, trace_.extent())}); }
  void scroll_to(double y_px) { emit(ScrollTo{std::clamp(y_px, 0.0, most_scroll(scene_))}); }

  bool held(TimelineKey key) const {
    const auto bit = static_cast<std::size_t>(key);
    return input_.keys_down[bit] || input_.keys_pressed[bit];
  }
  bool pressed(TimelineKey key) const { return input_.keys_pressed[static_cast<std::size_t>(key)]; }

  // ---- keys ---------------------------------------------------------------------------------------------
  void keys() {
    const double step_s = std::clamp(input_.dt_s, kLeastStep_s, kMostStep_s);
    const int zoom = held(TimelineKey::kZoomOut) - held(TimelineKey::kZoomIn);
    if (zoom != 0) show(zoom_at(scale_, zoom_centre(), std::pow(kZoomPerSecond, zoom * step_s)));
    const int pan = held(TimelineKey::kPanRight) - held(TimelineKey::kPanLeft);
    if (pan != 0) show(pan_by(scale_, pan * kPanPerSecond * step_s * scale_.width_px));
    const int scroll = held(TimelineKey::kScrollDown) - held(TimelineKey::kScrollUp);
    if (scroll != 0)
      scroll_to(state_.scroll_y_px + scroll * kScrollPerSecondPx * double{scene_.size.scale} * step_s);
    if (pressed(TimelineKey::kFitSelection)) fit_selection();
    if (pressed(TimelineKey::kShowAll) && !trace_.extent().empty()) glide(fit(trace_.extent()));
    if (pressed(TimelineKey::kMarkRange)) mark_range();
    if (pressed(TimelineKey::kNextSlice)) walk(beside_on_track, true);
    if (pressed(TimelineKey::kPreviousSlice)) walk(beside_on_track, false);
    if (pressed(TimelineKey::kNextFlow)) walk(along_flow, true);
    if (pressed(TimelineKey::kPreviousFlow)) walk(along_flow, false);
    if (pressed(TimelineKey::kClear)) {
      emit(ClearSelection{});
      emit(SetRange{});
      emit(SetArea{});
    }
  }

  std::optional<trace::Slice> selection() const {
    return state_.selected ? find_slice(trace_, *state_.selected) : std::nullopt;
  }

  std::optional<TimeRange> selected_idle() const {
    if (state_.causes == nullptr || !state_.selected_idle) return std::nullopt;
    const auto idle = find_idle(*state_.causes, *state_.selected_idle);
    return idle ? std::optional(idle->gap.range) : std::nullopt;
  }

  void fit_selection() {
    if (const auto slice = selection()) {
      glide(fit({slice->begin, slice->end}, kSliceMargin));
    } else if (const auto idle = selected_idle()) {
      glide(fit(*idle, kSliceMargin));
    } else if (state_.range && !state_.range->empty()) {
      glide(fit(*state_.range, kSliceMargin));
    } else if (state_.area && !state_.area->content.range.empty()) {
      glide(fit(state_.area->content.range, kSliceMargin));
    }
  }

  // The key M sets the measured range to the range of the selected slice, idle gap or area. Without a
  // selection, M removes the measured range; if there is none, M sets it to the view.
  void mark_range() {
    const auto slice = selection();
    if (slice && slice->end > slice->begin) {
      emit(SetRange{TimeRange{slice->begin, slice->end}});
    } else if (const auto idle = selected_idle()) {
      emit(SetRange{*idle});
    } else if (state_.area) {
      emit(SetRange{state_.area->content.range});
    } else if (state_.range) {
      emit(SetRange{});
    } else {
      measure_view();
    }
  }

  // Sets the measured range to the part of the view that has data.
  void measure_view() {
    const TimeRange extent = trace_.extent();
    const TimeRange seen{std::max(scene_.view.begin, extent.begin), std::min(scene_.view.end, extent.end)};
    if (!seen.empty()) emit(SetRange{seen});
  }

  // Selects another slice: the slice that `step` returns for the selected slice, for example the next slice
  // of its track.
  void walk(std::optional<SliceRef> (*step)(const Trace&, const SliceRef&, bool), bool forward) {
    if (!state_.selected) return;
    const auto to = step(trace_, *state_.selected, forward);
    if (to) go_to_slice(trace_, scene_, state_, *to, out_);
  }

  // Works like zoom_at, but if a glide is in progress, zooms its target view, so that each notch of the wheel
  // has its effect. The time at `x_px` stays at `x_px`.
  TimeRange zoomed(double x_px, double factor) const {
    if (!state_.glide) return zoom_at(scale_, x_px, factor);
    const TimeRange to_come = zoom_at({view_to_come(state_), scale_.width_px}, x_px, factor);
    const TimeScale scale{to_come, scale_.width_px};
    const Duration off = scale_.time_from_x(x_px) - scale.time_from_x(x_px);
    return {to_come.begin + off, to_come.end + off};
  }

  // ---- wheel --------------------------------------------------------------------------------------------
  void wheel() {
    if (!input_.over || gesture_.kind == Kind::kPanning) return;
    if (input_.wheel_x != 0) show(pan_by(scale_, input_.wheel_x * kPanPerNotch * scale_.width_px));
    if (input_.wheel == 0) return;
    if (input_.ctrl || on_names()) {
      scroll_to(state_.scroll_y_px - input_.wheel * kScrollPerNotchPx * scene_.size.scale);
    } else if (input_.shift) {
      show(pan_by(scale_, -input_.wheel * kPanPerNotch * scale_.width_px));
    } else {
      glide(zoomed(zoom_centre(), std::pow(kZoomPerNotch, -input_.wheel)));
    }
  }

  // ---- mouse --------------------------------------------------------------------------------------------
  void double_click() {
    gesture_.kind = Kind::kNone;
    if (const ScenePart* const part = on_ruler() ? part_under_mouse() : nullptr) {
      const TimeRange range = range_now(trace_, state_.parts[part->index]);
      emit(SetRange{range});
      glide(fit(range, kSliceMargin));
    }
    if (!on_plot()) return;
    const auto ref = slice_at(trace_, scene_, input_.x_px, input_.y_px);
    const auto slice = ref ? find_slice(trace_, *ref) : std::nullopt;
    if (!ref) zoom_to_idle();
    if (!slice) return;
    emit(SelectSlice{*ref});
    glide(fit({slice->begin, slice->end}, kSliceMargin));
  }

  void zoom_to_idle() {
    const auto ref = idle_at(scene_, state_, input_.x_px, input_.y_px);
    const auto idle = ref ? find_idle(*state_.causes, *ref) : std::nullopt;
    if (!idle) return;
    emit(SelectIdle{*ref});
    glide(fit(idle->gap.range, kSliceMargin));
  }

  void drag() {
    if (input_.pressed && input_.over) begin_press();
    const bool moved = std::hypot(input_.x_px - gesture_.start_x_px, input_.y_px - gesture_.start_y_px) >
                       kDragPx * scene_.size.scale;
    if (gesture_.kind == Kind::kPressed && input_.down && moved) {
      const bool names = gesture_.track != kNoTrack;
      gesture_.kind = gesture_.first_row  ? Kind::kSelectingArea
                      : gesture_.on_ruler ? Kind::kRanging
                      : names             ? Kind::kMoving
                                          : Kind::kPanning;
    }
    if (gesture_.kind == Kind::kMoving) look_where_it_lands();
    if (gesture_.kind == Kind::kPanning) pan();
    if (gesture_.kind == Kind::kRanging) measure();
    if (gesture_.kind == Kind::kSelectingArea) select_area();
    if (input_.released || (!input_.down && !input_.pressed)) {
      if (gesture_.kind == Kind::kPressed && input_.released) click();
      if (gesture_.kind == Kind::kMoving && input_.released && gesture_.landing)
        emit(PlaceTrack{gesture_.track, gesture_.landing->before});
      gesture_.landing.reset();
      gesture_.kind = Kind::kNone;
    }
  }

  void begin_press() {
    gesture_ = {.kind = Kind::kPressed, .start_x_px = input_.x_px, .start_y_px = input_.y_px};
    gesture_.start_view = scene_.view;
    if (state_.glide && on_plot()) show(scene_.view);
    gesture_.start_scroll_px = state_.scroll_y_px;
    gesture_.anchor = scale_.time_from_x(input_.x_px);
    gesture_.on_ruler = !on_names() && (on_ruler() || input_.shift);
    if (on_plot() && input_.ctrl && !scene_.rows.empty()) gesture_.first_row = key_of(row_near(input_.y_px));
    const auto row = on_names() ? row_at(scene_, input_.y_px) : std::nullopt;
    if (row) gesture_.track = scene_.rows[*row].track;
  }

  // Finds the place at which the dragged track would be put among its siblings: before the first sibling
  // whose middle is below the mouse.
  void look_where_it_lands() {
    gesture_.landing.reset();
    std::vector<SceneRow> rows;
    build_rows(trace_, state_, scene_.size.scale, rows);
    const std::vector<TrackSpan> spans = shown_siblings(trace_, state_, rows, gesture_.track);
    const bool held =
        !spans.empty() && is_pinned(state_, gesture_.track) && spans.front().top_px < scene_.held_px;
    const double shift = held ? 0 : state_.scroll_y_px;
    const double y = input_.y_px + shift;
    std::size_t to = 0;
    while (to < spans.size() && (spans[to].top_px + spans[to].bottom_px) / 2 < y) ++to;
    const auto here = std::find_if(spans.begin(), spans.end(),
                                   [&](const TrackSpan& span) { return span.track == gesture_.track; });
    const auto from = static_cast<std::size_t>(here - spans.begin());
    if (here == spans.end() || to == from || to == from + 1) return;
    const float line = to < spans.size() ? spans[to].top_px : spans.back().bottom_px;
    gesture_.landing = {to < spans.size() ? spans[to].track : kNoTrack, static_cast<float>(line - shift)};
  }

  void pan() {
    const TimeScale start{gesture_.start_view, scale_.width_px};
    const double dx = gesture_.start_x_px < 0 ? 0 : input_.x_px - gesture_.start_x_px;
    const TimeRange view = pan_by(start, -dx);
    // A vertical drag does not move the view in time. Therefore a view that follows the trace continues to
    // follow it.
    if (view != scene_.view && (!state_.follow || std::abs(dx) >= 1)) show(view);
    const double y = gesture_.start_scroll_px - (input_.y_px - gesture_.start_y_px);
    if (std::clamp(y, 0.0, most_scroll(scene_)) != state_.scroll_y_px) scroll_to(y);
  }

  // Returns the time from the press to the mouse.
  TimeRange dragged_range() const {
    const Timestamp here = scale_.time_from_x(std::clamp(input_.x_px, 0.0f, scene_.size.width_px));
    return {std::min(gesture_.anchor, here), std::max(gesture_.anchor, here)};
  }

  void measure() { emit(SetRange{dragged_range()}); }

  // Returns the visible row at y, or the one that is nearest. REQUIRES: some row is visible.
  const SceneRow& row_near(float y_px) const {
    return *std::ranges::min_element(scene_.rows, {}, [&](const SceneRow& row) {
      return std::max({0.0f, row.y_px - y_px, y_px - row.y_px - row.height_px});
    });
  }

  // Selects the rows from the press to the mouse. The rows between them may be scrolled out of view.
  void select_area() {
    if (scene_.rows.empty()) return;
    std::vector<SceneRow> rows;
    build_rows(trace_, state_, scene_.size.scale, rows);
    const auto first = find_row(rows, *gesture_.first_row),
               last = find_row(rows, key_of(row_near(input_.y_px)));
    if (first && last) emit(SetArea{area_of(trace_, state_, rows, *first, *last, dragged_range())});
  }

  // Returns the part of the run under the mouse, which is on the ruler. nullptr: there is none.
  const ScenePart* part_under_mouse() const {
    return input_.y_px >= -input_.parts_px ? part_at(scene_, input_.x_px) : nullptr;
  }

  // Returns the range of the part of the run that was clicked. nullopt: the click was elsewhere on the ruler,
  // or on the part that is measured already. SetRange then removes the measured range.
  std::optional<TimeRange> clicked_part() const {
    const ScenePart* const part = part_under_mouse();
    if (part == nullptr || part->chosen) return std::nullopt;
    return range_now(trace_, state_.parts[part->index]);
  }

  void click() {
    if (on_ruler()) return emit(SetRange{clicked_part()});
    const auto index = row_at(scene_, input_.y_px);
    const SceneRow* row = index ? &scene_.rows[*index] : nullptr;
    const bool header =
        row != nullptr && (row->kind == SceneRow::Kind::kGroupHeader || row->kind == SceneRow::Kind::kMore);
    if (row != nullptr && row->foldable && (on_names() || header)) {
      if (row->kind == SceneRow::Kind::kMore) return emit(ToggleMore{row->track});
      if (row->kind == SceneRow::Kind::kQueue) return emit(ToggleQueue{row->track});
      return emit(ToggleFold{row->track});
    }
    if (on_names()) return;
    if (row != nullptr && state_.asks_for_time && row->kind == SceneRow::Kind::kCounter &&
        trace_.track(row->track).info.unit == trace::Unit::kBytes)
      return emit(PinTime{scale_.time_from_x(input_.x_px)});
    const auto ref = slice_at(trace_, scene_, input_.x_px, input_.y_px);
    const auto idle = ref ? std::nullopt : idle_at(scene_, state_, input_.x_px, input_.y_px);
    if (ref) {
      emit(SelectSlice{*ref});
    } else if (idle) {
      emit(SelectIdle{*idle});
    } else {
      emit(ClearSelection{});
    }
  }

  void hover() {
    const bool looking = on_plot() && (gesture_.kind == Kind::kNone || gesture_.kind == Kind::kPressed);
    const auto ref = looking ? slice_at(trace_, scene_, input_.x_px, input_.y_px) : std::nullopt;
    if (ref != state_.hovered) emit(HoverSlice{ref});
  }

  // If the content has become shorter (after folding or a search), scrolls up so that the content still fills
  // the plot.
  void keep_scroll() {
    if (state_.scroll_y_px > most_scroll(scene_)) scroll_to(most_scroll(scene_));
  }

  const Trace& trace_;
  const Scene& scene_;
  const TimelineState& state_;
  const TimelineInput& input_;
  TimelineGesture& gesture_;
  TimelineCommands& out_;
  const TimeScale scale_;
};

}  // namespace

void interact(const Trace& trace, const Scene& scene, const TimelineState& state, const TimelineInput& input,
              TimelineGesture& gesture, TimelineCommands& out) {
  Interaction(trace, scene, state, input, gesture, out).run();
}

}  // namespace runahead::gui
