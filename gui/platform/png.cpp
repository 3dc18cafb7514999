#include "gui/platform/png.h"

#include <stb_image_write.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

namespace runahead::gui {

namespace {

void append_bytes(void* context, void* bytes, int size) {
  static_cast<std::string*>(context)->append(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

Error cannot_write(const std::filesystem::path& path, const std::string& why) {
  return Error{"picture '" + path.string() + "': cannot write: " + why + "; choose another place"};
}

}  // namespace

Status write_png(const Picture& picture, const std::filesystem::path& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return cannot_write(path, "it is a directory");
  std::string png;
  const int stride = picture.width_px * 4;
  if (stbi_write_png_to_func(append_bytes, &png, picture.width_px, picture.height_px, 4, picture.rgba.data(),
                             stride) == 0) {
    return cannot_write(path, "the picture could not be encoded");
  }
  const std::filesystem::path part = path.string() + ".part";
  errno = 0;
  std::ofstream file(part, std::ios::binary | std::ios::trunc);
  file.write(png.data(), static_cast<std::streamsize>(png.size()));
  file.close();
  if (!file) {
    const std::string why = errno != 0 ? std::strerror(errno) : "the disk refused";
    std::filesystem::remove(part, code);
    return cannot_write(path, why);
  }
  std::filesystem::rename(part, path, code);
  if (code) {
    const std::string why = code.message();
    std::filesystem::remove(part, code);
    return cannot_write(path, why);
  }
  return Ok{};
}

}  // namespace runahead::gui
