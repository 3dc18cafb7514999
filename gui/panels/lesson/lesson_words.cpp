#include "gui/panels/lesson/lesson_words.h"

#include <algorithm>
#include <array>

namespace runahead::gui {

Text stage_name(LessonStage stage) {
  constexpr std::array kNames{Text::kStageQuestion, Text::kStagePrediction, Text::kStageRun,
                              Text::kStageCompare, Text::kStageWhy};
  return kNames[static_cast<std::size_t>(stage)];
}

bool all_predicted(const LessonState& state) {
  return std::ranges::all_of(state.predictions, [](const auto& one) { return one.has_value(); });
}

}  // namespace runahead::gui
