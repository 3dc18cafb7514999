// The answers of `runahead serve` that are short texts: the list of traces, the state of a trace, errors.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "gui/serve/shelf.h"
#include "gui/text/language.h"

namespace runahead::gui {

[[nodiscard]] std::string list_page(const ShelfList& list, Language language);
[[nodiscard]] std::string state_json(const FileState& state);
// A page that says what is wrong. `again`: the browser asks again after a second.
[[nodiscard]] std::string error_page(std::string_view message, bool again);

// What the browser may load for an answer.
enum class Policy { kNothing, kPage };
[[nodiscard]] std::string_view content_policy(Policy policy);

}  // namespace runahead::gui
