// Comparing: what A and B are, their figures with ratios, names matched, and of one name both histograms laid
// over each other, of which a bar leads to its slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/model/commands.h"
#include "gui/panels/compare/compare_words.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

struct CompareView {
  std::string filter;  // of names
  // The name whose histograms are shown.
  std::optional<std::pair<std::string, trace::SliceKind>> name;
  NameColumn order = NameColumn::kDifference;
  bool descending = true;
  // Of that answer, filter and order: the names as they are listed.
  std::vector<std::size_t> listed;
  std::uint64_t listed_answer = 0;
  std::string listed_filter;
  float upper_share = 0;  // of the room of both timelines; 0: half
};

// Draws into what is left of the current window. Changes only `view`.
void compare_panel(const PanelModel& model, const PanelUi& ui, CompareView& view, Commands& out);

}  // namespace runahead::gui
