// The window's way in: what the program's command line calls. Everything behind it (state, commands, main
// loop, panels, drawing) is this layer's own matter. No ImGui or GLFW in this header. Built only where the
// window is (CMake: RUNAHEAD_HAVE_WINDOW); call from the main thread.
#pragma once

#include <filesystem>
#include <optional>

#include "gui/core/options.h"
#include "gui/text/language.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"

namespace runahead::gui {

// Opens the window and returns when it closes: the exit code. Error: no display (with what to do), a file
// that does not open, a run that does not start. With `screenshot` and no display it draws off screen.
[[nodiscard]] Result<int> run_gui(const GuiOptions& options);

// Draws one picture of a trace, as the window shows it, off screen. Needs no display where EGL is there, else
// a hidden window.
struct ScreenshotOptions {
  std::filesystem::path file, png;
  WindowSize size{1920, 1080};
  std::optional<TimeRange> range;
  float scale = 1.0f;
  bool light = false;
  std::optional<Language> language;  // as the environment says without it
};
[[nodiscard]] Status render_screenshot(const ScreenshotOptions& options);

}  // namespace runahead::gui
