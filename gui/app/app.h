// The entry points of the window, called by the command line. State, commands, main loop, panels and drawing
// are internal. This header includes neither ImGui nor GLFW. The functions exist only in a build with the
// window (CMake: RUNAHEAD_HAVE_WINDOW). Call them from the main thread.
#pragma once

#include <filesystem>
#include <optional>

#include "gui/core/options.h"
#include "gui/text/language.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"

namespace runahead::gui {

// Opens the window. When the window closes, returns the exit code. Error: no display (the message says what
// to do), a file that cannot be opened, or a run that cannot start. With `screenshot` and no display, the
// frames are drawn off screen.
[[nodiscard]] Result<int> run_gui(const GuiOptions& options);

// Draws one picture of a trace off screen, as the window shows it. With EGL this needs no display. Without
// EGL a hidden window is used, which needs a display.
struct ScreenshotOptions {
  std::filesystem::path file, png;
  WindowSize size{1920, 1080};
  std::optional<TimeRange> range;
  float scale = 1.0f;
  bool light = false;
  std::optional<Language> language;  // nullopt: the environment's language
};
[[nodiscard]] Status render_screenshot(const ScreenshotOptions& options);

}  // namespace runahead::gui
