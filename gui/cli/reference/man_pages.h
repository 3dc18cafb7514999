// Writes man pages in the macros of man(7). groff and mandoc accept them without a warning.
#pragma once

#include <string>

#include "gui/cli/reference/description.h"

namespace runahead::gui {

// The page runahead(1): the options, and a list of the commands. `date`: "2026-03-01".
[[nodiscard]] std::string man_page(const ProgramDescription& program, const std::string& date);
// The page of a command, such as runahead-run(1).
[[nodiscard]] std::string man_page(const ProgramDescription& program, const CommandDescription& command,
                                   const std::string& date);

}  // namespace runahead::gui
