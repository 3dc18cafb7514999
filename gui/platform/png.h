// Pictures of the window.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::gui {

struct Picture {
  int width_px = 0, height_px = 0;
  std::vector<std::uint8_t> rgba;  // rows from the top, 4 bytes a pixel
};

// Writes a PNG by write_file(): it replaces an older PNG, and nothing else.
[[nodiscard]] Status write_png(const Picture& picture, const std::filesystem::path& path);

}  // namespace runahead::gui
