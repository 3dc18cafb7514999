// Window: a place to draw. It is a window on a desktop (GLFW), or an off-screen surface (EGL) if there is no
// display. A Window owns the ImGui context that draws in it. The main thread calls all functions except
// wake().
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gui/platform/fonts.h"
#include "gui/platform/frame_changes.h"
#include "gui/platform/png.h"
#include "instrumentation/base/result.h"

struct ImGuiContext;

namespace runahead::gui {

struct WindowOptions {
  std::string title = "Runahead";
  int width_px = 1280, height_px = 720;
  bool fit_to_screen = false;  // true: a window larger than the screen is made smaller
};

struct Color {
  float r = 0, g = 0, b = 0;
};

class Window {
 public:
  // Opens a visible window. Error: no display, or no OpenGL 3.3. The message says what failed, why, and what
  // the user can do.
  [[nodiscard]] static Result<std::unique_ptr<Window>> open(const WindowOptions& options);
  // Opens an invisible surface. Uses EGL, which needs no display. If EGL fails, opens a hidden window.
  [[nodiscard]] static Result<std::unique_ptr<Window>> open_off_screen(const WindowOptions& options);
  virtual ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Makes wait_for_events return. May be called on any thread. Does nothing if there is no window.
  static void wake();

  // Waits for input, wake() or the timeout. A timeout of 0 only polls. Returns true if there was user input.
  virtual bool wait_for_events(double timeout_s) = 0;
  // True if input is left for the next frame.
  [[nodiscard]] virtual bool input_waiting() const { return false; }
  // Call it in a frame in which a shortcut opens a text field. The field gets the keyboard two or three
  // frames later. Until then, keys wait, so that the first letters of a quick user are not taken for
  // shortcuts.
  virtual void hold_keys() {}
  [[nodiscard]] virtual bool close_requested() const { return false; }
  // Returns the files that were dropped on the window since the last call, in the order in which they were
  // dropped.
  [[nodiscard]] virtual std::vector<std::filesystem::path> take_dropped() { return {}; }
  virtual void set_title(const std::string& title) { (void)title; }
  // Returns the scale that the desktop requests (above 1 on a high-density screen); 1 off screen.
  [[nodiscard]] virtual float content_scale() const { return 1.0f; }
  // Returns the size of the drawing area in pixels.
  [[nodiscard]] virtual WindowOptions size() const = 0;

  // Rasterises the faces and uploads them to the graphics card. Call only between frames.
  [[nodiscard]] const Fonts& load_fonts(const FontNeeds& needs);

  // True if Mesa's software renderer draws. Frames then use CPU time that the observed program could use.
  [[nodiscard]] bool draws_in_software() const { return software_; }

  // The calls of one frame are, in this order: begin_frame, drawing with ImGui, end_frame, picture() if a
  // picture is needed, present. end_frame renders; with the software renderer it returns when the picture is
  // complete. A frame that is the same as the frame before is not rendered and not presented, because the
  // window shows it already. The software renderer draws only what has changed. for_picture: the frame is
  // rendered in any case.
  void begin_frame();
  void end_frame(Color background, bool for_picture = false);
  [[nodiscard]] Picture picture() const;  // REQUIRES: end_frame(..., true)
  void present() {
    if (rendered_) show();
  }
  // The next frame is drawn whole, whatever has changed. For example, the window may have lost what it
  // showed.
  void draw_all_next() { changes_.forget(); }
  // False: the last frame was the same as the one before.
  [[nodiscard]] bool rendered() const { return rendered_; }

 protected:
  Window();
  // Call when the OpenGL context is current. Returns false if OpenGL 3.3 could not be set up.
  [[nodiscard]] bool start_renderer();
  void stop_renderer();
  virtual void feed_input() = 0;  // passes sizes, time, mouse and keys to ImGui's io
  virtual void show() = 0;        // shows what was rendered

 private:
  class KeptPicture;

  FrameChanges changes_;
  std::unique_ptr<KeptPicture> kept_;  // only with the software renderer
  bool rendered_ = false;
  ImGuiContext* context_ = nullptr;
  Fonts fonts_;
  bool renderer_started_ = false;
  bool software_ = false;
};

// These functions open the two kinds of window, for open() and open_off_screen().
[[nodiscard]] Result<std::unique_ptr<Window>> open_glfw_window(const WindowOptions& options, bool visible);
[[nodiscard]] Result<std::unique_ptr<Window>> open_egl_window(const WindowOptions& options);
void wake_glfw();

}  // namespace runahead::gui
