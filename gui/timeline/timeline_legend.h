// The legend of the slice colours in the view. If colours show names (or steps), it lists at most
// kMostLegendEntries of the visible names (or steps), and counts the others.
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
  double seen_px = 0;          // width in which the entry's slices are busy in the view, summed over all rows
};

struct SceneLegend {
  std::vector<LegendEntry> entries;  // names: largest seen_px first; steps: in ascending order
  std::size_t left_out = 0;          // number of names or steps in view that are not listed
  bool of_none = false;              // true: slices without a step are in view
};

// Returns the legend of a scene that was built with `by` as `state.colour_by`; empty for kKind. Waits are not
// in the legend, because they have the colour of their kind. Pure. O(boxes).
[[nodiscard]] SceneLegend scene_legend(const Scene& scene, const trace::Trace& trace, ColourBy by);

}  // namespace runahead::gui
