#include "gui/cli/terminal/screen_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "gui/text/line_break.h"
#include "gui/text/utf8.h"
#include "instrumentation/base/visible_text.h"

namespace runahead::gui {
namespace {

constexpr std::size_t kUnknownColumns = 80, kLeastColumns = 20;

// Marks that are drawn over the character before them, and characters without a width.
constexpr std::pair<char32_t, char32_t> kWithoutWidth[]{
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x1160, 0x11FF},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF}, {0x302A, 0x302D},
    {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};

std::size_t columns_of_character(char32_t c) {
  if (c < 0x300) return 1;
  for (const auto& [first, last] : kWithoutWidth) {
    if (c >= first && c <= last) return 0;
  }
  return is_wide(c) || (c >= 0x1F300 && c < 0x1F650) || (c >= 0x1F680 && c < 0x1FB00) ? 2 : 1;
}

// Returns how many bytes of `text` fit into `columns`.
std::size_t bytes_that_fit(std::string_view text, std::size_t columns) {
  std::size_t used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    used += columns_of_character(next_character(text, at));
    if (used > columns) return begin;
  }
  return text.size();
}

// Returns where the longest end of `text` begins that fits into `columns`.
std::size_t begin_of_end(std::string_view text, std::size_t columns) {
  std::size_t left = display_columns(text), at = 0;
  while (left > columns) left -= columns_of_character(next_character(text, at));
  // A mark without a width belongs to the character before it.
  for (std::size_t next = at; at < text.size(); at = next) {
    if (columns_of_character(next_character(text, next)) != 0) break;
  }
  return at;
}

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::kHeading:
      return "\x1b[1m";
    case Tone::kWorse:
      return "\x1b[31m";
    case Tone::kBetter:
      return "\x1b[32m";
    case Tone::kNotice:
      return "\x1b[33m";
    case Tone::kPlain:
      break;
  }
  return "";
}

}  // namespace

bool dumb_terminal() {
  const char* const term = std::getenv("TERM");
  return term == nullptr || std::string_view(term).empty() || std::string_view(term) == "dumb";
}

std::optional<std::size_t> terminal_columns(int fd) {
  if (::isatty(fd) == 0) return std::nullopt;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUnknownColumns;
  return std::max<std::size_t>(size.ws_col, kLeastColumns);
}

TextScreen stdout_screen(bool wide) {
  const std::optional<std::size_t> columns = terminal_columns(STDOUT_FILENO);
  if (!columns) return {};
  const char* const no_colour = std::getenv("NO_COLOR");
  const bool colours = (no_colour == nullptr || *no_colour == '\0') && !dumb_terminal();
  return {wide ? std::nullopt : columns, colours};
}

std::size_t display_columns(std::string_view text) {
  if (is_ascii(text)) return text.size();
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) columns += columns_of_character(next_character(text, at));
  return columns;
}

std::string shortened_line(std::string_view text, std::size_t columns) {
  std::string line = visible_text(text);
  if (display_columns(line) <= columns) return line;
  const std::size_t end_columns = columns / 3;
  return line.substr(0, bytes_that_fit(line, columns - end_columns - 3)) + "..." +
         line.substr(begin_of_end(line, end_columns));
}

void ScreenText::add(std::string_view text, Tone tone) {
  const bool coloured = screen_.colours && tone != Tone::kPlain && !text.empty();
  if (coloured) text_ += code_of(tone);
  text_ += visible_text(text, "\n");
  if (coloured) text_ += "\x1b[0m";
}

void ScreenText::add_paragraph(std::string_view text, std::size_t indent, Tone tone) {
  const std::string line = visible_text(text);
  const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t rest = spaces + indent;
  if (!screen_.columns || display_columns(line) <= *screen_.columns ||
      rest + kLeastColumns / 2 > *screen_.columns) {
    add(line, tone);
    text_ += "\n";
    return;
  }
  // The first line has `indent` columns more than the others, and leaves them unused at its end.
  const std::string broken =
      broken_into_lines(std::string_view(line).substr(spaces), static_cast<float>(*screen_.columns - rest),
                        [](char32_t c) { return static_cast<float>(columns_of_character(c)); });
  std::string padding(spaces, ' ');
  for (std::size_t at = 0; at <= broken.size();) {
    const std::size_t end = std::min(broken.find('\n', at), broken.size());
    text_ += padding;
    add(broken.substr(at, end - at), tone);
    text_ += "\n";
    padding.assign(rest, ' ');
    at = end + 1;
  }
}

void ScreenText::add_lines(std::string_view text, std::size_t indent, Tone tone) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    add_paragraph(text.substr(0, end), indent, tone);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace runahead::gui
