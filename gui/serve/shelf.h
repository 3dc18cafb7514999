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
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/serve/block_stream.h"
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

// Files of a folder beyond these limits are left out.
inline constexpr std::size_t kMostFiles = 10'000, kMostLookedAt = 100'000;
inline constexpr std::size_t kMostDepth = 4;  // folders below a given folder

struct ShelfList {
  std::vector<ShelfEntry> entries;
  bool more_files = false;         // files are left out: there are too many
  std::size_t deeper_folders = 0;  // folders that were left out: they are too deep
};

// What a browser lacks of the blocks of a recording that is being written (block_stream.h).
struct Growth {
  OpenFile file;
  std::uint64_t from = 0;  // the first byte that it lacks; 0: it has nothing of this stream
  std::uint64_t stream = 0;
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

  // Looks into the folders again: a file that was added since is in the list. Files in a folder and in the
  // folders below it are listed, if their names and those of their folders do not begin with a dot, and if
  // Runahead opens them. Symbolic links in a folder are not followed.
  [[nodiscard]] ShelfList list();
  // nullopt: no file has this number, it is gone, or something else has taken its place.
  [[nodiscard]] std::optional<FileState> state(std::size_t number);
  // The page of the trace as a file, open for reading. A page of a recording that is still being written asks
  // for the newer state (follow.js).
  [[nodiscard]] Result<OpenFile> page(std::size_t number);
  // The trace as a recording without compression, which viewer.wasm reads.
  [[nodiscard]] Result<OpenFile> recording(std::size_t number);
  // What was added to a recording since the browser asked last. It has the first `from` bytes of `stream`; 0:
  // it has none.
  [[nodiscard]] Result<Growth> growth(std::size_t number, std::uint64_t stream, std::uint64_t from);

 private:
  struct Item {
    std::filesystem::path path;
    std::filesystem::path folder;  // the given folder that it is in; empty: the file was given
    std::string name;              // as listed: with its path below the folder
  };
  enum class Form { kPage, kRecording };

  Shelf(recordings::Progress progress, std::filesystem::path scratch)
      : progress_(std::move(progress)), scratch_(std::move(scratch)) {}
  Status add(const std::filesystem::path& path);
  void look_into(const std::filesystem::path& folder, ShelfList& left_out);
  // False: no more files get a number.
  [[nodiscard]] bool number_file(const std::filesystem::path& path, const std::filesystem::path& folder);
  [[nodiscard]] std::string listed_name(const std::filesystem::path& path,
                                        const std::filesystem::path& folder) const;
  [[nodiscard]] std::optional<Item> item(std::size_t number);
  [[nodiscard]] Result<OpenFile> made(std::size_t number, Form form);
  [[nodiscard]] Status make(std::size_t number, Form form, const Item& item, const FileState& state,
                            const std::filesystem::path& path) RUNAHEAD_REQUIRES(making_);
  [[nodiscard]] Result<BlockStream*> grown(std::size_t number, const Item& item) RUNAHEAD_REQUIRES(making_);

  const recordings::Progress progress_;
  const std::filesystem::path scratch_;         // the folder of the temporary files
  std::vector<std::filesystem::path> folders_;  // constant after open()
  Mutex items_mutex_;
  std::vector<Item> items_ RUNAHEAD_GUARDED_BY(items_mutex_);                // by number
  std::set<std::filesystem::path> known_ RUNAHEAD_GUARDED_BY(items_mutex_);  // the paths of items_
  // Files of folders that Runahead does not open, with their versions: they are not opened for each list.
  std::map<std::filesystem::path, std::string> refused_ RUNAHEAD_GUARDED_BY(items_mutex_);
  Mutex making_;  // held while a file is made; never with the other
  std::map<std::filesystem::path, std::string> made_ RUNAHEAD_GUARDED_BY(making_);  // versions of the files
  std::map<std::size_t, std::unique_ptr<BlockStream>> streams_ RUNAHEAD_GUARDED_BY(making_);
};

}  // namespace runahead::gui
