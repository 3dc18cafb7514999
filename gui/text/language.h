// The languages of the window, and which one it speaks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runahead::gui {

enum class Language : std::uint8_t { kEnglish, kChinese, kJapanese };
inline constexpr std::array kLanguages{Language::kEnglish, Language::kChinese, Language::kJapanese};

// "en", "zh", "ja": as settings and command line have it.
[[nodiscard]] const char* language_code(Language language);
[[nodiscard]] std::optional<Language> language_of_code(std::string_view code);
// By its own name, and by its English one.
[[nodiscard]] const char* language_name(Language language);
[[nodiscard]] const char* english_language_name(Language language);

// "ja_JP.UTF-8" -> Japanese; "zh_TW" too is Chinese, of which we have the simplified. Of any other: English.
[[nodiscard]] Language language_of_locale(std::string_view locale);
// As the environment says: the first of LC_ALL, LC_MESSAGES and LANG that is not empty.
[[nodiscard]] Language language_of_environment();

// The language of the window: one for the process, as there is one window and each of its words asks for it.
// Set between frames by the window's thread; any thread may read.
[[nodiscard]] Language language();
void set_language(Language language);

// Every character of its texts and sentences beyond ASCII, sorted, each once: what a font must have.
[[nodiscard]] std::u32string characters_of(Language language);

}  // namespace runahead::gui
