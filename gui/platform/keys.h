// Keys of the window beyond the timeline's. Characters where the key means its letter (so that any keyboard
// layout works), key codes where it is a shortcut. The one place that knows how this release of ImGui names
// keys.
#pragma once

namespace runahead::gui {

enum class Key { kEscape, kEnter, kF1, kF3, kUp, kDown, kHome, kEnd, kO, kS, kQ, kR };

// A character typed in this frame while no text field has the keyboard; 0: none. The first of several.
[[nodiscard]] unsigned int typed_character();
// The key went down in this frame (repeats do not count).
[[nodiscard]] bool key_pressed(Key key);
// As key_pressed, held keys repeating.
[[nodiscard]] bool key_repeated(Key key);
// Ctrl and the key.
[[nodiscard]] bool shortcut_pressed(Key key);

}  // namespace runahead::gui
