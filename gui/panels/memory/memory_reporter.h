// The report of memory of a snapshot of the trace, on a thread of its own.
#pragma once

#include <optional>

#include "gui/background/live_answer.h"
#include "gui/model/memory_answer.h"

namespace runahead::gui {

using MemoryReporter = LiveAnswer<MemoryWanted, MemoryAnswer>;
// Once begun it is done to its end.
[[nodiscard]] std::optional<MemoryAnswer> report_memory(const MemoryReporter::Question& question,
                                                        const std::atomic<bool>& cancelled);

}  // namespace runahead::gui
