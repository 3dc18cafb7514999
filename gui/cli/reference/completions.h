// Writes the completion of a command line for a shell: commands, options and values of options. Where a file
// may be given, the shell completes file names. After `--`, it completes another program's command line.
#pragma once

#include <string>

#include "gui/cli/reference/description.h"

namespace runahead::gui {

[[nodiscard]] std::string bash_completion(const ProgramDescription& program);
[[nodiscard]] std::string zsh_completion(const ProgramDescription& program);
[[nodiscard]] std::string fish_completion(const ProgramDescription& program);

}  // namespace runahead::gui
