#include "gui/cli/terminal/progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "gui/cli/terminal/screen_text.h"

namespace runahead::gui {
namespace {

bool in_foreground() {
  const pid_t group = ::tcgetpgrp(STDERR_FILENO);
  return group < 0 || group == ::getpgrp();
}

}  // namespace

ProgressLine::ProgressLine()
    : possible_(terminal_columns(STDERR_FILENO).has_value() && !dumb_terminal() && in_foreground()) {}

void ProgressLine::show(std::string_view text) {
  if (!possible_ || !in_foreground()) return;
  // A line that fills the last column would move the cursor to the next line.
  const std::size_t columns = terminal_columns(STDERR_FILENO).value_or(80) - 1;
  while (display_columns(text) > columns && text.find("  ") != text.npos)
    text = text.substr(0, text.rfind("  "));
  std::fprintf(stderr, "\r\x1b[K%s", shortened_line(text, columns).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace runahead::gui
