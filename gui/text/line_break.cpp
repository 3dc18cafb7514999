#include "gui/text/line_break.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

#include "gui/text/utf8.h"

namespace runahead::gui {

namespace {

// These characters are from JIS X 4051 and GB/T 15834: closing signs, ends of sentences, and signs that
// lengthen the sound before them.
constexpr std::u32string_view kNeverFirst =
    U"、。，．：；？！）］｝〕〉》」』】〙〗〟’”»％‰°℃"
    U"ー々〻ヽヾゝゞぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ・…‥—～"
    U",.:;?!)]}%";
constexpr std::u32string_view kNeverLast = U"（［｛〔〈《「『【〘〖〝‘“«([{￥＄";

bool holds(std::u32string_view all, char32_t one) { return all.find(one) != std::u32string_view::npos; }

// A number and its unit stay on one line.
constexpr std::array<std::string_view, 14> kUnits{"ns", "\u00b5s", "ms", "s",    "B",    "kB",   "MB",
                                                  "GB", "B/s",     "/s", "kB/s", "MB/s", "GB/s", "%"};
bool begins_with_unit(std::string_view words) {
  // The unit must end here: the next character is not part of a longer unit.
  const auto goes_on = [](unsigned char c) { return std::isalpha(c) != 0 || c == '/' || c == '%'; };
  return std::ranges::any_of(kUnits, [&](std::string_view unit) {
    return words.starts_with(unit) &&
           (words.size() == unit.size() || !goes_on(static_cast<unsigned char>(words[unit.size()])));
  });
}

// A line may begin with an operator, but not end with one: "t" and "+ 1", not "t +" and "1".
constexpr std::u32string_view kOperators = U"+=/<>\u00d7";

// The line that is being filled.
struct Line {
  std::size_t begin = 0;               // index in the paragraph
  std::size_t end = 0, next = 0;       // the last possible break: where this line ends and the next begins
  float width_px = 0, to_next_px = 0;  // width of the line so far, and of its part before `next`
};

class Breaker {
 public:
  Breaker(std::string_view words, float width_px, const std::function<float(char32_t)>& advance_px)
      : words_(words), width_px_(width_px), advance_px_(advance_px) {}

  std::string run() {
    char32_t before = 0, before_that = 0;
    for (std::size_t at = 0; at < words_.size();) {
      const std::size_t here = at;
      const char32_t character = next_character(words_, at);
      if (character == '\n') {
        finish(here, at, 0);
        before = before_that = 0;
        continue;
      }
      if (character != ' ') take(here, before, character);
      line_.width_px += advance_px_(character);
      if (before != ' ' && character == ' ') {
        space_ = here;
        after_digit_ = before >= '0' && before <= '9';
        after_operator_ = before_that == ' ' && holds(kOperators, before);
      }
      before_that = before;
      before = character;
    }
    out_ += words_.substr(line_.begin);
    return out_;
  }

 private:
  // Takes a character that is not a space. Stores a possible break before the character, and ends the line if
  // the line is full.
  void take(std::size_t here, char32_t before, char32_t character) {
    if (here > line_.begin && before != 0) {
      if (before == ' ') {
        const bool unit = after_digit_ && begins_with_unit(words_.substr(here));
        if (!unit && !after_operator_) note(space_, here);
      } else if (may_break(before, character)) {
        note(here, here);
      }
    }
    if (here == line_.begin || line_.width_px + advance_px_(character) <= width_px_) return;
    if (line_.next > line_.begin) {
      finish(line_.end, line_.next, line_.width_px - line_.to_next_px);
    }
    // The line is still too wide: it is a single word.
    if (here > line_.begin && line_.width_px + advance_px_(character) > width_px_) finish(here, here, 0);
  }

  void note(std::size_t end, std::size_t next) {
    if (end <= line_.begin) return;  // skip spaces at the start of a line
    line_.end = end;
    line_.next = next;
    line_.to_next_px = line_.width_px;
  }

  void finish(std::size_t end, std::size_t next, float rest_px) {
    out_ += words_.substr(line_.begin, end - line_.begin);
    out_ += '\n';
    line_ = {.begin = next, .width_px = rest_px};
  }

  const std::string_view words_;
  const float width_px_;
  const std::function<float(char32_t)>& advance_px_;
  Line line_;
  std::size_t space_ = 0;        // start of the last run of spaces
  bool after_digit_ = false;     // the last spaces follow a digit
  bool after_operator_ = false;  // the last spaces follow an operator that is a word
  std::string out_;
};

}  // namespace

bool is_wide(char32_t c) {
  return (c >= 0x1100 && c < 0x1200) || (c >= 0x2E80 && c < 0xD7FC) || (c >= 0xF900 && c < 0xFB00) ||
         (c >= 0xFE30 && c < 0xFE50) || (c >= 0xFF00 && c < 0xFF61) || (c >= 0xFFE0 && c < 0xFFE7) ||
         (c >= 0x20000 && c < 0x40000);
}

bool has_wide(std::string_view utf8) {
  for (std::size_t at = 0; at < utf8.size();) {
    if (is_wide(next_character(utf8, at))) return true;
  }
  return false;
}

bool may_break(char32_t before, char32_t after) {
  if (before == ' ' || after == ' ') return true;
  if (!is_wide(before) && !is_wide(after)) return false;
  return !holds(kNeverFirst, after) && !holds(kNeverLast, before);
}

std::string broken_into_lines(std::string_view paragraph, float width_px,
                              const std::function<float(char32_t)>& advance_px) {
  return Breaker(paragraph, width_px, advance_px).run();
}

}  // namespace runahead::gui
