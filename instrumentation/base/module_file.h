// Modules: our shared libraries that are opened at run time. If a module, or a library that it needs, is
// missing, the program still starts and shows an error message. The Python package is found the same way.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"

namespace runahead {

// Finds a file that belongs to the program, such as a module. Tries these folders in this order: the folder
// in the environment variable RUNAHEAD_MODULE_DIR, the program's folder, the folder `runahead` in the library
// folder of its installation, the folder of the library that contains this code and the folder `runahead`
// there, `build_folder` (empty: none). nullopt: none of them has the file.
[[nodiscard]] std::optional<std::filesystem::path> find_beside_program(std::string_view file,
                                                                       std::string_view build_folder);

// Finds the folder that has our Python package `runahead`: next to the program in a build folder, or where it
// was installed. nullopt: the package was not built or not installed.
[[nodiscard]] std::optional<std::filesystem::path> find_python_package();

// Opens `file` and returns the address of `symbol` (dlsym). The file stays open. On failure, returns the
// linker's error, followed by `what_to_do`.
[[nodiscard]] Result<void*> open_module(const std::filesystem::path& file, const char* symbol,
                                        const std::string& what_to_do);

}  // namespace runahead
