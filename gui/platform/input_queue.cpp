#include "gui/platform/input_queue.h"

#include <set>

namespace runahead::gui {

namespace {

// What one frame has seen so far.
struct FrameSeen {
  std::set<int> keys, buttons;
  bool wheel = false, moved = false;

  // False: the event must wait for the next frame.
  bool admit(const InputEvent& event) {
    if (const KeyEvent* key = std::get_if<KeyEvent>(&event)) {
      // A repeat changes nothing, so it may follow the press.
      return key->action > 1 || keys.insert(key->key).second;
    }
    if (const ButtonEvent* button = std::get_if<ButtonEvent>(&event)) {
      if (!button->down && moved) return false;
      return buttons.insert(button->button).second;
    }
    if (std::holds_alternative<CursorEvent>(event)) {
      moved = buttons.empty() && !wheel;
      return moved;
    }
    if (std::holds_alternative<WheelEvent>(event)) wheel = true;
    return true;
  }
};

}  // namespace

std::vector<InputEvent> InputQueue::take_frame() {
  std::vector<InputEvent> events;
  FrameSeen seen;
  while (!waiting_.empty() && seen.admit(waiting_.front())) {
    events.push_back(waiting_.front());
    waiting_.pop_front();
  }
  return events;
}

}  // namespace runahead::gui
