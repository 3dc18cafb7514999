// Pictures of the window, and how to write them as PNG files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::gui {

struct Picture {
  int width_px = 0, height_px = 0;
  std::vector<std::uint8_t> rgba;  // rows from the top, 4 bytes for each pixel
};

// Writes a PNG with write_file(), which replaces an existing PNG but no other kind of file.
[[nodiscard]] Status write_png(const Picture& picture, const std::filesystem::path& path);

}  // namespace runahead::gui
