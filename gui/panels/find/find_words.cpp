#include "gui/panels/find/find_words.h"

namespace runahead::gui {

std::string words_for_name(std::string_view name) {
  std::string words = "name=\"";
  for (const char c : name) {
    if (c != '"') words += c;  // a mark cannot be typed within marks
  }
  return words + "\"";
}

std::string words_with_durations(std::string_view words, Duration least, Duration most) {
  std::string out;
  for (std::size_t at = 0; at < words.size();) {
    std::size_t end = at;
    for (bool quoted = false; end < words.size() && (quoted || words[end] != ' '); ++end)
      quoted = quoted != (words[end] == '"');
    const std::string_view word = words.substr(at, end - at);
    const bool bound = word.starts_with("dur<") || word.starts_with("dur>") || word.starts_with("dur=");
    if (!word.empty() && !bound) out += std::string(word) + " ";
    at = end + 1;
  }
  return out + "dur>=" + std::to_string(least.count()) + "ns dur<=" + std::to_string(most.count()) + "ns";
}

}  // namespace runahead::gui
