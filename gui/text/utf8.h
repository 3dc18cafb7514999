// Reads UTF-8 character by character.
#pragma once

#include <cstddef>
#include <string_view>

namespace runahead::gui {

inline constexpr char32_t kNotUtf8 = 0xFFFD;

// Returns the character at `at`, and moves `at` past the character. For each byte that is not UTF-8, returns
// kNotUtf8. REQUIRES: at < utf8.size().
[[nodiscard]] char32_t next_character(std::string_view utf8, std::size_t& at);

// True if all bytes are ASCII. This is cheaper than decoding.
[[nodiscard]] bool is_ascii(std::string_view utf8);

}  // namespace runahead::gui
