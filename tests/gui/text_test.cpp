#include "gui/text/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gui/text/language_table.h"
#include "gui/text/utf8.h"
#include "tests/gui/shown_sentences.h"

namespace runahead::gui {
namespace {

constexpr Language kOthers[]{Language::kChinese, Language::kJapanese};

std::string file_of(Language language) {
  std::string name = english_language_name(language);
  name.front() = static_cast<char>(name.front() - 'A' + 'a');
  return "gui/text/" + name + ".cpp";
}

// While this object exists, the window has the given language.
class Speaking {
 public:
  explicit Speaking(Language language) { set_language(language); }
  ~Speaking() { set_language(Language::kEnglish); }
  Speaking(const Speaking&) = delete;
  Speaking& operator=(const Speaking&) = delete;
};

// "{0} on {1}" -> {"{0}", "{1}"}: each placeholder is listed once, even if it occurs several times.
std::set<std::string> marks_in(const std::string& words) {
  std::set<std::string> marks;
  for (std::size_t at = words.find('{'); at != std::string::npos; at = words.find('{', at + 1)) {
    if (at + 2 < words.size() && words[at + 2] == '}') marks.insert(words.substr(at, 3));
  }
  return marks;
}

void expect_clean(const std::string& words) {
  ASSERT_FALSE(words.empty());
  EXPECT_NE(words.front(), ' ') << words;
  EXPECT_NE(words.back(), ' ') << words;
  for (std::size_t at = 0; at < words.size();) EXPECT_NE(next_character(words, at), kNotUtf8) << words;
}

TEST(Text, EveryTextIsThereAndHasNoSpaceAtItsEnds) {
  for (const Language language : kLanguages) {
    for (const TextEntry& entry : table_of(language).texts) expect_clean(entry.words);
    for (const SentenceEntry& entry : table_of(language).sentences) expect_clean(entry.words);
  }
}

TEST(Text, NoLanguageLacksAText) {
  const auto english = english_table().texts;
  for (const Language language : kOthers) {
    std::set<Text> there;
    for (const TextEntry& entry : table_of(language).texts) there.insert(entry.which);
    for (std::size_t i = 0; i < english.size(); ++i) {
      const char* const before = i > 0 ? english[i - 1].words : "(the first)";
      EXPECT_TRUE(there.contains(english[i].which))
          << file_of(language) << " has no text for \"" << english[i].words << "\" (number " << i
          << " of enum Text): add its line after that of \"" << before << '"';
    }
  }
}

TEST(Text, NoLanguageLacksASentenceOfTheLowerLayers) {
  for (const Language language : kOthers) {
    const Speaking speaking(language);
    std::set<std::string, std::less<>> there;
    for (const SentenceEntry& entry : table_of(language).sentences) there.insert(entry.english);
    for (const ShownSentence& sentence : shown_sentences()) {
      EXPECT_TRUE(there.contains(sentence.english))
          << file_of(language) << " has no sentence for \"" << sentence.english << "\" (" << sentence.from
          << "): add a line {\"" << sentence.english << "\", \"...\"} to kSentences";
    }
  }
}

TEST(Text, NoSentenceIsTranslatedTwiceOrForNothing) {
  std::set<std::string, std::less<>> shown;
  for (const ShownSentence& sentence : shown_sentences()) shown.insert(sentence.english);
  for (const Language language : kOthers) {
    std::set<std::string> seen;
    for (const SentenceEntry& entry : table_of(language).sentences) {
      EXPECT_TRUE(seen.insert(entry.english).second) << file_of(language) << " has twice: " << entry.english;
      EXPECT_TRUE(shown.contains(entry.english))
          << file_of(language) << ": the window no longer shows \"" << entry.english << "\": remove its line";
    }
  }
}

TEST(Text, MarksForValuesAreTheSameInAllLanguages) {
  for (const Language language : kOthers) {
    for (const TextEntry& entry : table_of(language).texts) {
      EXPECT_EQ(marks_in(entry.words), marks_in(text(entry.which, Language::kEnglish)))
          << file_of(language) << ": " << entry.words;
    }
    for (const SentenceEntry& entry : table_of(language).sentences)
      EXPECT_EQ(marks_in(entry.words), marks_in(entry.english)) << file_of(language) << ": " << entry.words;
  }
}

TEST(Text, IsInTheLanguageOfTheWindow) {
  EXPECT_STREQ(text(Text::kRun), "Run");
  const Speaking speaking(Language::kJapanese);
  EXPECT_STREQ(text(Text::kRun), "実行");
  EXPECT_STREQ(text(Text::kRun, Language::kChinese), "运行");
}

TEST(Text, AThreadCanWriteInAnotherLanguage) {
  const LanguageOfThread japanese(Language::kJapanese);
  EXPECT_STREQ(text(Text::kRun), "実行");
  {
    const LanguageOfThread chinese(Language::kChinese);
    EXPECT_STREQ(text(Text::kRun), "运行");
  }
  EXPECT_STREQ(text(Text::kRun), "実行");
  std::thread([] { EXPECT_STREQ(text(Text::kRun), "Run"); }).join();
}

TEST(Text, ValuesAreFilledInWhereTheLanguageWantsThem) {
  EXPECT_EQ(filled(Text::kQueryRows, {"12", "3.4"}), "12 rows in 3.4 ms");
  const Speaking speaking(Language::kJapanese);
  EXPECT_EQ(filled(Text::kHintBeforeAfter, {"a{1}", "b", "c"}), "a{1}：前 b、後 c")
      << "values are not patterns";
}

TEST(Text, ASentenceThatIsAPatternKeepsItsValues) {
  const std::string english = "the host's 8 hardware threads, 16.0 GB of memory";
  EXPECT_EQ(translated(english), english);
  const Speaking speaking(Language::kChinese);
  EXPECT_EQ(translated(english), "主机的 8 个硬件线程，16.0 GB 内存");
  EXPECT_EQ(translated("the host's rest"), "the host's rest") << "other text stays as it is";
  EXPECT_EQ(translated_list("virtual:0 (simulated), cpu, virtual:1 (simulated)"),
            "virtual:0 (模拟), cpu, virtual:1 (模拟)");
  EXPECT_EQ(translated_list(""), "");
}

TEST(Language, IsTheOneOfTheLocale) {
  EXPECT_EQ(language_of_locale("zh_CN.UTF-8"), Language::kChinese);
  EXPECT_EQ(language_of_locale("ja"), Language::kJapanese);
  EXPECT_EQ(language_of_locale("ja_JP@cjknarrow"), Language::kJapanese);
  for (const char* const other : {"en_GB.UTF-8", "C", "C.UTF-8", "POSIX", "", "de_DE", "jax_XX"})
    EXPECT_EQ(language_of_locale(other), Language::kEnglish) << other;
}

TEST(Language, OfTheEnvironmentIsThatOfTheStrongestVariable) {
  ::setenv("LANG", "zh_CN.UTF-8", 1);
  ::setenv("LC_MESSAGES", "", 1);
  ::unsetenv("LC_ALL");
  EXPECT_EQ(language_of_environment(), Language::kChinese);
  ::setenv("LC_MESSAGES", "ja_JP.UTF-8", 1);
  EXPECT_EQ(language_of_environment(), Language::kJapanese);
  ::setenv("LC_ALL", "C", 1);
  EXPECT_EQ(language_of_environment(), Language::kEnglish);
  ::unsetenv("LC_MESSAGES");
  ::unsetenv("LC_ALL");
  ::unsetenv("LANG");
}

TEST(Language, EnglishNeedsNoCharacterThatOnlyAnotherFaceHas) {
  for (const char32_t character : characters_of(Language::kEnglish)) EXPECT_LT(character, 0x2E80U);
  EXPECT_GT(characters_of(Language::kChinese).size(), 500U);
  EXPECT_NE(characters_of(Language::kChinese).find(U'語'), std::u32string::npos)
      << "the menu names Japanese too";
}

TEST(Utf8, WhatIsNoneCountsAByteAtATime) {
  const std::string_view words = "a\xE4\xB8\xAD\xFFz\xE4\xB8";
  std::vector<char32_t> all;
  for (std::size_t at = 0; at < words.size();) all.push_back(next_character(words, at));
  EXPECT_EQ(all, (std::vector<char32_t>{U'a', U'中', kNotUtf8, U'z', kNotUtf8, kNotUtf8}));
}

}  // namespace
}  // namespace runahead::gui
