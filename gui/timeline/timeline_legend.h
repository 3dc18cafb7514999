// The legend of the colours in view, by name or by step: the listed names or steps, and the number of
// unlisted ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

inline constexpr std::size_t kMostLegendEntries = 12;

struct LegendEntry {
  std::uint32_t category = 0;  // for Theme::category()
  std::string name;            // for ColourBy::kName
  double seen_px = 0;          // width covered in the view, over all rows
};

struct SceneLegend {
  std::vector<LegendEntry> entries;  // names: largest coverage first; steps: in order, from the first in view
  std::size_t left_out = 0;          // further names or steps in view
  bool of_none = false;              // slices without a step are in view
};

// The legend of a scene that was built with that `state.colour_by`; empty for kKind. Waits are not in it:
// they have the colour of their kind. Pure. O(boxes).
[[nodiscard]] SceneLegend scene_legend(const Scene& scene, const trace::Trace& trace, ColourBy by);

}  // namespace runahead::gui
