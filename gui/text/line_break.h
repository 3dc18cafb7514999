// Where a paragraph may be broken into lines: at spaces, and between the characters of Chinese and Japanese,
// but never so that a line begins with what closes or ends with what opens.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace runahead::gui {

// Chinese and Japanese characters, their punctuation and full-width forms: those that stand in a square.
[[nodiscard]] bool is_wide(char32_t character);
// At least one of them.
[[nodiscard]] bool has_wide(std::string_view utf8);

// A line may end between `before` and `after`, both of which stay.
[[nodiscard]] bool may_break(char32_t before, char32_t after);

// `paragraph` with a line feed wherever a line would be wider than `width_px`; spaces at such a place go.
// What has no place to break (a long name) is broken anywhere, and no line is empty but for one that was.
// `advance_px` is a character's width. O(characters).
[[nodiscard]] std::string broken_into_lines(std::string_view paragraph, float width_px,
                                            const std::function<float(char32_t)>& advance_px);

}  // namespace runahead::gui
