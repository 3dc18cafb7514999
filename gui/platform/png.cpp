#include "gui/platform/png.h"

#include <stb_image_write.h>

#include <string>

#include "instrumentation/base/posix_file.h"

namespace runahead::gui {

namespace {

void append_bytes(void* context, void* bytes, int size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

}  // namespace

Status write_png(const Picture& picture, const std::filesystem::path& path) {
  std::string png;
  const int stride = picture.width_px * 4;
  if (stbi_write_png_to_func(append_bytes, &png, picture.width_px, picture.height_px, 4, picture.rgba.data(),
                             stride) == 0) {
    return file_error("picture", path, "cannot be encoded");
  }
  return write_file(Destination::kPicture, path, png);
}

}  // namespace runahead::gui
