// The reasoning behind the choice of a file: folders, names, endings. No ImGui.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/app_commands.h"

namespace runahead::gui {

struct FolderEntry {
  std::string name;
  bool folder = false;
  std::uintmax_t size_bytes = 0;
};

// What the dialog remembers while it is open. The app opens and closes it.
struct FileDialog {
  FilePurpose purpose{};
  std::filesystem::path folder;
  std::string name;                  // the field: a name in the folder, or a path
  std::vector<FolderEntry> entries;  // of the folder
  std::string problem;               // one line, when the folder cannot be read, or the file not written
  int chosen = -1;                   // of entries; moved by the arrow keys
  bool fresh = true;                 // just opened: the field takes the keyboard
  bool confirm_overwrite = false;    // asked once for the name that stands there
};

// A dialog for `purpose` on `folder`, with a name proposed. Reads the folder.
[[nodiscard]] FileDialog open_file_dialog(FilePurpose purpose, const std::filesystem::path& folder,
                                          std::string name);
// Reads a folder: folders first, then files that we can open (or all, for other purposes), by name; hidden
// ones left out.
void read_folder(FileDialog& dialog, const std::filesystem::path& folder);
// What Enter means: a folder is entered (nullopt); else the file that is chosen, with an ending where it has
// none; nullopt with a problem, or once when an existing file would be written over.
[[nodiscard]] std::optional<std::filesystem::path> accept(FileDialog& dialog);

}  // namespace runahead::gui
