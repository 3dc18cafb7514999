// Collects every English sentence that the window shows and that other code defines (for example a workload,
// a lesson or the engine). Each sentence comes with its source. Each language must translate all these
// sentences.
#pragma once

#include <string>
#include <vector>

namespace runahead::gui {

struct ShownSentence {
  std::string english;
  std::string from;  // "workload increment, question"
};

// Each sentence is listed once, with its first source.
[[nodiscard]] std::vector<ShownSentence> shown_sentences();

}  // namespace runahead::gui
