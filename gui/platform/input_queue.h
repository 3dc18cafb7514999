// InputQueue passes mouse and keyboard events to the interface frame by frame. Dear ImGui before 1.87 keeps
// only the state of each key and button. If a key is pressed and released between two frames, ImGui sees
// neither. An InputQueue passes the press to one frame and the release to the next frame. Pure: no GLFW, no
// ImGui. The idea comes from ImGui's own event queue in version 1.87 and later.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

namespace runahead::gui {

struct KeyEvent {
  int key = 0, scancode = 0, action = 0, mods = 0;  // values of GLFW; action 0: the key was released
};
struct CharEvent {
  unsigned int codepoint = 0;
};
struct ButtonEvent {
  int button = 0;
  bool down = false;
};
struct CursorEvent {
  double x_px = 0, y_px = 0;
};
struct WheelEvent {
  double x = 0, y = 0;
};
using InputEvent = std::variant<KeyEvent, CharEvent, ButtonEvent, CursorEvent, WheelEvent>;

// The window's thread makes all calls to an InputQueue.
class InputQueue {
 public:
  void push(InputEvent event) { waiting_.push_back(event); }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

  // What keys mean in the next frame. kShortcuts: a character is a shortcut, and a frame acts on one
  // shortcut. kText: a text field has the keyboard. kHeld: a shortcut has opened a text field, which does not
  // have the keyboard yet. The keys that follow are for this field, so they wait.
  enum class Keys { kShortcuts, kText, kHeld };

  // Returns the events of the next frame, in order. The frame ends before the first event that would hide an
  // earlier event of the frame or change its meaning. Such events are:
  // - a change of a key or button that has changed in the frame already
  // - a cursor move or a change of a key (also a modifier) after a click or a turn of the wheel
  // - the release of any key after a press (otherwise a quick Ctrl+S could lose its Ctrl)
  // - the release of a button after a move (so that the end of a quick drag is seen with the button still
  //   down)
  // - with kShortcuts, a second character
  // - with kHeld, any key or character
  // - with kText, the press of a key that writes no character (such as Return, or Ctrl) after a character,
  //   and a character after such a press: a text field reads all characters of a frame before its keys
  // - with kText, the press of a button after a character or after such a key: it may take the focus from the
  //   text field before the field has read them
  // With kText, a key that only writes a character may change as often as it likes: the field reads the
  // characters. Therefore text that is typed faster than frames are drawn arrives in few frames.
  [[nodiscard]] std::vector<InputEvent> take_frame(Keys keys = Keys::kText);

 private:
  std::deque<InputEvent> waiting_;
};

}  // namespace runahead::gui
