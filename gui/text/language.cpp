#include "gui/text/language.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "gui/text/language_table.h"
#include "gui/text/utf8.h"

namespace runahead::gui {

namespace {

// Written by the window's thread between frames, read by any thread. Relaxed: no other data depends on it.
std::atomic<Language> spoken{Language::kEnglish};
// LanguageOfThread; nullopt: there is none on this thread.
thread_local std::optional<Language> of_thread;

struct Names {
  const char *code, *own, *english;
};

constexpr Names names_of(Language language) {
  switch (language) {
    case Language::kChinese:
      return {"zh", "简体中文", "Chinese"};
    case Language::kJapanese:
      return {"ja", "日本語", "Japanese"};
    case Language::kEnglish:
      break;
  }
  return {"en", "English", "English"};
}

}  // namespace

const char* language_code(Language language) { return names_of(language).code; }
const char* language_name(Language language) { return names_of(language).own; }
const char* english_language_name(Language language) { return names_of(language).english; }

std::optional<Language> language_of_code(std::string_view code) {
  for (const Language language : kLanguages) {
    if (code == language_code(language)) return language;
  }
  return std::nullopt;
}

Language language_of_locale(std::string_view locale) {
  return language_of_code(locale.substr(0, locale.find_first_of("_.@"))).value_or(Language::kEnglish);
}

Language language_of_environment() {
  for (const char* const name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return language_of_locale(value);
  }
  return Language::kEnglish;
}

Language language() { return of_thread ? *of_thread : spoken.load(std::memory_order_relaxed); }
void set_language(Language language) { spoken.store(language, std::memory_order_relaxed); }

LanguageOfThread::LanguageOfThread(Language language) : before_(of_thread) { of_thread = language; }
LanguageOfThread::~LanguageOfThread() { of_thread = before_; }

std::u32string characters_of(Language language) {
  std::u32string all;
  const auto add = [&all](std::string_view words) {
    for (std::size_t at = 0; at < words.size();) {
      const char32_t character = next_character(words, at);
      if (character >= 0x80) all += character;
    }
  };
  for (const TextEntry& entry : table_of(language).texts) add(entry.words);
  for (const SentenceEntry& entry : table_of(language).sentences) add(entry.words);
  for (const Language each : kLanguages) {
    if (language != Language::kEnglish) add(language_name(each));  // the menu shows all languages' names
  }
  std::ranges::sort(all);
  const auto rest = std::ranges::unique(all);
  all.erase(rest.begin(), rest.end());
  return all;
}

}  // namespace runahead::gui
