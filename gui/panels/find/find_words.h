// What is typed to find slices (analysis/slice_search.h), written by the window. Pure.
#pragma once

#include <string>
#include <string_view>

#include "instrumentation/base/time.h"

namespace runahead::gui {

// Words for the slices of that name alone.
[[nodiscard]] std::string words_for_name(std::string_view name);
// The same words, with a bound of what they took put in place of those there are.
[[nodiscard]] std::string words_with_durations(std::string_view words, Duration least, Duration most);

}  // namespace runahead::gui
