// What a language's file holds: one entry a text, with the text's own name, so that order and number are
// checked when compiling.
#pragma once

#include <array>
#include <cstddef>

#include "gui/text/text.h"

namespace runahead::gui {

struct TextEntry {
  Text which{};
  const char* words = nullptr;
};
using TextTable = std::array<TextEntry, kTextCount>;

// Every text is there, in its place.
[[nodiscard]] constexpr bool in_order(const TextTable& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].which != static_cast<Text>(i) || table[i].words == nullptr) return false;
  }
  return true;
}

[[nodiscard]] const char* english_text(Text which);

}  // namespace runahead::gui
