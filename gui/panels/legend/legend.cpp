#include "gui/panels/legend/legend.h"

#include <nlohmann/json.hpp>

namespace runahead::gui {

void LegendPanel::add_to_report(nlohmann::json& json, const PanelModel&) const { json["legend"] = shown(); }

}  // namespace runahead::gui
