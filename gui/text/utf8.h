// UTF-8, a character at a time.
#pragma once

#include <cstddef>
#include <string_view>

namespace runahead::gui {

inline constexpr char32_t kNotUtf8 = 0xFFFD;

// The character at `at`, which moves behind it. What is not UTF-8 counts as one kNotUtf8 a byte.
// REQUIRES: at < utf8.size().
[[nodiscard]] char32_t next_character(std::string_view utf8, std::size_t& at);

// All bytes are ASCII: a glance is enough.
[[nodiscard]] bool is_ascii(std::string_view utf8);

}  // namespace runahead::gui
