// A table that fits the screen. If it is wider than the screen, first its names are shortened, then its least
// important columns are left out, and a line below says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gui/cli/terminal/screen_text.h"

namespace runahead::gui {

struct TextColumn {
  bool left = false;            // aligned left
  std::size_t least = 0;        // cells may be shortened to this width; 0: they are never shortened
  std::size_t most = SIZE_MAX;  // the column is never wider; without a limit of the screen, a longer cell
                                // shifts the rest of its line
  int rank = 0;                 // columns with the highest rank are left out first; 0: never left out
};

struct TextCell {
  std::string text;
  Tone tone = Tone::kPlain;

  TextCell(std::string t, Tone m = Tone::kPlain) : text(std::move(t)), tone(m) {}
  TextCell(const char* t) : text(t) {}
};
using TextRow = std::vector<TextCell>;

// Adds the rows. The columns have two spaces between them. `headed`: the first row has the headings; they
// name the columns that are left out.
void add_table(ScreenText& out, const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
               bool headed = true);

}  // namespace runahead::gui
