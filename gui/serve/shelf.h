// The traces that `runahead serve` shows: files, and files in folders. Each has a number, which never
// changes. Pages and recordings for the browser are made on demand into a folder of temporary files. Any
// thread may call these functions; one page is made at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/base/mutex.h"
#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"

namespace runahead::gui {

struct ShelfEntry {
  std::size_t number = 0;
  std::string name;
  std::uint64_t bytes = 0;
  bool live = false;  // a program is writing it
};

// The state of a file: `version` changes when the file does.
struct FileState {
  std::string version;
  bool live = false;
};

class Shelf {
 public:
  // Errors: a path that does not exist, a file that Runahead does not open. At most 10,000 files have a
  // number. `progress` is asked while a page is made; it may be called on any thread.
  [[nodiscard]] static Result<std::unique_ptr<Shelf>> open(const std::vector<std::filesystem::path>& paths,
                                                           recordings::Progress progress);
  ~Shelf();  // removes the temporary files
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;

  // Looks into the folders again: a file that was added since is in the list. Only files that lie directly in
  // a folder, whose name does not begin with a dot, and that Runahead opens are listed. Symbolic links in a
  // folder are not followed.
  [[nodiscard]] std::vector<ShelfEntry> list();
  // nullopt: no file has this number, it is gone, or something else has taken its place.
  [[nodiscard]] std::optional<FileState> state(std::size_t number);
  // The page of the trace as a file, open for reading. A page of a recording that is still being written asks
  // for the newer state (follow.js).
  [[nodiscard]] Result<OpenFile> page(std::size_t number);
  // The trace as a recording without compression, which viewer.wasm reads.
  [[nodiscard]] Result<OpenFile> recording(std::size_t number);

 private:
  struct Item {
    std::filesystem::path path;
    bool in_folder = false;
  };
  enum class Form { kPage, kRecording };

  Shelf(recordings::Progress progress, std::filesystem::path scratch)
      : progress_(std::move(progress)), scratch_(std::move(scratch)) {}
  Status add(const std::filesystem::path& path);
  void look_into(const std::filesystem::path& folder);
  void number_file(const std::filesystem::path& path, bool in_folder);
  [[nodiscard]] std::optional<Item> item(std::size_t number);
  [[nodiscard]] Result<OpenFile> made(std::size_t number, Form form);

  const recordings::Progress progress_;
  const std::filesystem::path scratch_;         // the folder of the temporary files
  std::vector<std::filesystem::path> folders_;  // constant after open()
  Mutex items_mutex_;
  std::vector<Item> items_ RUNAHEAD_GUARDED_BY(items_mutex_);  // by number
  Mutex making_;  // held while a file is made; never with the other
  std::map<std::filesystem::path, std::string> made_ RUNAHEAD_GUARDED_BY(making_);  // versions of the files
};

}  // namespace runahead::gui
