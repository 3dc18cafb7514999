// The languages of the window, and the language in use.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runahead::gui {

enum class Language : std::uint8_t { kEnglish, kChinese, kJapanese };
inline constexpr std::array kLanguages{Language::kEnglish, Language::kChinese, Language::kJapanese};

// Returns "en", "zh" or "ja": the code used in settings and on the command line.
[[nodiscard]] const char* language_code(Language language);
[[nodiscard]] std::optional<Language> language_of_code(std::string_view code);
// These two functions return the language's name: in the language itself, and in English.
[[nodiscard]] const char* language_name(Language language);
[[nodiscard]] const char* english_language_name(Language language);

// Returns the language of a locale. "ja_JP.UTF-8" gives Japanese. "zh_TW" also gives Chinese, although only
// simplified Chinese is available. Other locales give English.
[[nodiscard]] Language language_of_locale(std::string_view locale);
// Reads the language from the first of LC_ALL, LC_MESSAGES and LANG that is not empty.
[[nodiscard]] Language language_of_environment();

// The language of the window. There is one language for the process, because the process has one window and
// every string needs the language. The window's thread sets it between frames; any thread may read it.
[[nodiscard]] Language language();
void set_language(Language language);

// While this object exists, language() returns `language` on its thread. Text for a file is written so in
// other languages than that of the window.
class LanguageOfThread {
 public:
  explicit LanguageOfThread(Language language);
  ~LanguageOfThread();
  LanguageOfThread(const LanguageOfThread&) = delete;
  LanguageOfThread& operator=(const LanguageOfThread&) = delete;

 private:
  std::optional<Language> before_;
};

// Returns every character beyond ASCII in the language's strings and sentences, sorted, without duplicates. A
// font must have these characters.
[[nodiscard]] std::u32string characters_of(Language language);

}  // namespace runahead::gui
