#include "gui/model/panel.h"

namespace runahead::gui {

PanelModule::~PanelModule() = default;

std::optional<Command> PanelModule::toggled() const { return std::nullopt; }

PanelModule* find_panel(std::span<PanelModule* const> panels, std::string_view id) {
  for (PanelModule* panel : panels) {
    if (panel->id() == id) return panel;
  }
  return nullptr;
}

bool shows_panel(std::span<PanelModule* const> panels, std::string_view id) {
  const PanelModule* const panel = find_panel(panels, id);
  return panel != nullptr && panel->shown();
}

}  // namespace runahead::gui
