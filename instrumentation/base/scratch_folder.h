// A folder for files that nobody asked to keep.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"

namespace runahead {

// Makes a new folder in TMPDIR or /tmp. Only this user can open it. `name`: the beginning of its name.
[[nodiscard]] inline Result<std::filesystem::path> make_scratch_folder(const std::string& name) {
  std::error_code none;
  std::string path = (std::filesystem::temp_directory_path(none) / (name + "-XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr)
    return Error{"'" + path + "': cannot be made, set TMPDIR to a place for it: " + system_error_text(errno)};
  return std::filesystem::path(path);
}

// The destructor removes the folder with all its files, because other processes of a program may have written
// files beside the recording.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name) : folder_(make_scratch_folder(name)) {}
  ~ScratchFolder() {
    std::error_code none;
    if (folder_) std::filesystem::remove_all(*folder_, none);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  // The folder, or why it could not be made.
  [[nodiscard]] const Result<std::filesystem::path>& folder() const { return folder_; }

 private:
  const Result<std::filesystem::path> folder_;
};

}  // namespace runahead
