// The keys of the window; the timeline reads its own keys. A key that is named by a letter is read as a typed
// character, so that any keyboard layout works. Shortcuts with Ctrl are read as key codes. Only the
// implementation of this header uses the key names of ImGui, which differ between ImGui versions.
#pragma once

namespace runahead::gui {

enum class Key { kEscape, kEnter, kF1, kF3, kUp, kDown, kHome, kEnd, kO, kS, kQ, kR, kF, kV };

// Returns the first character typed in this frame, if no text field has the keyboard focus; 0: no character.
[[nodiscard]] unsigned int typed_character();
// True if the key was pressed in this frame (repeats do not count).
[[nodiscard]] bool key_pressed(Key key);
// Works like key_pressed(), but held keys repeat.
[[nodiscard]] bool key_repeated(Key key);
// True if the key was pressed while Ctrl was down.
[[nodiscard]] bool shortcut_pressed(Key key);

}  // namespace runahead::gui
