// A lesson in its five steps: the question, the prediction, the run, what was predicted beside what happened,
// why.
#pragma once

#include "gui/panels/commands.h"
#include "gui/panels/model.h"
#include "gui/panels/ui.h"

namespace runahead::gui {

// REQUIRES: model.lesson.lesson is there.
void lesson_steps(const PanelModel& model, const PanelUi& ui, Commands& out);

}  // namespace runahead::gui
