// The comparison panel: the user's choice of the two sides A and B, the figures of A and B with their ratios,
// and a table of the slice names on both sides. For a selected name it shows the histograms of both sides in
// one plot. A click on a bar shows the slices of this bar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/answers/compare_words.h"
#include "gui/model/panel.h"

namespace runahead::gui {

struct CompareView {
  std::string filter;  // filter of names
  // The name whose histograms are shown.
  std::optional<std::pair<std::string, trace::SliceKind>> name;
  ComparedColumn order = ComparedColumn::kDifference;
  bool descending = true;
  ComparePer per = ComparePer::kStep;  // as the user chose; scale_of() says what is shown
  // Indices of the listed names. The indices are valid for `listed_answer`, `listed_filter` and the selected
  // order.
  std::vector<std::size_t> listed;
  std::uint64_t listed_answer = 0;
  std::string listed_filter;
  ComparePer listed_per = ComparePer::kStep;
};

// The user's choice and the result of a comparison are in gui/core (Comparing), because the lower timeline
// uses them too.
class ComparePanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = kComparePanel,
        .title = Text::kPanelCompare,
        .key = "C",
        .place = PanelPlace::kBelow,
        .remembered = false,
        .button = PanelButton{6, "compare", Text::kCompareButton, Text::kCompareButtonHint}};
    return kInfo;
  }
  [[nodiscard]] std::optional<Command> toggled() const override;
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  CompareView view;
};
void paint_panel(ComparePanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
