// The logic of the file dialog: folders, names, extensions. No ImGui.
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
  bool marked = false;  // one of several traces to open on one timeline
};

// A program that records now, with the file that it writes.
struct RunningProgram {
  std::string number, command;  // the process number
  std::filesystem::path recording;
};

// State of the dialog while it is open. The app opens and closes it.
struct FileDialog {
  FilePurpose purpose{};
  std::filesystem::path folder;
  std::string name;                      // the text field: a name in the folder, or a path
  std::vector<FolderEntry> entries;      // the content of the folder
  std::vector<RunningProgram> programs;  // for opening a file; the app finds them
  std::string problem;             // one line, if the folder cannot be read or the file cannot be written
  int chosen = -1;                 // index into entries; moved by the arrow keys
  bool fresh = true;               // the dialog was just opened: its text field takes the keyboard focus
  PageChoice page;                 // for exporting a page
  bool confirm_overwrite = false;  // the user was asked whether to overwrite the file of the current name
};

// True if the window runs files of this name, instead of opening them.
[[nodiscard]] inline bool is_script(const std::filesystem::path& path) { return path.extension() == ".py"; }

// Creates a dialog for `purpose` that shows `folder`, with `name` proposed. Reads the folder.
[[nodiscard]] FileDialog open_file_dialog(FilePurpose purpose, const std::filesystem::path& folder,
                                          std::string name);
// Reads a folder. Lists first the folders, then the files, both sorted by name. For opening a file, only
// files that can be opened are listed; for other purposes, all files are listed. Hidden files are omitted.
void read_folder(FileDialog& dialog, const std::filesystem::path& folder);
// Handles Enter. If a folder is selected, shows that folder and returns nullopt. If a file is selected,
// returns its path. A file to write gets an extension if it has none; a picture must end in .png, a page in
// .html, a table in .csv or .tsv. Also returns nullopt if the name is empty, if the file to open does not
// exist, and if an existing file would be overwritten and the user has not been asked yet.
[[nodiscard]] std::optional<std::filesystem::path> accept(FileDialog& dialog);

// kOnly: this entry. kAdd: also this one, beside those chosen before. kToggle: the same, but an entry that
// was chosen is not any more. Folders, scripts and files for other purposes than opening are always chosen
// alone.
enum class Choosing : std::uint8_t { kOnly, kAdd, kToggle };
// The name of the chosen entry is in the text field.
void choose(FileDialog& dialog, int index, Choosing how = Choosing::kOnly);
// The marked files, if there are at least two; they are in the order of the list.
[[nodiscard]] std::vector<std::filesystem::path> marked_files(const FileDialog& dialog);

}  // namespace runahead::gui
