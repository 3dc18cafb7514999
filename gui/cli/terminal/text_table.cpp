#include "gui/cli/terminal/text_table.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "instrumentation/base/visible_text.h"

namespace runahead::gui {
namespace {

constexpr std::size_t kGap = 2;  // spaces between two columns

std::size_t total_width(const std::vector<std::size_t>& widths, const std::vector<bool>& shown) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) total += shown[i] ? widths[i] + kGap : 0;
  return total - std::min(total, kGap);
}

class TableLayout {
 public:
  TableLayout(const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows)
      : columns_(columns), natural_(columns.size()), shown_(columns.size(), true) {
    for (const TextRow& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i)
        natural_[i] =
            std::max(natural_[i], std::min(display_columns(visible_text(row[i].text)), columns[i].most));
    }
    widths_ = natural_;
  }

  void fit(std::size_t columns) {
    shrink_to(columns);
    while (total_width(widths_, shown_) > columns && leave_one_out()) {
      widths_ = natural_;
      shrink_to(columns);
    }
  }

  [[nodiscard]] bool shown(std::size_t i) const { return shown_[i]; }
  [[nodiscard]] std::size_t width(std::size_t i) const { return widths_[i]; }

 private:
  // Makes the widest column that can be narrower one narrower, until the table fits or none can be.
  void shrink_to(std::size_t columns) {
    for (std::size_t total = total_width(widths_, shown_); total > columns; --total) {
      std::size_t widest = widths_.size();
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        const std::size_t least = columns_[i].least;
        if (!shown_[i] || least == 0 || widths_[i] <= least) continue;
        if (widest == widths_.size() || widths_[i] > widths_[widest]) widest = i;
      }
      if (widest == widths_.size()) return;
      --widths_[widest];
    }
  }

  bool leave_one_out() {
    std::size_t out = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!shown_[i] || columns_[i].rank == 0) continue;
      if (out == columns_.size() || columns_[i].rank >= columns_[out].rank) out = i;
    }
    if (out == columns_.size()) return false;
    shown_[out] = false;
    return true;
  }

  const std::vector<TextColumn>& columns_;
  std::vector<std::size_t> natural_, widths_;
  std::vector<bool> shown_;
};

// A cell without the spaces that would end the line.
struct PlacedCell {
  std::string before, text;
  Tone tone;
};

void add_row(ScreenText& out, const TableLayout& layout, const std::vector<TextColumn>& columns,
             const TextRow& row, bool heading) {
  std::vector<PlacedCell> line;
  std::string before;  // spaces before the next cell
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!layout.shown(i)) continue;
    const std::size_t width = layout.width(i);
    const bool limited = out.screen().columns && columns[i].least > 0;
    std::string cell =
        limited ? shortened_line(row[i].text, std::max<std::size_t>(width, 8)) : visible_text(row[i].text);
    const std::size_t used = display_columns(cell);
    const std::string padding(width > used ? width - used : 0, ' ');
    if (!line.empty() || !before.empty()) before += std::string(kGap, ' ');
    if (!columns[i].left) before += padding;
    line.push_back({std::move(before), std::move(cell), heading ? Tone::kHeading : row[i].tone});
    before = columns[i].left ? padding : "";
  }
  while (!line.empty() && line.back().text.empty()) line.pop_back();
  for (const PlacedCell& cell : line) {
    out.add(cell.before);
    out.add(cell.text, cell.tone);
  }
  out += "\n";
}

}  // namespace

void add_table(ScreenText& out, const std::vector<TextColumn>& columns, const std::vector<TextRow>& rows,
               bool headed) {
  TableLayout layout(columns, rows);
  if (out.screen().columns) layout.fit(*out.screen().columns);
  for (std::size_t i = 0; i < rows.size(); ++i) add_row(out, layout, columns, rows[i], headed && i == 0);
  if (!headed || rows.empty()) return;
  std::string left_out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!layout.shown(i)) left_out += (left_out.empty() ? "" : ", ") + rows.front()[i].text;
  }
  if (!left_out.empty()) out.add_paragraph("(too narrow for: " + left_out + "; --wide shows all)");
}

}  // namespace runahead::gui
