#include "gui/app/shown_characters.h"

#include <algorithm>

#include "gui/answers/strip_figures.h"
#include "gui/text/utf8.h"

namespace runahead::gui {

void ShownCharacters::add(std::string_view words) {
  if (is_ascii(words)) return;
  for (std::size_t at = 0; at < words.size();) {
    const char32_t character = next_character(words, at);
    if (data_count_ >= kMostCharacters || !data_.add(character)) continue;
    ++data_count_;
    kana_ = kana_ || (character >= 0x3040 && character < 0x3100);
    hangul_ = hangul_ || (character >= 0xAC00 && character < 0xD7A4);
  }
}

void ShownCharacters::look_at(const trace::Trace& trace, std::span<const std::string_view> others) {
  for (const std::string_view words : others) add(words);
  if (trace.identity() != trace_) {
    trace_ = trace.identity();
    strings_seen_ = tracks_seen_ = 0;
  }
  const std::uint64_t end = std::min<std::uint64_t>(trace.string_count(), strings_seen_ + kNamesAFrame);
  for (; strings_seen_ < end; ++strings_seen_) add(trace.string(static_cast<StringId>(strings_seen_)));
  for (; tracks_seen_ < trace.tracks().size(); ++tracks_seen_) {
    const trace::TrackInfo& info = trace.tracks()[tracks_seen_].info;
    add(info.name);
    add(info.device);
  }
  more_ = strings_seen_ < trace.string_count();
}

// The region decides which regional variant of a CJK (Chinese, Japanese, Korean) character is drawn. If the
// window's language does not decide the region, the characters in the data decide it: kana mean Japan, and
// hangul means Korea.
Region ShownCharacters::region_of(Language language) const {
  if (language == Language::kJapanese) return Region::kJapan;
  if (language == Language::kChinese) return Region::kChina;
  if (kana_) return Region::kJapan;
  return hangul_ ? Region::kKorea : Region::kChina;
}

const FontNeeds* ShownCharacters::due(float scale, bool presentation, Language language,
                                      Clock::time_point now) {
  const bool at_once = !any_built_ || built_.scale != scale || built_.presentation != presentation ||
                       built_language_ != language;
  const bool more = data_count_ != built_count_;
  waits_ = more && !at_once && now - built_at_ < kPeriod;
  if ((!at_once && !more) || waits_) return nullptr;
  built_.scale = scale;
  built_.presentation = presentation;
  built_.region = region_of(language);
  built_.characters = data_;
  for (const char32_t character : characters_of(language)) built_.characters.add(character);
  built_.headline.clear();
  for (const Text words : kAnswerTexts) built_.headline.add(text(words));
  built_language_ = language;
  built_count_ = data_count_;
  built_at_ = now;
  any_built_ = true;
  return &built_;
}

}  // namespace runahead::gui
