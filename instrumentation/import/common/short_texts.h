// ShortTexts: a small cache that maps a short string to a value. Events repeat the same names, categories,
// keys and ids again and again. A lookup needs only a few comparisons, and reads only the text and the
// cache's own memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace runahead::importers {

// Direct-mapped: a string has only one possible place, and each place has the last string that was stored
// there. Size: the number of places, a power of two.
template <typename Value, std::size_t Size>
class ShortTexts {
 public:
  static constexpr std::size_t kMostBytes = 32;
  static_assert((Size & (Size - 1)) == 0);

  // The value that set_last() stored for this text; null if it is not (or no longer) cached. REQUIRES: the
  // text is not empty and not longer than kMostBytes.
  [[nodiscard]] const Value* find(std::string_view text) {
    last_ = words_of(text);
    const std::uint64_t mixed = (last_.first ^ last_.third * 31) * 0x9e3779b97f4a7c15u ^
                                (last_.second ^ last_.fourth * 31) * 0xc2b2ae3d27d4eb4fu;
    place_ = (mixed >> 40) + last_.size;
    const Entry& entry = entries_[place_ & (Size - 1)];
    return entry.words == last_ ? &entry.value : nullptr;
  }
  // Stores a value for the text of the last find().
  void set_last(const Value& value) { entries_[place_ & (Size - 1)] = {last_, value}; }

 private:
  // The bytes of a text as 64-bit words: two from its begin (first, third) and two from its end (fourth,
  // second). The words may overlap. Together, the words contain the whole text. So two texts are equal if
  // their words and sizes are equal.
  struct Words {
    std::uint64_t first = 0, second = 0, third = 0, fourth = 0, size = 0;
    friend bool operator==(const Words&, const Words&) = default;
  };
  struct Entry {
    Words words;
    Value value{};
  };

  template <typename Word>
  static std::uint64_t word_at(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
  }
  static Words words_of(std::string_view text) {
    const char *begin = text.data(), *end = begin + text.size();
    Words out{.size = text.size()};
    if (text.size() > 16) {
      out.third = word_at<std::uint64_t>(begin + 8);
      out.fourth = word_at<std::uint64_t>(end - 16);
    }
    if (text.size() >= 8) {
      out.first = word_at<std::uint64_t>(begin);
      out.second = word_at<std::uint64_t>(end - 8);
    } else if (text.size() >= 4) {
      out.first = word_at<std::uint32_t>(begin);
      out.second = word_at<std::uint32_t>(end - 4);
    } else {
      out.first = word_at<std::uint8_t>(begin) | word_at<std::uint8_t>(begin + text.size() / 2) << 8;
      out.second = word_at<std::uint8_t>(end - 1);
    }
    return out;
  }

  std::array<Entry, Size> entries_;
  Words last_;
  std::uint64_t place_ = 0;
};

}  // namespace runahead::importers
