// Finds on another thread what a selected call waited for (gui/answers/wait_cause.h).
#pragma once

#include "gui/answers/wait_cause.h"
#include "gui/background/live_answer.h"

namespace runahead::gui {

using CauseReporter = LiveAnswer<SliceRef, WaitCause>;

// Returns a function that answers such questions. It keeps what it read of the trace for the next question.
[[nodiscard]] CauseReporter::Work make_cause_finder();

}  // namespace runahead::gui
