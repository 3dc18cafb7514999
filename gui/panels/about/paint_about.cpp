#include <algorithm>
#include <string>

#include "gui/model/model.h"
#include "gui/panels/about/about_panel.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

namespace {

void about_lines(const PanelUi& ui, std::string_view about) {
  bool first = true;  // the name and the version
  while (!about.empty()) {
    const std::string_view line = about.substr(0, about.find('\n'));
    first ? bold_line(ui, line) : text_line(line);
    first = false;
    about.remove_prefix(std::min(line.size() + 1, about.size()));
  }
}

}  // namespace

void paint_panel(AboutPanel& panel, const PanelModel& model, const PanelUi& ui, Commands& out) {
  bool open = true;
  const ImVec2 work = ImGui::GetMainViewport()->WorkSize;
  ImGui::SetNextWindowPos(ImVec2(work.x / 2, work.y / 2), ImGuiCond_Appearing, ImVec2(0.5f, 0.5f));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse;
  if (ImGui::Begin((std::string(text(Text::kAbout)) + "###about").c_str(), &open, kFlags)) {
    about_lines(ui, model.about);
    ImGui::Spacing();
    if (ImGui::Button(text(Text::kCopyTable))) ImGui::SetClipboardText(std::string(model.about).c_str());
    mark_widget(ui, "about:copy");
    note_window_fit(ui, text(Text::kAbout));
  }
  ImGui::End();
  if (!open) out.push_back(TogglePanel{panel.id()});
}

}  // namespace runahead::gui
