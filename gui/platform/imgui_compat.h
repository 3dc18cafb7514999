// This header hides the differences between versions of Dear ImGui, and does nothing else. Version 1.86
// (Debian 12) uses the platform's key numbers; 1.87 and later have their own key names.
#pragma once

#include <GLFW/glfw3.h>

#include "imgui.h"

namespace runahead::gui::compat {

#if IMGUI_VERSION_NUM >= 18700
[[nodiscard]] inline ImGuiKey key_from_glfw(int key) {
  if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) return static_cast<ImGuiKey>(ImGuiKey_A + (key - GLFW_KEY_A));
  if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) return static_cast<ImGuiKey>(ImGuiKey_0 + (key - GLFW_KEY_0));
  if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12)
    return static_cast<ImGuiKey>(ImGuiKey_F1 + (key - GLFW_KEY_F1));
  switch (key) {
    case GLFW_KEY_SPACE:
      return ImGuiKey_Space;
    case GLFW_KEY_ESCAPE:
      return ImGuiKey_Escape;
    case GLFW_KEY_ENTER:
      return ImGuiKey_Enter;
    case GLFW_KEY_TAB:
      return ImGuiKey_Tab;
    case GLFW_KEY_BACKSPACE:
      return ImGuiKey_Backspace;
    case GLFW_KEY_DELETE:
      return ImGuiKey_Delete;
    case GLFW_KEY_HOME:
      return ImGuiKey_Home;
    case GLFW_KEY_END:
      return ImGuiKey_End;
    case GLFW_KEY_LEFT:
      return ImGuiKey_LeftArrow;
    case GLFW_KEY_RIGHT:
      return ImGuiKey_RightArrow;
    case GLFW_KEY_UP:
      return ImGuiKey_UpArrow;
    case GLFW_KEY_DOWN:
      return ImGuiKey_DownArrow;
    case GLFW_KEY_PERIOD:
      return ImGuiKey_Period;
    case GLFW_KEY_COMMA:
      return ImGuiKey_Comma;
    case GLFW_KEY_SLASH:
      return ImGuiKey_Slash;
    case GLFW_KEY_MINUS:
      return ImGuiKey_Minus;
    case GLFW_KEY_EQUAL:
      return ImGuiKey_Equal;
    case GLFW_KEY_LEFT_BRACKET:
      return ImGuiKey_LeftBracket;
    case GLFW_KEY_RIGHT_BRACKET:
      return ImGuiKey_RightBracket;
    default:
      return ImGuiKey_None;
  }
}
[[nodiscard]] inline bool key_down(int glfw_key) { return ImGui::IsKeyDown(key_from_glfw(glfw_key)); }
[[nodiscard]] inline bool key_pressed(int glfw_key, bool repeat = false) {
  return ImGui::IsKeyPressed(key_from_glfw(glfw_key), repeat);
}
#else
[[nodiscard]] inline bool key_down(int glfw_key) { return ImGui::IsKeyDown(glfw_key); }
[[nodiscard]] inline bool key_pressed(int glfw_key, bool repeat = false) {
  return ImGui::IsKeyPressed(glfw_key, repeat);
}
#endif

}  // namespace runahead::gui::compat
