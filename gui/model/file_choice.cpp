#include "gui/model/file_choice.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "gui/text/text.h"

namespace runahead::gui {

namespace fs = std::filesystem;

namespace {

bool ends_like_a_trace(const std::string& name) {
  constexpr std::array<std::string_view, 13> kEnds{
      ".runahead", ".json",      ".json.gz", ".pftrace", ".pftrace.gz", ".zip",  ".perfetto-trace",
      ".sqlite",   ".sqlite.gz", ".rpd",     ".rpd.gz",  ".db",         ".db.gz"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

bool opens(FilePurpose purpose) { return purpose == FilePurpose::kOpen || purpose == FilePurpose::kCompare; }

std::optional<FolderEntry> entry_of(const fs::directory_entry& file, FilePurpose purpose) {
  std::error_code code;
  FolderEntry entry{file.path().filename().string(), file.is_directory(code), 0};
  if (entry.name.starts_with('.')) return std::nullopt;
  if (!entry.folder) {
    const bool runs = purpose == FilePurpose::kOpen && is_script(file.path());
    if (opens(purpose) && !runs && !ends_like_a_trace(entry.name)) return std::nullopt;
    entry.size_bytes = file.file_size(code);
    if (code) entry.size_bytes = 0;
  }
  return entry;
}

fs::path with_ending(fs::path path, FilePurpose purpose) {
  if (purpose == FilePurpose::kPicture) {
    if (path.extension() != ".png") path += ".png";
  } else if (purpose == FilePurpose::kPage) {
    if (path.extension() != ".html") path += ".html";
  } else if (purpose == FilePurpose::kTable) {
    if (path.extension() != ".csv" && path.extension() != ".tsv") path += ".csv";
  } else if (!opens(purpose) && path.extension().empty()) {
    path += ".runahead";
  }
  return path;
}

}  // namespace

void read_folder(FileDialog& dialog, const fs::path& folder) {
  std::error_code code;
  const fs::path real = fs::weakly_canonical(folder, code);
  const fs::path target = code ? folder : real;
  fs::directory_iterator files(target, code);
  if (code) {
    dialog.problem = filled(Text::kFolderUnreadable, {target.string(), code.message()});
    return;
  }
  dialog.folder = target;
  dialog.problem.clear();
  dialog.entries.clear();
  dialog.chosen = -1;
  for (const fs::directory_iterator end; !code && files != end; files.increment(code)) {
    if (std::optional<FolderEntry> entry = entry_of(*files, dialog.purpose))
      dialog.entries.push_back(std::move(*entry));
  }
  std::ranges::sort(dialog.entries, [](const FolderEntry& a, const FolderEntry& b) {
    return a.folder != b.folder ? a.folder : a.name < b.name;
  });
}

FileDialog open_file_dialog(FilePurpose purpose, const fs::path& folder, std::string name) {
  FileDialog dialog;
  dialog.purpose = purpose;
  dialog.name = std::move(name);
  read_folder(dialog, folder);
  if (!dialog.problem.empty()) {
    std::error_code code;
    read_folder(dialog, fs::current_path(code));
  }
  return dialog;
}

void choose(FileDialog& dialog, int index, Choosing how) {
  FolderEntry& entry = dialog.entries[static_cast<std::size_t>(index)];
  const bool can_join = dialog.purpose == FilePurpose::kOpen && !entry.folder && !is_script(entry.name);
  if (!can_join || how == Choosing::kOnly) {
    for (FolderEntry& other : dialog.entries) other.marked = false;
  }
  entry.marked = can_join && (how != Choosing::kToggle || !entry.marked);
  dialog.chosen = index;
  dialog.confirm_overwrite = false;
  const auto marked = std::ranges::find_if(dialog.entries, &FolderEntry::marked);
  dialog.name = entry.marked || marked == dialog.entries.end() ? entry.name : marked->name;
}

std::vector<fs::path> marked_files(const FileDialog& dialog) {
  std::vector<fs::path> files;
  for (const FolderEntry& entry : dialog.entries) {
    if (entry.marked) files.push_back(dialog.folder / entry.name);
  }
  return files.size() > 1 ? files : std::vector<fs::path>{};
}

std::optional<fs::path> accept(FileDialog& dialog) {
  if (dialog.name.empty()) return std::nullopt;
  fs::path path = dialog.name;
  if (dialog.name.starts_with("~/")) {
    const char* home = std::getenv("HOME");
    if (home != nullptr) path = fs::path(home) / dialog.name.substr(2);
  }
  if (path.is_relative()) path = dialog.folder / path;
  std::error_code code;
  if (fs::is_directory(path, code)) {
    dialog.name.clear();
    read_folder(dialog, path);
    return std::nullopt;
  }
  path = with_ending(std::move(path), dialog.purpose);
  const bool exists = fs::exists(path, code);
  if (opens(dialog.purpose) && !exists) {
    dialog.problem = filled(Text::kFileNotThere, {path.string()});
    return std::nullopt;
  }
  if (!opens(dialog.purpose) && exists && !dialog.confirm_overwrite) {
    dialog.confirm_overwrite = true;
    dialog.problem = filled(Text::kFileIsThere, {path.filename().string()});
    return std::nullopt;
  }
  return path;
}

}  // namespace runahead::gui
