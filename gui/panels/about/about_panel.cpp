#include "gui/panels/about/about_panel.h"

#include <nlohmann/json.hpp>
#include <string>

#include "gui/model/model.h"

namespace runahead::gui {

void AboutPanel::add_to_report(nlohmann::json& report, const PanelModel& model) const {
  report["version_text"] = shown() ? nlohmann::json(std::string(model.about)) : nlohmann::json();
}

}  // namespace runahead::gui
