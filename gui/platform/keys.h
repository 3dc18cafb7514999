// Keys of the window; the timeline reads its own keys. A key that stands for its letter is read as a
// character, so that any keyboard layout works. Shortcuts are key codes. Only this file knows how this
// version of ImGui names keys.
#pragma once

namespace runahead::gui {

enum class Key { kEscape, kEnter, kF1, kF3, kUp, kDown, kHome, kEnd, kO, kS, kQ, kR };

// Returns the first character typed in this frame while no text field has the keyboard focus; 0: none.
[[nodiscard]] unsigned int typed_character();
// True if the key went down in this frame (repeats do not count).
[[nodiscard]] bool key_pressed(Key key);
// Works like key_pressed(), but held keys repeat.
[[nodiscard]] bool key_repeated(Key key);
// True if Ctrl and the key were pressed.
[[nodiscard]] bool shortcut_pressed(Key key);

}  // namespace runahead::gui
