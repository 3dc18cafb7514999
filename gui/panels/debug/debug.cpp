#include "gui/panels/debug/debug.h"

#include <nlohmann/json.hpp>

namespace runahead::gui {

void DebugPanel::add_to_report(nlohmann::json& json, const PanelModel&) const { json["debug"] = shown(); }

}  // namespace runahead::gui
