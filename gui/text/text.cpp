#include "gui/text/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gui/text/language_table.h"

namespace runahead::gui {

namespace {

// Returns the number of the mark at `at`: 3 for "{3}"; nullopt: there is no mark.
std::optional<std::size_t> mark_at(std::string_view words, std::size_t at) {
  if (words.size() < at + 3 || words[at] != '{' || words[at + 2] != '}') return std::nullopt;
  if (words[at + 1] < '0' || words[at + 1] > '9') return std::nullopt;
  return static_cast<std::size_t>(words[at + 1] - '0');
}

template <typename Values>
std::string fill(std::string_view words, const Values& values) {
  std::string out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::optional<std::size_t> mark = mark_at(words, at);
    if (mark && *mark < values.size()) {
      out += *(values.begin() + static_cast<std::ptrdiff_t>(*mark));
      at += 2;
    } else {
      out += words[at];
    }
  }
  return out;
}

// A sentence split at its marks. Example: "{0} on {1}" has the parts "", " on ", "".
struct Pattern {
  std::vector<std::string_view> parts;
  std::string_view words;
};

std::optional<Pattern> pattern_of(const SentenceEntry& entry) {
  const std::string_view english = entry.english;
  Pattern pattern{{}, entry.words};
  std::size_t begin = 0;
  for (std::size_t at = 0; at < english.size(); ++at) {
    if (!mark_at(english, at)) continue;
    pattern.parts.push_back(english.substr(begin, at - begin));
    begin = at + 3;
  }
  if (pattern.parts.empty()) return std::nullopt;
  pattern.parts.push_back(english.substr(begin));
  return pattern;
}

// Matches `english` with the pattern. Returns the parts that are at the pattern's marks; nullopt: no match.
std::optional<std::vector<std::string_view>> match(const Pattern& pattern, std::string_view english) {
  if (!english.starts_with(pattern.parts.front()) || !english.ends_with(pattern.parts.back())) return {};
  std::vector<std::string_view> values;
  std::size_t at = pattern.parts.front().size();
  for (std::size_t i = 1; i < pattern.parts.size(); ++i) {
    const bool last = i + 1 == pattern.parts.size();
    const std::size_t end =
        last ? english.size() - pattern.parts[i].size() : english.find(pattern.parts[i], at);
    if (end == std::string_view::npos || end < at) return {};
    values.push_back(english.substr(at, end - at));
    at = end + pattern.parts[i].size();
  }
  return values;
}

struct Index {
  explicit Index(const LanguageTable& table) {
    for (const TextEntry& entry : table.texts) texts[static_cast<std::size_t>(entry.which)] = entry.words;
    for (const SentenceEntry& entry : table.sentences) {
      if (std::optional<Pattern> pattern = pattern_of(entry)) {
        patterns.push_back(*std::move(pattern));
      } else {
        sentences.emplace(entry.english, entry.words);
      }
    }
  }

  std::array<const char*, kTextCount> texts{};
  std::unordered_map<std::string_view, std::string_view> sentences;
  std::vector<Pattern> patterns;
};

const Index& index_of(Language language) {
  static const Index kEnglish(english_table());
  if (language == Language::kEnglish) return kEnglish;
  static const Index kChinese(chinese_table()), kJapanese(japanese_table());
  return language == Language::kChinese ? kChinese : kJapanese;
}

}  // namespace

const LanguageTable& table_of(Language language) {
  switch (language) {
    case Language::kChinese:
      return chinese_table();
    case Language::kJapanese:
      return japanese_table();
    case Language::kEnglish:
      break;
  }
  return english_table();
}

const char* text(Text which, Language language) {
  const auto number = static_cast<std::size_t>(which);
  const char* const words = index_of(language).texts[number];
  return words != nullptr ? words : index_of(Language::kEnglish).texts[number];
}

const char* text(Text which) { return text(which, language()); }

std::string filled(Text which, std::initializer_list<std::string_view> values) {
  return fill(text(which), values);
}

std::string translated(std::string_view english) {
  const Index& index = index_of(language());
  const auto found = index.sentences.find(english);
  if (found != index.sentences.end()) return std::string(found->second);
  for (const Pattern& pattern : index.patterns) {
    if (const auto values = match(pattern, english)) return fill(pattern.words, *values);
  }
  return std::string(english);
}

std::string translated_list(std::string_view english) {
  constexpr std::string_view kComma = ", ";
  std::string out;
  for (std::size_t begin = 0; begin <= english.size();) {
    const std::size_t end = std::min(english.find(kComma, begin), english.size());
    if (begin > 0) out += kComma;
    out += translated(english.substr(begin, end - begin));
    begin = end + kComma.size();
  }
  return out;
}

}  // namespace runahead::gui
