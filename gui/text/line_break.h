// Breaks a paragraph into lines: at spaces, and between Chinese and Japanese characters. No line begins with
// a closing sign or ends with an opening sign.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace runahead::gui {

// True for wide characters: Chinese and Japanese characters, their punctuation and full-width forms. Such a
// character fills a square.
[[nodiscard]] bool is_wide(char32_t character);
// True if the text has at least one wide character.
[[nodiscard]] bool has_wide(std::string_view utf8);

// True if a line may end between `before` and `after`; always true if one of them is a space.
[[nodiscard]] bool may_break(char32_t before, char32_t after);

// Returns `paragraph` with a line feed at each place where a line would otherwise be wider than `width_px`.
// Spaces at that place are removed. A long word without a place to break is broken at any character. No new
// empty lines are added. `advance_px` returns a character's width. O(characters).
[[nodiscard]] std::string broken_into_lines(std::string_view paragraph, float width_px,
                                            const std::function<float(char32_t)>& advance_px);

}  // namespace runahead::gui
