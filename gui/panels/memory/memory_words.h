// What the report of memory says in words. Pure.
#pragma once

#include <optional>
#include <string>

#include "gui/panels/memory/memory_panel.h"
#include "gui/timeline/scene/scene.h"

namespace runahead::gui {

// "341 MB at 1.234 s, the peak: 97 blocks of 12 ops"
[[nodiscard]] std::string memory_summary(const MemoryAnswer& answer);
// What the report cannot say, and why; empty: nothing.
[[nodiscard]] std::string memory_caveat(const MemoryAnswer& answer);
// "no op", where it is of none.
[[nodiscard]] std::string holder_name(const std::string& op);
[[nodiscard]] std::string category_name(const std::string& category);
// Of all that is live then; 0 where that is not known.
[[nodiscard]] double share_of(const analysis::MemoryReport& report, std::int64_t bytes);
// Where the op is in the trace: where it executes, else where it was enqueued. nullopt: it is not there.
[[nodiscard]] std::optional<SliceRef> place_of_op(const trace::Trace& trace, OpId op);

}  // namespace runahead::gui
