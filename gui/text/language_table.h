// The content of a language's file: the window's strings by their names, and translations of sentences from
// lower layers. The compiler checks the order and the names of the strings. A test checks that no string is
// missing, and names a missing string.
#pragma once

#include <cstddef>
#include <span>

#include "gui/text/language.h"
#include "gui/text/text.h"

namespace runahead::gui {

struct TextEntry {
  Text which{};
  const char* words = nullptr;
};

// A sentence with {0}, {1} ... is a pattern: it matches all sentences that differ only at these marks. The
// parts at the marks are copied.
struct SentenceEntry {
  const char* english = nullptr;
  const char* words = nullptr;
};

struct LanguageTable {
  std::span<const TextEntry> texts;  // in the order of enum Text; some may be missing
  std::span<const SentenceEntry> sentences;
};

// True if no string appears twice and the strings are in the order of the enum.
[[nodiscard]] constexpr bool each_once(std::span<const TextEntry> texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].words == nullptr || texts[i].which >= Text::kLastText) return false;
    if (i > 0 && texts[i].which <= texts[i - 1].which) return false;
  }
  return true;
}
// True if the table has all strings, in order. English must have all strings, because the other languages
// fall back on English.
[[nodiscard]] constexpr bool in_order(std::span<const TextEntry> texts) {
  return texts.size() == kTextCount && each_once(texts);
}

[[nodiscard]] const LanguageTable& english_table();
[[nodiscard]] const LanguageTable& chinese_table();
[[nodiscard]] const LanguageTable& japanese_table();
[[nodiscard]] const LanguageTable& table_of(Language language);

}  // namespace runahead::gui
