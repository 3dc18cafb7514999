// A lesson in its five steps: the question, the prediction, the run, what was predicted beside what happened,
// why.
#pragma once

#include "gui/model/commands.h"
#include "gui/model/model.h"
#include "gui/widgets/ui.h"

namespace runahead::gui {

// REQUIRES: model.lesson.lesson is there.
void lesson_steps(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
