#include "gui/timeline/timeline_legend.h"

#include <algorithm>
#include <map>

namespace runahead::gui {
namespace {

double seen_px(const Scene& scene, const SceneBox& box) {
  const float from = std::max(box.x0_px, 0.0f), to = std::min(box.x1_px, scene.size.width_px);
  return static_cast<double>(std::max(0.0f, to - from) * box.busy * (box.bottom - box.top));
}

}  // namespace

SceneLegend scene_legend(const Scene& scene, const trace::Trace& trace, ColourBy by) {
  SceneLegend legend;
  if (by == ColourBy::kKind) return legend;
  std::map<std::uint32_t, double> seen;
  for (const SceneBox& box : scene.boxes) {
    if (box.kind == trace::SliceKind::kWait) continue;
    if (box.category == kNoCategory) {
      legend.of_none = true;
    } else {
      seen[box.category] += seen_px(scene, box);
    }
  }
  for (const auto& [category, px] : seen) {
    LegendEntry entry{.category = category, .name = {}, .seen_px = px};
    if (by == ColourBy::kName) {
      // Skips a name that this trace does not have: the scene was still built from the previous trace.
      if (category >= trace.string_count()) continue;
      entry.name = trace.string(StringId{category});
    }
    legend.entries.push_back(std::move(entry));
  }
  if (by == ColourBy::kName) {
    std::stable_sort(legend.entries.begin(), legend.entries.end(),
                     [](const LegendEntry& a, const LegendEntry& b) { return a.seen_px > b.seen_px; });
  }
  if (legend.entries.size() > kMostLegendEntries) {
    legend.left_out = legend.entries.size() - kMostLegendEntries;
    legend.entries.resize(kMostLegendEntries);
  }
  return legend;
}

}  // namespace runahead::gui
