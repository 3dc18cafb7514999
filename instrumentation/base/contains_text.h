// Text search that ignores the case of ASCII letters.
#pragma once

#include <algorithm>
#include <string_view>

namespace runahead {

[[nodiscard]] inline bool contains_ignoring_case(std::string_view text, std::string_view word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

}  // namespace runahead
