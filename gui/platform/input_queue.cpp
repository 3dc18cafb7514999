#include "gui/platform/input_queue.h"

#include <set>
#include <utility>

namespace runahead::gui {

namespace {

// Values of GLFW.
constexpr int kFirstCharacterKey = 32, kEndOfCharacterKeys = 256;
constexpr int kControlAltOrSuper = 2 | 4 | 8;
constexpr int kLeftShift = 340, kRightShift = 344;

// True if the key only writes a character. A text field reads the character, and not the key.
bool writes(const KeyEvent& key) {
  return key.key >= kFirstCharacterKey && key.key < kEndOfCharacterKeys &&
         (key.mods & kControlAltOrSuper) == 0;
}

bool is_shift(const KeyEvent& key) { return key.key == kLeftShift || key.key == kRightShift; }

// Remembers which events one frame has received so far.
class FrameSeen {
 public:
  explicit FrameSeen(InputQueue::Keys mode) : mode_(mode) {}
  // Returns false if the event must wait for the next frame.
  bool admit(const InputEvent& event) {
    const bool typed = std::holds_alternative<CharEvent>(event);
    if (mode_ == InputQueue::Keys::kHeld && (typed || std::holds_alternative<KeyEvent>(event))) return false;
    if (typed) return mode_ == InputQueue::Keys::kText ? admit_text() : !std::exchange(typed_, true);
    if (const KeyEvent* key = std::get_if<KeyEvent>(&event)) return admit_key(*key);
    if (const ButtonEvent* button = std::get_if<ButtonEvent>(&event)) return admit_button(*button);
    if (std::holds_alternative<CursorEvent>(event)) return moved_ = buttons_.empty() && !wheel_;
    if (std::holds_alternative<WheelEvent>(event)) wheel_ = true;
    return true;
  }

 private:
  // ImGui's text field handles the characters of a frame before the keys, and none while Ctrl is down.
  bool admit_text() {
    if (commanded_) return false;
    return typed_ = true;
  }
  bool admit_key(const KeyEvent& key) {
    const bool release = key.action == 0, repeat = key.action > 1;
    if (repeat) return true;  // a repeat changes no state, so it may follow the press
    if (mode_ == InputQueue::Keys::kText) {
      if (writes(key)) return buttons_.empty() && !wheel_;
      const bool command = !release && !is_shift(key);
      if (command && typed_) return false;
      commanded_ = commanded_ || command;
    }
    // Within a frame, no key may change after a click or a turn of the wheel, and no key may be released
    // after a press. Therefore the modifier keys in this frame have the state that they had at the click, the
    // turn or the press.
    if (!buttons_.empty() || wheel_ || (release && pressed_)) return false;
    pressed_ = pressed_ || !release;
    return keys_.insert(key.key).second;
  }
  bool admit_button(const ButtonEvent& button) {
    // A field that is drawn before the one with the focus would take the focus first, and the keys of this
    // frame would be lost.
    if (mode_ == InputQueue::Keys::kText && button.down && (typed_ || commanded_)) return false;
    if (!button.down && moved_) return false;
    return buttons_.insert(button.button).second;
  }

  const InputQueue::Keys mode_;
  std::set<int> keys_, buttons_;
  bool wheel_ = false, moved_ = false, pressed_ = false, typed_ = false;
  bool commanded_ = false;  // with kText: a key was pressed that neither writes nor is Shift
};

}  // namespace

std::vector<InputEvent> InputQueue::take_frame(Keys keys) {
  std::vector<InputEvent> events;
  FrameSeen seen(keys);
  while (!waiting_.empty() && seen.admit(waiting_.front())) {
    events.push_back(waiting_.front());
    waiting_.pop_front();
  }
  return events;
}

}  // namespace runahead::gui
