#include "gui/platform/keys.h"

#include "gui/platform/imgui_compat.h"

namespace runahead::gui {

namespace {

int code_of(Key key) {
  switch (key) {
    case Key::kEscape:
      return GLFW_KEY_ESCAPE;
    case Key::kEnter:
      return GLFW_KEY_ENTER;
    case Key::kF1:
      return GLFW_KEY_F1;
    case Key::kF3:
      return GLFW_KEY_F3;
    case Key::kUp:
      return GLFW_KEY_UP;
    case Key::kDown:
      return GLFW_KEY_DOWN;
    case Key::kHome:
      return GLFW_KEY_HOME;
    case Key::kEnd:
      return GLFW_KEY_END;
    case Key::kO:
      return GLFW_KEY_O;
    case Key::kS:
      return GLFW_KEY_S;
    case Key::kQ:
      return GLFW_KEY_Q;
    case Key::kR:
      return GLFW_KEY_R;
    case Key::kF:
      return GLFW_KEY_F;
    case Key::kV:
      return GLFW_KEY_V;
  }
  return GLFW_KEY_UNKNOWN;
}

}  // namespace

unsigned int typed_character() {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || io.InputQueueCharacters.empty()) return 0;
  return io.InputQueueCharacters.front();
}

bool key_pressed(Key key) { return compat::key_pressed(code_of(key)); }

bool key_repeated(Key key) { return compat::key_pressed(code_of(key), true); }

bool shortcut_pressed(Key key) { return ImGui::GetIO().KeyCtrl && key_pressed(key); }

}  // namespace runahead::gui
