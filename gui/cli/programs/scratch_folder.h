// A folder for files that nobody asked to keep.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"

namespace runahead::gui {

// Only this user can open the folder. The destructor removes it with all its files, because other processes
// of a program may have written files beside the recording.
class ScratchFolder {
 public:
  // `name`: the beginning of the folder's name.
  explicit ScratchFolder(const std::string& name) {
    std::error_code none;
    std::string path = (std::filesystem::temp_directory_path(none) / (name + "-XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr) {
      status_ =
          Error{"'" + path + "': cannot be made, set TMPDIR to a place for it: " + system_error_text(errno)};
    }
    path_ = path;
  }
  ~ScratchFolder() {
    std::error_code none;
    if (status_ && !path_.empty()) std::filesystem::remove_all(path_, none);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const Status& status() const { return status_; }  // whether the folder was made

 private:
  std::filesystem::path path_;
  Status status_ = Ok{};
};

}  // namespace runahead::gui
