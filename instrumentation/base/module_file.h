// Modules: shared libraries of ours that are opened at run time, so that what they need and is missing is a
// reason and not a program that does not start.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"

namespace runahead {

// Where a file that belongs to the program lies, if it is there: in the folder that the environment names
// (RUNAHEAD_MODULE_DIR), beside the program or in the libraries' folder of its installation, beside the
// library that this code is in, in `build_folder`.
[[nodiscard]] std::optional<std::filesystem::path> find_beside_program(std::string_view file,
                                                                       std::string_view build_folder);

// dlsym() of `symbol` in `file`, which stays open. The error is the linker's, with what to do at its end.
[[nodiscard]] Result<void*> open_module(const std::filesystem::path& file, const char* symbol,
                                        const std::string& what_to_do);

}  // namespace runahead
