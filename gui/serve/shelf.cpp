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

constexpr std::size_t kMostFiles = 10'000;

std::optional<FileState> state_of(const fs::path& path, bool in_folder) {
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
    look_into(whole);
    return Ok{};
  }
  // A recording that a program has just begun may be empty.
  const Status openable = importers::check_openable(whole);
  if (!openable && !link::is_being_written(whole)) return openable;
  number_file(whole, false);
  return Ok{};
}

void Shelf::look_into(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end && found.size() < kMostFiles;
       at.increment(failed)) {
    std::error_code ignored;
    const bool regular = at->symlink_status(ignored).type() == fs::file_type::regular;
    if (regular && !at->path().filename().string().starts_with('.')) found.push_back(at->path());
  }
  std::ranges::sort(found);
  for (const fs::path& path : found) number_file(path, true);
}

void Shelf::number_file(const fs::path& path, bool in_folder) {
  const auto known = [&]() RUNAHEAD_REQUIRES(items_mutex_) {
    return items_.size() >= kMostFiles || std::ranges::find(items_, path, &Item::path) != items_.end();
  };
  {
    const MutexLock lock(items_mutex_);
    if (known()) return;
  }
  if (in_folder && !importers::check_openable(path)) return;
  const MutexLock lock(items_mutex_);
  if (!known()) items_.push_back({path, in_folder});
}

std::vector<ShelfEntry> Shelf::list() {
  for (const fs::path& folder : folders_) look_into(folder);
  std::vector<Item> items;
  {
    const MutexLock lock(items_mutex_);
    items = items_;
  }
  std::vector<ShelfEntry> entries;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::optional<FileState> state = state_of(items[i].path, items[i].in_folder);
    if (!state) continue;
    std::error_code failed;
    const auto bytes = fs::file_size(items[i].path, failed);
    entries.push_back({i, items[i].path.filename().string(), failed ? 0 : bytes, state->live});
  }
  return entries;
}

std::optional<Shelf::Item> Shelf::item(std::size_t number) {
  const MutexLock lock(items_mutex_);
  return number < items_.size() ? std::optional(items_[number]) : std::nullopt;
}

std::optional<FileState> Shelf::state(std::size_t number) {
  const std::optional<Item> found = item(number);
  return found ? state_of(found->path, found->in_folder) : std::nullopt;
}

Result<OpenFile> Shelf::made(std::size_t number, Form form) {
  const std::optional<Item> found = item(number);
  // The state is read before the file: the file then has at least what the version says.
  const std::optional<FileState> state = found ? state_of(found->path, found->in_folder) : std::nullopt;
  if (!state) return Error{"the trace is no longer there"};
  const std::string version = state->version + (state->live ? " live" : "");
  const fs::path path = scratch_ / (std::to_string(number) + (form == Form::kPage ? ".html" : ".runahead"));
  const MutexLock lock(making_);
  if (made_[path] != version) {
    const Result<trace::Trace> trace = importers::load_checked(found->path, progress_);
    if (!trace) return trace.error();
    const PageOptions options{.title = found->path.stem().string(),
                              .followed_version = state->live ? state->version : ""};
    const Status written = form == Form::kPage ? write_page(*trace, path, options, progress_)
                                               : write_plain(*trace, path, progress_);
    if (!written) return written.error();
    made_[path] = version;
  }
  return open_regular_file("page", path);
}

Result<OpenFile> Shelf::page(std::size_t number) { return made(number, Form::kPage); }
Result<OpenFile> Shelf::recording(std::size_t number) { return made(number, Form::kRecording); }

}  // namespace runahead::gui
