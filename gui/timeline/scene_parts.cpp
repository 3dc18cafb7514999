// Builds the parts of the run: the regions in the lowest line of the ruler.
#include <algorithm>

#include "gui/text/text.h"
#include "gui/timeline/scene_builder.h"

namespace runahead::gui {
namespace internal {
namespace {

constexpr float kNarrowestPartLabelPx = 40;

}  // namespace

void add_parts(SceneBuilder& builder) {
  const std::vector<analysis::PartOfRun>& parts = builder.state.parts;
  const TimeScale& scale = builder.scale;
  const analysis::PartOfRun* const chosen =
      builder.state.range ? analysis::part_with_range(parts, *builder.state.range) : nullptr;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    // The last part grows with the trace, also between two computations of the parts.
    const TimeRange range = range_now(builder.trace, parts[i]);
    if (range.empty() || !range.overlaps(scale.view)) continue;
    const auto x = [&](Timestamp t) {
      return static_cast<float>(std::clamp(scale.x_from_time(t), 0.0, scale.width_px));
    };
    ScenePart part{.index = i,
                   .x0_px = x(range.begin),
                   .x1_px = x(range.end),
                   .begins = scale.view.contains(range.begin),
                   .measured = analysis::is_measured(parts[i]),
                   .chosen = &parts[i] == chosen};
    const float room = part.x1_px - part.x0_px - 2 * kLabelPadPx * builder.interface_scale;
    if (room >= kNarrowestPartLabelPx * builder.interface_scale)
      part.label = fit_text(translated(parts[i].name), room, builder.advance);
    builder.out.parts.push_back(std::move(part));
  }
}

}  // namespace internal

TimeRange range_now(const trace::Trace& trace, const analysis::PartOfRun& part) {
  return {part.range.begin, part.last ? std::max(part.range.end, trace.watermark()) : part.range.end};
}

const ScenePart* part_at(const Scene& scene, float x_px) {
  const auto found = std::ranges::find_if(
      scene.parts, [&](const ScenePart& part) { return part.x0_px <= x_px && x_px < part.x1_px; });
  return found != scene.parts.end() ? &*found : nullptr;
}

}  // namespace runahead::gui
