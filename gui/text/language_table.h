// What a language's file holds: its texts by their names, and its words for the sentences of lower layers.
// That order and names are right is checked when compiling; that none is missing, by a test which names it.
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

// A sentence with {0}, {1} ... is a pattern: it stands for all that only differ there, and these parts are
// kept.
struct SentenceEntry {
  const char* english = nullptr;
  const char* words = nullptr;
};

struct LanguageTable {
  std::span<const TextEntry> texts;  // in the order of enum Text; some may be missing
  std::span<const SentenceEntry> sentences;
};

// Each text once, in the order of the enum.
[[nodiscard]] constexpr bool each_once(std::span<const TextEntry> texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].words == nullptr || texts[i].which >= Text::kLastText) return false;
    if (i > 0 && texts[i].which <= texts[i - 1].which) return false;
  }
  return true;
}
// ... and all of them: what English must be, as the others fall back on it.
[[nodiscard]] constexpr bool in_order(std::span<const TextEntry> texts) {
  return texts.size() == kTextCount && each_once(texts);
}

[[nodiscard]] const LanguageTable& english_table();
[[nodiscard]] const LanguageTable& chinese_table();
[[nodiscard]] const LanguageTable& japanese_table();
[[nodiscard]] const LanguageTable& table_of(Language language);

}  // namespace runahead::gui
