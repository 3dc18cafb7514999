// The strings of the memory report. Pure.
#pragma once

#include <optional>
#include <string>

#include "gui/panels/memory/memory_panel.h"
#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// Returns a text such as "341 MB at 1.234 s, the peak (97 blocks of 12 ops)".
[[nodiscard]] std::string memory_summary(const MemoryAnswer& answer);
// Returns a text that says what the report does not cover, and why; empty: the report is complete.
[[nodiscard]] std::string memory_caveat(const MemoryAnswer& answer);
// Returns the op's name; "no op" if `op` is empty.
[[nodiscard]] std::string holder_name(const std::string& op);
[[nodiscard]] std::string category_name(const std::string& category);
// Returns `bytes` divided by all live bytes at the report's time; 0 if the live bytes are not known.
[[nodiscard]] double share_of(const analysis::MemoryReport& report, std::int64_t bytes);
// Returns the slice of the op's execution. If the trace does not have this slice, returns the slice of the
// op's enqueue. nullopt: the trace has neither slice.
[[nodiscard]] std::optional<SliceRef> place_of_op(const trace::Trace& trace, OpId op);

}  // namespace runahead::gui
