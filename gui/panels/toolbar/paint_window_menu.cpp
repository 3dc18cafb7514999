#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include "gui/panels/toolbar/paint_toolbar.h"

namespace runahead::gui {

namespace {

void scale_menu(const PanelModel& model, const PanelUi& ui, Commands& out) {
  for (const float scale : {1.0f, 1.25f, 1.5f, 2.0f, 2.5f}) {
    char label[32];
    std::snprintf(label, sizeof label, "%.0f %%", static_cast<double>(scale) * 100);
    if (ImGui::MenuItem(label, nullptr, std::abs(scale - model.look.chosen_scale) < 0.01f))
      out.push_back(SetScale{scale});
    mark_widget(ui, "scale:" + std::string(label));
  }
}

void panels_menu(const PanelModel& model, const PanelUi& ui, Commands& out) {
  for (const PanelModule* panel : model.panels) {
    const PanelInfo& info = panel->info();
    if (!info.in_menu) continue;
    const std::string key(info.key), widget = "menu:" + std::string(info.id);
    if (ImGui::MenuItem(text(info.title), key.c_str(), panel->shown())) out.push_back(TogglePanel{info.id});
    mark_widget(ui, widget);
  }
}

// Draws the names of recent files. The tooltip of a name shows the complete path of the file.
void recent_menu(const PanelModel& model, const PanelUi& ui, Commands& out) {
  for (std::size_t i = 0; i < model.files.recent.size(); ++i) {
    const std::filesystem::path path = model.files.recent[i];
    const std::string label = path.filename().string() + "##" + std::to_string(i);
    if (ImGui::MenuItem(label.c_str())) out.push_back(FileChosen{FilePurpose::kOpen, path});
    mark_widget(ui, "recent:" + std::to_string(i));
    tooltip(ui, path.string());
  }
  ImGui::Separator();
  if (ImGui::MenuItem(text(Text::kForgetRecent))) out.push_back(ForgetRecent{});
  mark_widget(ui, "recent:forget");
}

// Draws the name of each language in that language. If glyphs for this name are missing, draws the English
// name of the language in this frame, and requests the glyphs for the next frame.
void language_menu(const PanelModel& model, const PanelUi& ui, Commands& out) {
  for (const Language each : kLanguages) {
    const bool here = each == Language::kEnglish || model.look.wide_font;
    const bool shown = has_glyphs(*ui.fonts.body, language_name(each));
    if (here && !shown) out.push_back(ShowCharacters{language_name(each)});
    const char* const name = shown ? language_name(each) : english_language_name(each);
    if (ImGui::MenuItem(name, nullptr, each == language(), here)) out.push_back(SetLanguage{each});
    mark_widget(ui, std::string("language:") + language_code(each));
    if (!here) tooltip(ui, text(Text::kLanguageNeedsFont));
  }
  if (!model.look.wide_font) small_dim_line(ui, text(Text::kLanguageNeedsFont));
}

void file_entries(const PanelModel& model, const PanelUi& ui, Commands& out) {
  if (ImGui::MenuItem(text(Text::kOpenDots), "Ctrl+O")) out.push_back(AskForFile{FilePurpose::kOpen});
  mark_widget(ui, "menu:open");
  if (ImGui::BeginMenu(text(Text::kOpenRecent), !model.files.recent.empty())) {
    recent_menu(model, ui, out);
    ImGui::EndMenu();
  }
  mark_widget(ui, "menu:recent");
  if (ImGui::MenuItem(text(Text::kSaveAsDots), "Ctrl+S")) out.push_back(AskForFile{FilePurpose::kSaveAs});
  mark_widget(ui, "menu:save");
  if (ImGui::MenuItem(text(Text::kExportPage))) out.push_back(AskForFile{FilePurpose::kPage});
  mark_widget(ui, "menu:export");
  const bool can_record = !model.recording.path.empty() || model.files.opened.empty();
  const Text record = model.recording.path.empty() ? Text::kRecordDots : Text::kStopRecording;
  if (ImGui::MenuItem(text(record), nullptr, false, can_record)) toggle_recording(model, out);
  mark_widget(ui, "menu:record");
  if (ImGui::MenuItem(text(Text::kSavePicture))) out.push_back(AskForFile{FilePurpose::kPicture});
  mark_widget(ui, "menu:picture");
}

// Draws the menu entries for the window's appearance.
void look_entries(const PanelModel& model, const PanelUi& ui, Commands& out) {
  if (ImGui::MenuItem(text(Text::kLightTheme), nullptr, model.look.light))
    out.push_back(SetLight{!model.look.light});
  mark_widget(ui, "menu:light");
  if (ImGui::MenuItem(text(Text::kMotion), nullptr, model.look.motion))
    out.push_back(SetMotion{!model.look.motion});
  mark_widget(ui, "menu:motion");
  if (ImGui::BeginMenu(text(Text::kScale))) {
    scale_menu(model, ui, out);
    ImGui::EndMenu();
  }
  if (ImGui::BeginMenu(text(Text::kLanguage))) {
    language_menu(model, ui, out);
    ImGui::EndMenu();
  }
  mark_widget(ui, "menu:language");
  if (ImGui::MenuItem(text(Text::kPresentation), "P", model.look.presentation)) {
    out.push_back(SetPresentation{!model.look.presentation});
  }
  mark_widget(ui, "menu:presentation");
}

// The space between two entries: as usual, or less in a low window, so that the menu need not be scrolled.
float spacing_that_fits(const PanelModel& model) {
  constexpr float kOtherEntries = 17, kSeparators = 3;  // those of window_menu() that are no panels
  const auto panels =
      std::ranges::count_if(model.panels, [](const PanelModule* p) { return p->info().in_menu; });
  const float entries = static_cast<float>(panels) + kOtherEntries;
  const ImGuiStyle& style = ImGui::GetStyle();
  const float room =
      ImGui::GetIO().DisplaySize.y - 2 * (style.WindowPadding.y + style.DisplaySafeAreaPadding.y);
  const float left = (room - entries * ImGui::GetFontSize() - kSeparators) / (entries + kSeparators);
  return std::clamp(std::floor(left), 0.0f, style.ItemSpacing.y);
}

}  // namespace

void toggle_recording(const PanelModel& model, Commands& out) {
  if (model.recording.path.empty()) {
    out.push_back(AskForFile{FilePurpose::kRecord});
  } else {
    out.push_back(StopRecording{});
  }
}

void window_menu(const PanelModel& model, const PanelUi& ui, Commands& out) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                      ImVec2(ImGui::GetStyle().ItemSpacing.x, spacing_that_fits(model)));
  file_entries(model, ui, out);
  ImGui::Separator();
  look_entries(model, ui, out);
  ImGui::Separator();
  panels_menu(model, ui, out);
  if (ImGui::MenuItem(text(Text::kShowAllTracks))) out.push_back(TimelineCommand{ShowAllTracks{}});
  ImGui::Separator();
  if (ImGui::MenuItem(text(Text::kResetClass))) out.push_back(ResetClass{});
  mark_widget(ui, "menu:reset_class");
  tooltip(ui, text(Text::kResetClassHint));
  if (ImGui::MenuItem(text(Text::kResetSettings))) out.push_back(ResetSettings{});
  mark_widget(ui, "menu:reset");
  if (ImGui::MenuItem(text(Text::kHelp), "?")) out.push_back(TogglePanel{kHelpPanel});
  if (ImGui::MenuItem(text(Text::kAbout))) out.push_back(TogglePanel{kAboutPanel});
  mark_widget(ui, "menu:about");
  if (ImGui::MenuItem(text(Text::kQuit), "Ctrl+Q")) out.push_back(Quit{});
  mark_widget(ui, "menu:quit");
  ImGui::PopStyleVar();
}

}  // namespace runahead::gui
