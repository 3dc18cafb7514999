// Shows a page in the user's browser, by xdg-open.
#pragma once

#include <filesystem>

#include "instrumentation/base/result.h"

namespace runahead::gui {

// True if xdg-open is in PATH.
[[nodiscard]] bool can_show_pages();
// Starts xdg-open with the page, and does not wait for the browser. Error: no shell could be started.
[[nodiscard]] Status show_page(const std::filesystem::path& page);

}  // namespace runahead::gui
