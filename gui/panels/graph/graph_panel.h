// The dependency graph panel: which op waits for which op. The panel is next to the timeline, and both have
// the same selection.
#pragma once

#include "gui/graph/graph_view.h"
#include "gui/model/panel.h"

namespace runahead::gui {

class GraphPanel : public PanelModule {
 public:
  [[nodiscard]] const PanelInfo& info() const override {
    static constexpr PanelInfo kInfo{
        .id = "graph",
        .title = Text::kPanelGraph,
        .key = "G",
        .place = PanelPlace::kBeside,
        .button = PanelButton{7, "graph", Text::kGraphButton, Text::kGraphButtonHint}};
    return kInfo;
  }
  [[nodiscard]] std::optional<std::chrono::milliseconds> more_after() const override;
  void mouse_at(float x_px, float y_px) override;
  void typed(unsigned int character) override;
  [[nodiscard]] bool takes_fit_key() const override { return view.over; }
  [[nodiscard]] std::vector<KeptSize> kept_sizes() override { return {{"graph", &share}}; }
  void add_to_report(nlohmann::json& json, const PanelModel& model) const override;

  GraphView view;
  GraphMode mode = GraphMode::kStep;
};
void paint_panel(GraphPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
