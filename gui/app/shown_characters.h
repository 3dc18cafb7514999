// The characters that the window must be able to draw: the characters of its language, of the names in the
// shown trace, and of other strings on the screen. These characters determine which glyphs are rasterised.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "gui/platform/fonts.h"
#include "gui/text/language.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// All calls are made on one thread.
class ShownCharacters {
 public:
  using Clock = std::chrono::steady_clock;

  // Reads the names that earlier calls have not read. Reads at most kNamesAFrame names in each call, because
  // a trace may have a million names. `others`: other strings on the screen.
  void look_at(const trace::Trace& trace, std::span<const std::string_view> others);
  // True if there are names that have not been read.
  [[nodiscard]] bool more_to_see() const { return more_; }

  // If the fonts must be built again now, returns what the fonts must contain; nullptr: the fonts need not be
  // built now. If the scale, the language or the presentation mode has changed, the fonts must be built
  // immediately. For new characters in the data, the fonts are built at most once per kPeriod, because
  // rasterising takes longer than a frame.
  [[nodiscard]] const FontNeeds* due(float scale, bool presentation, Language language,
                                     Clock::time_point now);
  // True if there are new characters for which the fonts have not been built yet.
  [[nodiscard]] bool waits() const { return waits_; }

  static constexpr std::size_t kNamesAFrame = 4096;
  // The maximum number of characters from the data, in addition to the characters of the language. At the
  // largest scale, the glyphs of so many characters still fit into one texture.
  static constexpr std::size_t kMostCharacters = 3000;
  static constexpr std::chrono::milliseconds kPeriod{500};

 private:
  void add(std::string_view words);
  [[nodiscard]] Region region_of(Language language) const;

  CharacterSet data_;
  std::size_t data_count_ = 0;
  bool kana_ = false, hangul_ = false;
  std::uint64_t trace_ = 0, strings_seen_ = 0;
  std::size_t tracks_seen_ = 0;
  bool more_ = false, waits_ = false;

  FontNeeds built_{};
  std::size_t built_count_ = 0;
  Language built_language_{};
  bool any_built_ = false;
  Clock::time_point built_at_{};
};

}  // namespace runahead::gui
