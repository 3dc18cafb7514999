#include "gui/model/model.h"
#include "gui/panels/help/help_panel.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

namespace {

struct KeyLine {
  const char* keys;  // as printed on the keyboard; the same in every language
  Text meaning;
};

void key_table(const PanelUi& ui, const char* id, Text title, const KeyLine* lines, std::size_t count) {
  heading(ui, text(title));
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit)) return;
  for (std::size_t i = 0; i < count; ++i) {
    ImGui::TableNextColumn();
    bold_line(ui, lines[i].keys);
    ImGui::TableNextColumn();
    text_line(text(lines[i].meaning));
  }
  ImGui::EndTable();
  ImGui::Spacing();
}

constexpr KeyLine kRunKeys[] = {{"1 \u2026 9", Text::kKeyBarrier},
                                {"Space", Text::kKeyPause},
                                {"Ctrl+R", Text::kKeyRun},
                                {"Ctrl+O   Ctrl+S", Text::kKeyFiles},
                                {"P   L   G   Q   B   Y   F3", Text::kKeyPanels},
                                {"E   I", Text::kKeyCauses},
                                {"X", Text::kKeyWhatIf},
                                {"K", Text::kKeyMemory},
                                {"J", Text::kKeyClass},
                                {"?   Esc", Text::kKeyHelp}};
constexpr KeyLine kViewKeys[] = {
    {"W S", Text::kKeyZoom},       {"A D", Text::kKeyPan},   {"Home   F   End", Text::kKeyShow},
    {"Arrows", Text::kKeyScroll},  {"M", Text::kKeyMark},    {"/   Ctrl+F", Text::kKeySearch},
    {"T", Text::kKeyFilter},       {"N", Text::kKeyNote},    {"C", Text::kKeyCompare},
    {". ,   ] [", Text::kKeyNext}, {"+ -", Text::kKeyFlows}, {"L   O", Text::kKeyColours}};

}  // namespace

void paint_panel(HelpPanel& panel, const PanelModel&, const PanelUi& ui, Commands& out) {
  bool open = true;
  const ImVec2 work = ImGui::GetMainViewport()->WorkSize;
  ImGui::SetNextWindowPos(ImVec2(work.x / 2, work.y / 2), ImGuiCond_Appearing, ImVec2(0.5f, 0.5f));
  constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse;
  if (ImGui::Begin((std::string(text(Text::kHelpTitle)) + "###help").c_str(), &open, kFlags)) {
    key_table(ui, "##run_keys", Text::kHelpRun, kRunKeys, std::size(kRunKeys));
    key_table(ui, "##view_keys", Text::kHelpView, kViewKeys, std::size(kViewKeys));
    heading(ui, text(Text::kHelpMouse));
    for (const Text line : {Text::kMouseWheel, Text::kMouseDrag, Text::kMouseClick, Text::kMouseRange,
                            Text::kMousePart, Text::kMouseArea})
      text_line(text(line));
    note_window_fit(ui, text(Text::kHelpTitle));
  }
  ImGui::End();
  if (!open) out.push_back(TogglePanel{panel.id()});
}

}  // namespace runahead::gui
