#include "gui/timeline/glide.h"

#include <algorithm>
#include <cmath>

namespace runahead::gui {
namespace {

Duration rounded(double ns) { return Duration{std::llround(ns)}; }

// The motion is fast at first, so that the user sees the reaction immediately.
double eased(double t) { return 1 - (1 - t) * (1 - t) * (1 - t); }

}  // namespace

TimeRange between_views(TimeRange from, TimeRange to, double share) {
  if (share <= 0) return from;
  if (share >= 1) return to;
  const auto from_ns = static_cast<double>(from.duration().count());
  const auto to_ns = static_cast<double>(to.duration().count());
  const double shift = static_cast<double>((to.begin - from.begin).count());
  const double length = from_ns * std::pow(to_ns / from_ns, share);
  // The view's start moves in proportion to the change of the view's length. Therefore, if a time has the
  // same x in the first and the last view, it keeps this x during the motion. If both views have the same
  // length, no time has the same x in both views, and the motion is a pan.
  const bool same = std::abs(to_ns - from_ns) < 1e-3 * std::min(from_ns, to_ns);
  const double moved = shift * (same ? share : (length - from_ns) / (to_ns - from_ns));
  const Timestamp begin = from.begin + rounded(moved);
  return {begin, begin + std::max(rounded(length), Duration{1})};
}

void glide_to(TimeRange target, TimelineState& state) {
  state.glide.reset();
  if (state.motion <= Duration{0} || state.view.empty() || target == state.view) {
    state.view = target;
    return;
  }
  state.glide = ViewGlide{.from = state.view, .to = target, .shown = state.view};
}

void advance_glide(Duration dt, TimelineState& state) {
  if (!state.glide) return;
  ViewGlide& glide = *state.glide;
  if (state.view != glide.shown) {
    state.glide.reset();
    return;
  }
  glide.elapsed += dt;
  if (glide.elapsed >= state.motion) {
    state.view = glide.to;
    state.glide.reset();
    return;
  }
  const double t = static_cast<double>(glide.elapsed.count()) / static_cast<double>(state.motion.count());
  state.view = glide.shown = between_views(glide.from, glide.to, eased(t));
}

TimeRange view_to_come(const TimelineState& state) {
  return state.glide && state.view == state.glide->shown ? state.glide->to : state.view;
}

}  // namespace runahead::gui
