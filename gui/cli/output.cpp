#include "gui/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace runahead::gui {
namespace {

// Code points of UTF-8: what a terminal shows as columns, CJK apart.
std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  return width;
}

std::string without_breaks(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\r' || c == '\t';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

Outcome write_stdout(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return success();
  return refused(std::string("standard output: cannot write: ") + std::strerror(errno));
}

Outcome write_json(const nlohmann::ordered_json& object) {
  // Names may come from a foreign file: bytes that are no UTF-8 are replaced, not thrown at the person.
  return write_stdout(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void write_stderr_line(std::string_view text) {
  std::fprintf(stderr, "runahead: %s\n", without_breaks(text).c_str());
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += i < left.size() && left[i] ? row[i] + padding : padding + row[i];
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  return out;
}

nlohmann::ordered_json losses_json(const trace::LossCounts& losses) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (losses.of(cause) != 0) out[std::string(trace::loss_key(cause))] = losses.of(cause);
  }
  return out;
}

std::string losses_text(const trace::LossCounts& losses) {
  std::string out;
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (losses.of(cause) == 0) continue;
    out += "lost: " + std::to_string(losses.of(cause)) + " " + std::string(trace::loss_key(cause)) + ": " +
           std::string(trace::loss_sentence(cause)) + "\n";
  }
  return out;
}

void warn_of_losses(std::string_view file, const trace::LossCounts& losses) {
  if (!losses.facts_missing()) return;
  write_stderr_line("'" + std::string(file) + "' is not complete: " + losses_text(losses));
}

}  // namespace runahead::gui
