// The names of a lesson's stages, and what the panel asks of its state. No ImGui.
#pragma once

#include "gui/lesson/answer_words.h"
#include "gui/model/lesson_state.h"
#include "gui/text/text.h"

namespace runahead::gui {

[[nodiscard]] Text stage_name(LessonStage stage);
// True if the user has made every prediction.
[[nodiscard]] bool all_predicted(const LessonState& state);

}  // namespace runahead::gui
