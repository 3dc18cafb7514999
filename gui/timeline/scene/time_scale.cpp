#include "gui/timeline/scene/time_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

// Times are clamped to -kFarthestNs..kFarthestNs. This range fits into int64 and is far longer than any
// capture.
constexpr double kFarthestNs = 4e18;
constexpr float kTickPx = 130;  // minimum distance of labels: room for "1 h 30 min 00 s" in a 16 px font
constexpr int kMinorTicks = 5;

std::int64_t to_ns(double ns) {
  return static_cast<std::int64_t>(std::llround(std::clamp(ns, -kFarthestNs, kFarthestNs)));
}

TimeRange of_length(TimeRange view, Duration length) {
  const Timestamp centre = view.begin + view.duration() / 2;
  return {centre - length / 2, centre - length / 2 + length};
}

}  // namespace

double TimeScale::x_from_time(Timestamp t) const { return x_from_duration(t - view.begin); }

double TimeScale::x_from_duration(Duration d) const {
  return static_cast<double>(ns_from(d)) * width_px / static_cast<double>(ns_from(view.duration()));
}

Timestamp TimeScale::time_from_x(double x_px) const {
  const double from_begin = x_px * static_cast<double>(ns_from(view.duration())) / width_px;
  const double far = static_cast<double>(ns_from(view.begin)) + from_begin;
  if (std::abs(far) > kFarthestNs) return timestamp_from_ns(to_ns(far));
  return view.begin + Duration{to_ns(from_begin)};
}

Duration TimeScale::duration_from_x(double width) const {
  return Duration{to_ns(width * static_cast<double>(ns_from(view.duration())) / width_px)};
}

TimeRange zoom_at(const TimeScale& scale, double x_px, double factor) {
  const double old_ns = static_cast<double>(ns_from(scale.view.duration()));
  const double new_ns = std::clamp(old_ns * factor, static_cast<double>(ns_from(kShortestView)),
                                   static_cast<double>(ns_from(kLongestView)));
  const double ratio = x_px / scale.width_px;
  const Timestamp begin = scale.view.begin + Duration{to_ns(ratio * (old_ns - new_ns))};
  return {begin, begin + Duration{to_ns(new_ns)}};
}

TimeRange pan_by(const TimeScale& scale, double dx_px) {
  const Duration shift = scale.duration_from_x(dx_px);
  return {scale.view.begin + shift, scale.view.end + shift};
}

TimeRange fit(TimeRange range, double margin_ratio) {
  const double ns =
      static_cast<double>(std::max<std::int64_t>(ns_from(range.duration()), 0)) * (1 + 2 * margin_ratio);
  return of_length(range, std::clamp(Duration{to_ns(ns)}, kShortestView, kLongestView));
}

TimeRange clamp_view(TimeRange view, TimeRange extent) {
  const Duration length = std::clamp(view.duration(), kShortestView, kLongestView);
  if (length != view.duration()) view = of_length(view, length);
  if (extent.empty()) return view;
  // Moves the view so that it still shows a part of the capture: as much as a tenth of the view's length, or
  // the entire capture if the capture is shorter than that.
  const Duration seen = std::min(length / 10, extent.duration());
  if (view.begin > extent.end - seen) view = {extent.end - seen, extent.end - seen + length};
  if (view.end < extent.begin + seen) view = {extent.begin + seen - length, extent.begin + seen};
  return view;
}

Duration tick_step(const TimeScale& scale, double min_px) {
  const std::int64_t least = std::max<std::int64_t>(1, ns_from(scale.duration_from_x(min_px)));
  for (std::int64_t decade = 1; decade <= 10'000'000'000; decade *= 10) {
    for (const std::int64_t step : {decade, 2 * decade, 5 * decade}) {
      if (step >= least && step <= 10'000'000'000) return Duration{step};
    }
  }
  static constexpr std::array<std::int64_t, 12> kLongSteps_s = {30,   60,   120,   300,   600,   1800,
                                                                3600, 7200, 18000, 43200, 86400, 172800};
  for (const std::int64_t step_s : kLongSteps_s) {
    if (step_s * 1'000'000'000 >= least) return std::chrono::seconds{step_s};
  }
  return Duration{(least / ns_from(Duration{std::chrono::hours{24}}) + 1) *
                  ns_from(Duration{std::chrono::hours{24}})};
}

void build_ticks(const TimeScale& scale, float interface_scale, std::vector<SceneTick>& out) {
  out.clear();
  const std::int64_t step = ns_from(tick_step(scale, kTickPx * interface_scale));
  const std::int64_t minor = step >= kMinorTicks ? step / kMinorTicks : step;
  const std::int64_t begin = ns_from(scale.view.begin);
  std::int64_t at = begin / step * step - (begin < 0 ? step : 0);
  for (; at < ns_from(scale.view.end); at += minor) {
    if (at < begin) continue;
    const bool major = at % step == 0;
    const auto x = static_cast<float>(scale.x_from_time(timestamp_from_ns(at)));
    out.push_back(
        {x, major ? format_axis_time(timestamp_from_ns(at), Duration{step}) : std::string{}, major});
  }
}

}  // namespace runahead::gui
