// The terminal that a command writes to: its width, whether it has colours, and text that fits it. A text for
// a file or a pipe has no limit of width and no colours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace runahead::gui {

// What a colour says. The window and the command line have no colour without a meaning.
enum class Tone { kPlain, kHeading, kWorse, kBetter, kNotice };

struct TextScreen {
  std::optional<std::size_t> columns;  // nullopt: no limit
  bool colours = false;
};
// The screen of stdout. If stdout is no terminal, it has neither a limit nor colours. `wide`: the user asked
// for all columns and complete names. Colours are off if NO_COLOR is set and not empty, or TERM is "dumb" or
// missing.
[[nodiscard]] TextScreen stdout_screen(bool wide);
// The width of the terminal at this file descriptor; nullopt: it is no terminal. A terminal that does not
// know its width counts as 80 columns wide; at least 20.
[[nodiscard]] std::optional<std::size_t> terminal_columns(int fd);
// True if the environment's TERM is missing or "dumb": such a terminal cannot move its cursor.
[[nodiscard]] bool dumb_terminal();

// Returns the number of terminal columns that `text` takes: 2 for wide characters of East Asia and emoji, 0
// for combining marks. REQUIRES: no control characters.
[[nodiscard]] std::size_t display_columns(std::string_view text);
// Returns visible_text() of `text`, shortened to `columns`. A longer text keeps its start and its end, with
// "..." between them, because names of C++ templates differ at both ends. REQUIRES: columns >= 8.
[[nodiscard]] std::string shortened_line(std::string_view text, std::size_t columns);

// Text for a screen, built part by part. Control characters of the parts are made visible, except line
// breaks; the colours are the only escape sequences.
class ScreenText {
 public:
  explicit ScreenText(const TextScreen& screen) : screen_(screen) {}

  void add(std::string_view text, Tone tone = Tone::kPlain);
  ScreenText& operator+=(std::string_view text) {
    add(text);
    return *this;
  }
  // Adds one paragraph and a line break. If the screen has a limit, the paragraph is broken at spaces into
  // lines that fit it; all lines but the first begin with `indent` spaces more than `text` has.
  void add_paragraph(std::string_view text, std::size_t indent = 0, Tone tone = Tone::kPlain);

  // Adds each line of `text` as a paragraph.
  void add_lines(std::string_view text, std::size_t indent = 0, Tone tone = Tone::kPlain);

  [[nodiscard]] const TextScreen& screen() const { return screen_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  const TextScreen screen_;
  std::string text_;
};

}  // namespace runahead::gui
