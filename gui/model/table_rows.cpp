#include "gui/model/table_rows.h"

#include <cstdio>

namespace runahead::gui {

std::string ns_cell(Duration duration) { return std::to_string(duration.count()); }

std::string ns_header(const std::string& name) { return name + " (ns)"; }
std::string ns_header(Text name) { return ns_header(std::string(text(name))); }

std::string value_cell(double value) {
  char words[32];
  std::snprintf(words, sizeof words, "%.12g", value);
  return words;
}

std::string tab_separated(const TableRows& rows) {
  std::string words;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) words += '\t';
      for (const char c : row[i]) words += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    }
    words += '\n';
  }
  return words;
}

}  // namespace runahead::gui
