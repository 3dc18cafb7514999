// Builds the parts of the run: the regions in the lowest line of the ruler.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "gui/text/text.h"
#include "gui/timeline/scene/time_scale.h"
#include "gui/timeline/scene_builder.h"

namespace runahead::gui {
namespace internal {
namespace {

constexpr float kNarrowestPartLabelPx = 40;

float clamped_x(const TimeScale& scale, Timestamp t) {
  return static_cast<float>(std::clamp(scale.x_from_time(t), 0.0, scale.width_px));
}

// Returns the text that fits between the two x, or an empty text if there is little room.
std::string fit_region_label(const SceneBuilder& builder, std::string_view words, float x0_px, float x1_px) {
  const float room = x1_px - x0_px - 2 * kLabelPadPx * builder.interface_scale;
  if (room < kNarrowestPartLabelPx * builder.interface_scale) return {};
  return fit_text(words, room, builder.advance);
}

// Returns the first x at or after `x_px` that is not on the label of a part.
float after_part_labels(const SceneBuilder& builder, float x_px) {
  for (const ScenePart& part : builder.out.parts) {
    const float end =
        part.x0_px + builder.advance.width_px(part.label) + 2 * kLabelPadPx * builder.interface_scale;
    if (!part.label.empty() && part.x0_px <= x_px && x_px < end) return end;
  }
  return x_px;
}

}  // namespace

void add_parts(SceneBuilder& builder) {
  const std::vector<analysis::PartOfRun>& parts = builder.state.parts;
  const TimeScale& scale = builder.scale;
  const analysis::PartOfRun* const chosen =
      builder.state.range ? analysis::part_with_range(parts, *builder.state.range) : nullptr;
  for (const std::size_t i : parts_to_draw(parts, scale)) {
    // The last part grows with the trace, also between two computations of the parts.
    const TimeRange range = range_now(builder.trace, parts[i]);
    if (range.empty() || !range.overlaps(scale.view)) continue;
    ScenePart part{.index = i,
                   .x0_px = clamped_x(scale, range.begin),
                   .x1_px = clamped_x(scale, range.end),
                   .begins = scale.view.contains(range.begin),
                   .measured = analysis::is_measured(parts[i]),
                   .chosen = &parts[i] == chosen};
    part.label = fit_region_label(builder, translated(parts[i].name), part.x0_px, part.x1_px);
    builder.out.parts.push_back(std::move(part));
  }
}

void add_compared(SceneBuilder& builder) {
  const TimeScale& scale = builder.scale;
  for (const ComparedTime& time : builder.state.compared) {
    if (!time.range.overlaps(scale.view)) continue;
    SceneCompared out{.side = time.side,
                      .x0_px = clamped_x(scale, time.range.begin),
                      .x1_px = clamped_x(scale, time.range.end)};
    if (time.side == ComparedTime::Side::kLeftOut) {
      out.label_px = after_part_labels(builder, out.x0_px);
      out.label = fit_region_label(builder, text(phase_text(time.phase)), out.label_px, out.x1_px);
    }
    builder.out.compared.push_back(std::move(out));
  }
}

}  // namespace internal

std::vector<std::size_t> parts_to_draw(const std::vector<analysis::PartOfRun>& parts,
                                       const TimeScale& scale) {
  std::vector<std::size_t> out;
  // Returns the first part, from `from` on, that ends after `t`. The last part may still grow.
  const auto first_after = [&](std::vector<analysis::PartOfRun>::const_iterator from, Timestamp t) {
    return std::partition_point(from, parts.end(), [t](const analysis::PartOfRun& part) {
      return !part.last && part.range.end <= t;
    });
  };
  auto part = first_after(parts.begin(), scale.view.begin);
  while (part != parts.end() && part->range.begin < scale.view.end) {
    out.push_back(static_cast<std::size_t>(part - parts.begin()));
    const Timestamp from = std::max(part->range.begin, scale.view.begin);
    const Timestamp column_end = scale.time_from_x(std::floor(scale.x_from_time(from)) + 1);
    part = first_after(part + 1, std::max(part->range.end, column_end));
  }
  return out;
}

Text phase_text(analysis::Phase phase) {
  if (phase == analysis::Phase::kDraining) return Text::kDraining;
  return phase == analysis::Phase::kWarmingUp ? Text::kWarmingUp : Text::kSettling;
}

TimeRange range_now(const trace::Trace& trace, const analysis::PartOfRun& part) {
  return {part.range.begin, part.last ? std::max(part.range.end, trace.watermark()) : part.range.end};
}

const ScenePart* part_at(const Scene& scene, float x_px) {
  const auto found = std::ranges::find_if(
      scene.parts, [&](const ScenePart& part) { return part.x0_px <= x_px && x_px < part.x1_px; });
  return found != scene.parts.end() ? &*found : nullptr;
}

}  // namespace runahead::gui
