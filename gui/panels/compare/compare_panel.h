// Comparing: what A and B are, their figures with ratios, names matched, and of one name both histograms laid
// over each other, of which a bar leads to its slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/model/panel.h"
#include "gui/panels/compare/compare_words.h"

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
};

// What is compared, and what came of it, is gui/core's (Comparing): the lower timeline shows it too.
class ComparePanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = kComparePanel,
        .title = Text::kPanelCompare,
        .key = "C",
        .place = PanelPlace::kBelow,
        .remembered = false,
        .button = PanelButton{4, "compare", Text::kCompareButton, Text::kCompareButtonHint}};
    return kInfo;
  }
  [[nodiscard]] std::optional<Command> toggled() const override;
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  CompareView view;
};
void paint_panel(ComparePanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
