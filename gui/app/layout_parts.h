// The parts of the window's layout, and the code that several parts use. Internal to the app.
#pragma once

#include "gui/app/layout.h"
#include "gui/core/app_core.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

inline constexpr ImGuiWindowFlags kStill = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

struct Frame {
  AppCore& core;
  const PanelModel& model;
  const PanelUi& ui;
  LayoutState& layout;
  Commands& out;
};

// A child window with a background and padding. If the content is too long, it scrolls.
struct Card {
  Card(const PanelUi& ui, const char* id, ImVec2 size, ImGuiWindowFlags flags = 0) {
    ImGui::PushStyleColor(ImGuiCol_ChildBg, to_imvec(ui.theme.panel));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(12), ui.px(8)));
    ImGui::BeginChild(id, size, false, flags | ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
  }
  ~Card() { ImGui::EndChild(); }
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;
};

// Draws one timeline, or the two timelines of a comparison, at ImGui's layout cursor.
void draw_timelines(const Frame& frame, ImVec2 size);

// Call within a frame, before anything is drawn. While a text field has the keyboard focus, End and keys that
// type a character are not shortcuts.
void read_shortcuts(AppCore& core, const PanelModel& model, LayoutState& layout, Commands& out);
void close_search(AppCore& core, Commands& out);

}  // namespace runahead::gui
