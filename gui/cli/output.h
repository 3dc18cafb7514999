// What commands write: all of stdout at once, when there is nothing left that can fail; tables; losses.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gui/cli/outcome.h"
#include "instrumentation/trace/loss.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// To stdout. A reader that has gone is no failure; a full disk is.
[[nodiscard]] Outcome write_stdout(std::string_view text);
[[nodiscard]] Outcome write_json(const nlohmann::ordered_json& object);
// One line to stderr, "runahead: " before it; line breaks in it become spaces.
void write_stderr_line(std::string_view text);

// Columns padded to their widest cell, two spaces between; the first column to the left, others to the right
// unless `left` names them. A first row of headings is the caller's.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows,
                                  const std::vector<bool>& left = {true});

// {"buffer_full": 3}: causes that counted something.
[[nodiscard]] nlohmann::ordered_json losses_json(const trace::LossCounts& losses);
// One line a cause: "lost: 3 buffer_full: sentence". Empty when nothing was.
[[nodiscard]] std::string losses_text(const trace::LossCounts& losses);
// For commands whose stdout has no room for it: says on stderr what a file lost, if facts are missing.
void warn_of_losses(std::string_view file, const trace::LossCounts& losses);

}  // namespace runahead::gui
