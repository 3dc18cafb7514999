// The languages of the window, and the current one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runahead::gui {

enum class Language : std::uint8_t { kEnglish, kChinese, kJapanese };
inline constexpr std::array kLanguages{Language::kEnglish, Language::kChinese, Language::kJapanese};

// "en", "zh", "ja": used in settings and on the command line.
[[nodiscard]] const char* language_code(Language language);
[[nodiscard]] std::optional<Language> language_of_code(std::string_view code);
// The name in the language itself, and in English.
[[nodiscard]] const char* language_name(Language language);
[[nodiscard]] const char* english_language_name(Language language);

// "ja_JP.UTF-8" gives Japanese. "zh_TW" gives Chinese too, although only simplified Chinese is available.
// Other locales give English.
[[nodiscard]] Language language_of_locale(std::string_view locale);
// Reads the language from the first of LC_ALL, LC_MESSAGES and LANG that is not empty.
[[nodiscard]] Language language_of_environment();

// The language of the window. The process has one language, since it has one window and every text needs the
// language. The window's thread sets it between frames; any thread may read it.
[[nodiscard]] Language language();
void set_language(Language language);

// Returns every character beyond ASCII in the language's texts and sentences, sorted, without duplicates: the
// characters that a font must have.
[[nodiscard]] std::u32string characters_of(Language language);

}  // namespace runahead::gui
