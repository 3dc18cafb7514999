// What came from the mouse and the keyboard, handed to the interface frame by frame. Dear ImGui before 1.87
// keeps the state of each key and button only, so a press and its release between two frames would never be
// seen; here the release waits for the next frame. Pure: no GLFW, no ImGui. Idea: the event queue that ImGui
// itself has from 1.87.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

namespace runahead::gui {

struct KeyEvent {
  int key = 0, scancode = 0, action = 0, mods = 0;  // as GLFW says them; action 0 is a release
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

// One thread (the window's).
class InputQueue {
 public:
  void push(InputEvent event) { waiting_.push_back(event); }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

  // The events of the next frame, in order: up to the first that would hide one of this frame, or change its
  // meaning. That is a key or button that has changed in it already; a cursor that moves on, or a modifier
  // that changes, after a click or a turn of the wheel; any key let go after one was pressed (Ctrl, S, and
  // Ctrl is up first); a button let go after a move (so that the end of a quick drag is seen with the button
  // still down).
  [[nodiscard]] std::vector<InputEvent> take_frame();

 private:
  std::deque<InputEvent> waiting_;
};

}  // namespace runahead::gui
