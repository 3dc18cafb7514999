// What the colours in view say, where they are by name or by step: which of them are seen, and which are not
// listed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

inline constexpr std::size_t kMostLegendEntries = 12;

struct LegendEntry {
  std::uint32_t category = 0;  // for Theme::category()
  std::string name;            // of ColourBy::kName
  double seen_px = 0;          // how much of the view it covers, over all rows
};

struct SceneLegend {
  std::vector<LegendEntry> entries;  // names: those that cover most first; steps: the first in view and on
  std::size_t left_out = 0;          // further names or steps in view
  bool of_none = false;              // slices of no step are in view
};

// Of what a scene shows that was built by that `state.colour_by`; empty for kKind. Waits are left out: their
// colour is their kind's. Pure. O(boxes).
[[nodiscard]] SceneLegend scene_legend(const Scene& scene, const trace::Trace& trace, ColourBy by);

}  // namespace runahead::gui
