// The report of waits of a snapshot of the trace, on a thread of its own.
#pragma once

#include <optional>

#include "gui/background/live_answer.h"
#include "gui/model/waits_answer.h"

namespace runahead::gui {

using WaitReporter = LiveAnswer<WaitsWanted, WaitsAnswer>;
// Once begun it is done to its end.
[[nodiscard]] std::optional<WaitsAnswer> report_waits(const WaitReporter::Question& question,
                                                      const std::atomic<bool>& cancelled);

}  // namespace runahead::gui
