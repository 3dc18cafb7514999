#include "gui/panels/help/help.h"

#include <nlohmann/json.hpp>

namespace runahead::gui {

void HelpPanel::add_to_report(nlohmann::json& json, const PanelModel&) const { json["help"] = shown(); }

}  // namespace runahead::gui
