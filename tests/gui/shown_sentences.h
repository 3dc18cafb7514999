// Collects every English sentence of the lower layers that the window shows, and the source of each sentence.
// Each language must translate all these sentences.
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
