#include "instrumentation/base/module_file.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

namespace runahead {
namespace {

namespace fs = std::filesystem;

// Adds both folders in which a module of this program may be: a build puts modules next to the program, an
// installation puts them in a folder of its own in the library folder.
void add_program_folder(const fs::path& folder, std::vector<fs::path>& folders) {
  folders.push_back(folder);
  folders.push_back(folder.parent_path() / RUNAHEAD_LIBRARY_FOLDER / "runahead");
}

// The same for code in a library: a module of an installation is next to it, or in the folder beside it.
void add_library_folder(const fs::path& folder, std::vector<fs::path>& folders) {
  folders.push_back(folder);
  folders.push_back(folder / "runahead");
}

std::vector<fs::path> module_folders(std::string_view build_folder) {
  std::vector<fs::path> folders;
  if (const char* said = std::getenv("RUNAHEAD_MODULE_DIR"); said != nullptr && *said != '\0')
    folders.emplace_back(said);
  std::error_code error;
  if (const auto program = fs::read_symlink("/proc/self/exe", error); !error)
    add_program_folder(program.parent_path(), folders);
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&module_folders), &here) != 0 && here.dli_fname != nullptr)
    add_library_folder(fs::path(here.dli_fname).parent_path(), folders);
  // A package has no build folder. An empty name would be the working directory.
  if (!build_folder.empty()) folders.emplace_back(build_folder);
  return folders;
}

}  // namespace

std::optional<fs::path> find_beside_program(std::string_view file, std::string_view build_folder) {
  for (const fs::path& folder : module_folders(build_folder)) {
    std::error_code error;
    fs::path found = folder / file;
    if (fs::exists(found, error)) return found;
  }
  return std::nullopt;
}

std::optional<fs::path> find_python_package() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return std::nullopt;
  for (const fs::path& folder : {program / "python", program / ".." / RUNAHEAD_PYTHON_DIR}) {
    if (fs::exists(folder / "runahead" / "__main__.py", error)) return folder.lexically_normal();
  }
  return std::nullopt;
}

Result<void*> open_module(const fs::path& file, const char* symbol, const std::string& what_to_do) {
  void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* const why = ::dlerror();
    return Error{std::string(why != nullptr ? why : file.c_str()) + " (" + what_to_do + ")"};
  }
  void* const found = ::dlsym(module, symbol);
  if (found == nullptr) return Error{file.string() + " is no such module of this program; build it again"};
  return found;
}

}  // namespace runahead
