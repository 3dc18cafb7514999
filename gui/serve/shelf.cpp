#include "gui/serve/shelf.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "gui/web/page.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/recording/trace_saver.h"

namespace runahead::gui {
namespace {

namespace fs = std::filesystem;

// True if no folder between the given folder and the file is a symbolic link, or something else.
bool lies_below(const fs::path& path, const fs::path& folder) {
  for (fs::path at = path.parent_path(); at != folder; at = at.parent_path()) {
    struct stat found {};
    if (::lstat(at.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return false;
    if (at == at.parent_path()) return false;
  }
  return true;
}

// `folder`: see Item.
std::optional<FileState> state_of(const fs::path& path, const fs::path& folder) {
  const bool in_folder = !folder.empty();
  if (in_folder && !lies_below(path, folder)) return std::nullopt;
  struct stat found {};
  const int failed = in_folder ? ::lstat(path.c_str(), &found) : ::stat(path.c_str(), &found);
  if (failed != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return FileState{std::to_string(found.st_ino) + "-" + std::to_string(found.st_size) + "-" +
                       std::to_string(found.st_mtim.tv_sec) + "." + std::to_string(found.st_mtim.tv_nsec),
                   link::is_being_written(path)};
}

// The trace without compression; viewer.cpp reads its blocks.
Status write_plain(const trace::Trace& trace, const fs::path& path, const recordings::Progress& progress) {
  Result<TemporaryFile> file = TemporaryFile::create(Destination::kRecording, path);
  if (!file) return file.error();
  const recordings::SavedForm form{.opening = false, .compression = false};
  if (Status saved = recordings::save_into(*file, path, trace, progress, form); !saved) return saved;
  return file->commit();
}

}  // namespace

Result<std::unique_ptr<Shelf>> Shelf::open(const std::vector<fs::path>& paths,
                                           recordings::Progress progress) {
  std::error_code failed;
  const fs::path place = fs::temp_directory_path(failed);
  std::string scratch = ((failed ? fs::path("/tmp") : place) / "runahead-serve-XXXXXX").string();
  if (::mkdtemp(scratch.data()) == nullptr)
    return file_error("folder for pages", scratch, system_error_text(errno));
  std::unique_ptr<Shelf> shelf(new Shelf(std::move(progress), scratch));
  for (const fs::path& path : paths) {
    if (const Status added = shelf->add(path); !added) return added.error();
  }
  return shelf;
}

Shelf::~Shelf() {
  std::error_code ignored;
  fs::remove_all(scratch_, ignored);
}

Status Shelf::add(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::canonical(path, failed);
  if (failed) return file_error("trace", path, failed.message());
  if (fs::is_directory(whole, failed)) {
    folders_.push_back(whole);
    ShelfList ignored;
    look_into(whole, ignored);
    return Ok{};
  }
  // A recording that a program has just begun may be empty.
  const Status openable = importers::check_openable(whole);
  if (!openable && !link::is_being_written(whole)) return openable;
  static_cast<void>(number_file(whole, {}));
  return Ok{};
}

void Shelf::look_into(const fs::path& folder, ShelfList& left_out) {
  struct Place {
    fs::path path;
    std::size_t depth = 0;
  };
  std::vector<Place> places{{folder}};
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place place = places[i];
    std::vector<fs::path> files, folders;
    std::error_code failed;
    for (fs::directory_iterator at(place.path, failed), end; !failed && at != end; at.increment(failed)) {
      if (++looked_at > kMostLookedAt) {
        left_out.more_files = true;
        break;
      }
      std::error_code ignored;
      const fs::file_type type = at->symlink_status(ignored).type();
      if (at->path().filename().string().starts_with('.')) continue;
      if (type == fs::file_type::regular) files.push_back(at->path());
      if (type == fs::file_type::directory) folders.push_back(at->path());
    }
    std::ranges::sort(files);
    std::ranges::sort(folders);
    for (const fs::path& file : files)
      if (!number_file(file, folder)) left_out.more_files = true;
    if (place.depth == kMostDepth) {
      left_out.deeper_folders += folders.size();
    } else {
      for (fs::path& below : folders) places.push_back({std::move(below), place.depth + 1});
    }
  }
}

std::string Shelf::listed_name(const fs::path& path, const fs::path& folder) const {
  if (folder.empty()) return path.filename().string();
  const fs::path below = path.lexically_relative(folder);
  return (folders_.size() > 1 ? folder.filename() / below : below).string();
}

bool Shelf::number_file(const fs::path& path, const fs::path& folder) {
  const std::optional<FileState> state = state_of(path, folder);
  {
    const MutexLock lock(items_mutex_);
    if (known_.contains(path)) return true;
    if (items_.size() >= kMostFiles) return false;
    const auto refused = refused_.find(path);
    if (state && refused != refused_.end() && refused->second == state->version) return true;
  }
  const bool openable = folder.empty() || importers::check_openable(path);
  const MutexLock lock(items_mutex_);
  if (!openable) {
    if (state) refused_[path] = state->version;
    return true;
  }
  if (items_.size() >= kMostFiles) return false;
  if (known_.insert(path).second) items_.push_back({path, folder, {}});
  return true;
}

ShelfList Shelf::list() {
  ShelfList list;
  for (const fs::path& folder : folders_) look_into(folder, list);
  std::vector<Item> items;
  {
    const MutexLock lock(items_mutex_);
    items = items_;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::optional<FileState> state = state_of(items[i].path, items[i].folder);
    if (!state) continue;
    std::error_code failed;
    const auto bytes = fs::file_size(items[i].path, failed);
    list.entries.push_back({i, listed_name(items[i].path, items[i].folder), failed ? 0 : bytes, state->live});
  }
  return list;
}

std::optional<Shelf::Item> Shelf::item(std::size_t number) {
  const MutexLock lock(items_mutex_);
  return number < items_.size() ? std::optional(items_[number]) : std::nullopt;
}

std::optional<FileState> Shelf::state(std::size_t number) {
  const std::optional<Item> found = item(number);
  return found ? state_of(found->path, found->folder) : std::nullopt;
}

Result<OpenFile> Shelf::made(std::size_t number, Form form) {
  const std::optional<Item> found = item(number);
  // The state is read before the file: the file then has at least what the version says.
  const std::optional<FileState> state = found ? state_of(found->path, found->folder) : std::nullopt;
  if (!state) return Error{"the trace is no longer there"};
  const std::string version = state->version + (state->live ? " live" : "");
  const fs::path path = scratch_ / (std::to_string(number) + (form == Form::kPage ? ".html" : ".runahead"));
  const MutexLock lock(making_);
  if (made_[path] != version) {
    if (const Status status = make(number, form, *found, *state, path); !status) return status.error();
    made_[path] = version;
  }
  return open_regular_file("page", path);
}

Status Shelf::make(std::size_t number, Form form, const Item& item, const FileState& state,
                   const fs::path& path) {
  const Result<trace::Trace> trace = importers::load_checked(item.path, progress_);
  if (!trace) return trace.error();
  if (form == Form::kRecording) return write_plain(*trace, path, progress_);
  PageOptions options{.title = item.path.stem().string()};
  if (state.live) {
    options.followed = FollowedRecording{.version = state.version};
    // Without a stream, the page asks for the whole recording each time.
    if (const Result<BlockStream*> stream = grown(number, item)) {
      options.followed->blocks = (*stream)->path();
      options.followed->stream = (*stream)->number();
    }
  }
  const Result<WrittenPage> written = write_page(*trace, path, options, progress_);
  return written ? Status(Ok{}) : Status(written.error());
}

Result<BlockStream*> Shelf::grown(std::size_t number, const Item& item) {
  std::unique_ptr<BlockStream>& stream = streams_[number];
  if (!stream)
    stream = std::make_unique<BlockStream>(item.path, scratch_ / (std::to_string(number) + ".blocks"));
  if (const Status grew = stream->grow(); !grew) return grew.error();
  return stream.get();
}

Result<Growth> Shelf::growth(std::size_t number, std::uint64_t stream, std::uint64_t from) {
  const std::optional<Item> found = item(number);
  if (!found || !state_of(found->path, found->folder)) return Error{"the trace is no longer there"};
  const MutexLock lock(making_);
  const Result<BlockStream*> now = grown(number, *found);
  if (!now) return now.error();
  Result<OpenFile> file = open_regular_file("page", (*now)->path());
  if (!file) return file.error();
  const bool goes_on = stream == (*now)->number() && from <= file->size;
  return Growth{std::move(*file), goes_on ? from : 0, (*now)->number()};
}

Result<OpenFile> Shelf::page(std::size_t number) { return made(number, Form::kPage); }
Result<OpenFile> Shelf::recording(std::size_t number) { return made(number, Form::kRecording); }

}  // namespace runahead::gui
