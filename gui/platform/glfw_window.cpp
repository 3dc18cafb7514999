// The window on a desktop. ImGui before 1.87 loses short key presses. For these versions, input goes through
// an InputQueue. Newer versions have such a queue themselves and get the events directly. All code that
// depends on this difference is in this file.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "backends/imgui_impl_glfw.h"
#include "gui/platform/input_queue.h"
#include "gui/platform/window.h"
#include "imgui.h"

namespace runahead::gui {

namespace {

// A field that is drawn for the first time asks for the keyboard. It has the keyboard in the frame after the
// next.
constexpr int kFramesToFocus = 3;
constexpr bool kOwnQueue = IMGUI_VERSION_NUM < 18700;

// True while GLFW runs. The main thread sets this flag when GLFW starts and ends. Any thread may read it in
// wake_glfw(). The accesses are sequentially consistent; their cost does not matter, because wake-ups are
// rare.
std::atomic<bool> glfw_running{false};

std::string& last_glfw_error() {
  // The error is static, because GLFW's error callback gets no pointer to an object that could store it. Only
  // the main thread uses this error.
  static std::string error;
  return error;
}

class GlfwWindow final : public Window {
 public:
  ~GlfwWindow() override;
  [[nodiscard]] Status start(const WindowOptions& options, bool visible);

  bool wait_for_events(double timeout_s) override;
  [[nodiscard]] bool input_waiting() const override { return !input_.empty(); }
  void hold_keys() override { frames_held_ = kFramesToFocus; }
  [[nodiscard]] bool close_requested() const override { return glfwWindowShouldClose(window_) != 0; }
  std::vector<std::filesystem::path> take_dropped() override { return std::exchange(dropped_, {}); }
  void set_title(const std::string& title) override { glfwSetWindowTitle(window_, title.c_str()); }
  [[nodiscard]] float content_scale() const override;
  [[nodiscard]] WindowOptions size() const override;

 protected:
  void feed_input() override;
  void show() override { glfwSwapBuffers(window_); }

 private:
  void install_callbacks();
  void must_render() {
    draw_all_next();
    something_happened_ = true;
  }
  void push(InputEvent event) {
    if (kOwnQueue) input_.push(event);
    something_happened_ = true;
  }
  void apply(const InputEvent& event);
  [[nodiscard]] InputQueue::Keys keys_now();

  GLFWwindow* window_ = nullptr;
  bool initialised_ = false;
  bool backend_started_ = false;
  bool something_happened_ = false;
  InputQueue input_;
  int frames_held_ = 0;
  std::vector<std::filesystem::path> dropped_;
  double cursor_x_ = -1e6, cursor_y_ = -1e6;
  bool buttons_[5] = {};
};

// Returns the size of the main screen that windows can use, without the desktop's bars. {0, 0}: the size is
// not known.
std::pair<int, int> room_on_screen() {
  int x = 0, y = 0, width_px = 0, height_px = 0;
  GLFWmonitor* const screen = glfwGetPrimaryMonitor();
  if (screen != nullptr) glfwGetMonitorWorkarea(screen, &x, &y, &width_px, &height_px);
  return {width_px, height_px};
}

// Makes the window smaller if the window and its frame do not fit into the usable part of the screen.
void fit_to_screen(GLFWwindow* window) {
  const auto [room_width_px, room_height_px] = room_on_screen();
  if (room_width_px <= 0 || room_height_px <= 0) return;
  int left = 0, top = 0, right = 0, bottom = 0, width_px = 0, height_px = 0;
  glfwGetWindowFrameSize(window, &left, &top, &right, &bottom);
  glfwGetWindowSize(window, &width_px, &height_px);
  glfwSetWindowSize(window, std::min(width_px, room_width_px - left - right),
                    std::min(height_px, room_height_px - top - bottom));
}

GlfwWindow& of(GLFWwindow* window) { return *static_cast<GlfwWindow*>(glfwGetWindowUserPointer(window)); }

GlfwWindow::~GlfwWindow() {
  stop_renderer();
  if (backend_started_) ImGui_ImplGlfw_Shutdown();
  if (window_ != nullptr) glfwDestroyWindow(window_);
  if (initialised_) {
    glfw_running = false;
    glfwTerminate();
  }
}

Status GlfwWindow::start(const WindowOptions& options, bool visible) {
  glfwSetErrorCallback([](int, const char* what) { last_glfw_error() = what; });
  if (glfwInit() == 0) {
    return Error{"window: no display (" + last_glfw_error() +
                 "): start it on a desktop, or set DISPLAY; without one, `runahead run` and `runahead "
                 "screenshot` work"};
  }
  initialised_ = true;
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "runahead");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "runahead");
  window_ = glfwCreateWindow(options.width_px, options.height_px, options.title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    return Error{"window: no OpenGL 3.3 here (" + last_glfw_error() +
                 "): install a graphics driver, or Mesa's software one (libgl1-mesa-dri)"};
  }
  glfwSetWindowSizeLimits(window_, 800, 480, GLFW_DONT_CARE, GLFW_DONT_CARE);
  if (options.fit_to_screen) fit_to_screen(window_);
  glfwSetWindowUserPointer(window_, this);
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
  install_callbacks();
  backend_started_ = ImGui_ImplGlfw_InitForOpenGL(window_, !kOwnQueue);
  if (!backend_started_ || !start_renderer()) return Error{"window: OpenGL 3.3 could not be set up"};
  glfw_running = true;
  return Ok{};
}

void GlfwWindow::install_callbacks() {
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { of(w).must_render(); });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { of(w).must_render(); });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int inside) {
    if (inside == 0) of(w).push(CursorEvent{-1e6, -1e6});
  });
  glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
    if (key >= 0) of(w).push(KeyEvent{key, scancode, action, mods});
  });
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned int c) { of(w).push(CharEvent{c}); });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int) {
    if (button >= 0 && button < 5) of(w).push(ButtonEvent{button, action == GLFW_PRESS});
  });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) { of(w).push(CursorEvent{x, y}); });
  glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
    of(w).dropped_.insert(of(w).dropped_.end(), paths, paths + count);
    of(w).something_happened_ = true;
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* w, double x, double y) { of(w).push(WheelEvent{x, y}); });
}

bool GlfwWindow::wait_for_events(double timeout_s) {
  something_happened_ = false;
  if (timeout_s > 0) {
    glfwWaitEventsTimeout(timeout_s);
  } else {
    glfwPollEvents();
  }
  return something_happened_ || close_requested();
}

float GlfwWindow::content_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::max(x, y);
}

WindowOptions GlfwWindow::size() const {
  WindowOptions now;
  glfwGetFramebufferSize(window_, &now.width_px, &now.height_px);
  return now;
}

void GlfwWindow::apply(const InputEvent& event) {
  ImGuiIO& io = ImGui::GetIO();
  if (const KeyEvent* key = std::get_if<KeyEvent>(&event)) {
    ImGui_ImplGlfw_KeyCallback(window_, key->key, key->scancode, key->action, key->mods);
  } else if (const CharEvent* text = std::get_if<CharEvent>(&event)) {
    io.AddInputCharacter(text->codepoint);
  } else if (const ButtonEvent* button = std::get_if<ButtonEvent>(&event)) {
    buttons_[button->button] = button->down;
  } else if (const CursorEvent* cursor = std::get_if<CursorEvent>(&event)) {
    cursor_x_ = cursor->x_px;
    cursor_y_ = cursor->y_px;
  } else if (const WheelEvent* wheel = std::get_if<WheelEvent>(&event)) {
    io.MouseWheel += static_cast<float>(wheel->y);
    io.MouseWheelH += static_cast<float>(wheel->x);
  }
}

// Dear ImGui 1.87 and later has no use for this: its own queue passes the events.
InputQueue::Keys GlfwWindow::keys_now() {
  if (ImGui::GetIO().WantTextInput) {
    frames_held_ = 0;
    return InputQueue::Keys::kText;
  }
  if (frames_held_ == 0) return InputQueue::Keys::kShortcuts;
  --frames_held_;
  return InputQueue::Keys::kHeld;
}

void GlfwWindow::feed_input() {
  ImGui_ImplGlfw_NewFrame();
#if IMGUI_VERSION_NUM < 18700
  for (const InputEvent& event : input_.take_frame(keys_now())) apply(event);
  ImGuiIO& io = ImGui::GetIO();
  // Uses the modifier keys that were down when the frame's events happened. The GLFW backend of ImGui would
  // read which keys are down now. After a quick Ctrl+S, Ctrl may already be released.
  const auto down = [&io](int left, int right) { return io.KeysDown[left] || io.KeysDown[right]; };
  io.KeyCtrl = down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
  io.KeyShift = down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
  io.KeyAlt = down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
  io.KeySuper = down(GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER);
  // Uses the position that the mouse had when the frame's events happened, so that a click applies to the
  // item that was clicked. The GLFW backend of ImGui has already set io.MousePos to the mouse's present
  // position, so this code overwrites io.MousePos.
  const bool outside = cursor_x_ < -1e5;
  io.MousePos = outside ? ImVec2(-FLT_MAX, -FLT_MAX)
                        : ImVec2(static_cast<float>(cursor_x_), static_cast<float>(cursor_y_));
  for (int i = 0; i < 5; ++i) io.MouseDown[i] = buttons_[i];
#endif
}

}  // namespace

Result<std::unique_ptr<Window>> open_glfw_window(const WindowOptions& options, bool visible) {
  auto window = std::make_unique<GlfwWindow>();
  const Status started = window->start(options, visible);
  if (!started.ok()) return started.error();
  return std::unique_ptr<Window>(std::move(window));
}

void wake_glfw() {
  if (glfw_running) glfwPostEmptyEvent();
}

}  // namespace runahead::gui
