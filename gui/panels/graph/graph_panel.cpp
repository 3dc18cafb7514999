#include "gui/panels/graph/graph_panel.h"

#include <nlohmann/json.hpp>

#include "gui/model/model.h"
#include "gui/timeline/selection_facts.h"

namespace runahead::gui {

std::optional<std::chrono::milliseconds> GraphPanel::more_after() const {
  return view.stale ? std::optional(kGraphPeriod) : std::nullopt;
}

// Finds out whether the mouse is over the graph now, before the keys of the frame are handled: the mouse may
// have moved since the graph was drawn. The F key applies to the graph only if the mouse is over it.
void GraphPanel::mouse_at(float x_px, float y_px) {
  view.over = shown() && view.x0_px <= x_px && x_px < view.x1_px && view.y0_px <= y_px && y_px < view.y1_px;
}

void GraphPanel::typed(unsigned int character) {
  if ((character == 'f' || character == 'F') && view.over) fit_graph(view);
}

void GraphPanel::add_to_report(nlohmann::json& json, const PanelModel& model) const {
  nlohmann::json& part = json["graph"] = nullptr;
  if (!shown()) return;
  nlohmann::json nodes = nlohmann::json::array();
  for (const GraphBox& box : view.scene.boxes) {
    const analysis::OpGraphNode& node = view.graph.nodes[box.node];
    if (raw(node.op.name) >= model.trace.string_count()) continue;  // the node belongs to the previous trace
    nodes.push_back({{"op", op_number(node.op.id)},
                     {"name", model.trace.string(node.op.name)},
                     {"state", state_name(node.state)},
                     {"critical", node.critical},
                     {"selected", box.selected}});
  }
  part = {{"mode", mode == GraphMode::kStep ? "step" : "in flight"},
          {"ops", view.graph.op_count},
          {"edges", view.graph.edges.size()},
          {"nodes", nodes},
          {"column_px", view.camera.column_px},
          {"layer_px", view.camera.layer_px},
          {"fitted", view.fitted}};
}

}  // namespace runahead::gui
