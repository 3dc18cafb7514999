// The options of `runahead gui` and `runahead screenshot`, and the window for other commands. The commands
// open the window through WindowEntry, so this code does not depend on the window's code.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "gui/cli/cli.h"
#include "gui/cli/outcome.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"

namespace runahead::gui {

// Error: this build has no window.
[[nodiscard]] Status check_window(const WindowEntry& window);
// Opens the window on a trace, and returns when the window closes. `duration`: the window closes after this
// time. `next_file` (may be empty) is asked in each frame; the window opens the file that it returns.
// REQUIRES: check_window() returned no error; the process has only one thread.
[[nodiscard]] Outcome open_window_on(const WindowEntry& window, const std::filesystem::path& file,
                                     std::optional<Duration> duration,
                                     std::function<std::optional<std::filesystem::path>()> next_file = {});

}  // namespace runahead::gui
