// One line on stderr that is written again and again while a command works. Shown only if stderr is a
// terminal that can clear a line, and the command runs in its foreground. Otherwise nothing is written.
#pragma once

#include <string_view>

namespace runahead::gui {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // True if show() would write.
  [[nodiscard]] bool possible() const { return possible_; }
  // Replaces the line. Parts of `text` have two spaces between them; from a text that is wider than the
  // terminal, the last parts are left out. REQUIRES: no control characters.
  void show(std::string_view text);
  // Removes the line, so that the next output begins at the start of an empty line.
  void clear();

 private:
  const bool possible_;
  bool shown_ = false;
};

}  // namespace runahead::gui
