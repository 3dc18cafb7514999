// A lesson in a presentation: its step as a low band over the whole width, so that what it is about stays in
// sight below it.
#pragma once

#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// Kept between frames: of what does not fit at once, which part is shown.
struct LessonBandView {
  const samples::Lesson* lesson = nullptr;
  LessonStage stage{};
  std::size_t page = 0;  // a prediction, or a paragraph of the explanation
};

// REQUIRES: model.lesson.lesson is there.
void lesson_band(const PanelModel& model, const PanelUi& ui, LessonBandView& view, Commands& out);

}  // namespace runahead::gui
