// What the waits of a trace were for, grouped by their places: those of a run of our engine
// (analysis::wait_report()), and the calls that waited for a device in a trace of another tool. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_report.h"
#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// False for a trace of another tool. A trace of our engine states what its waits waited for.
[[nodiscard]] inline bool has_ops(const trace::Trace& trace) {
  return trace.op_count() > 0 || !trace.open_ops().empty();
}

// Returns the waits of a trace that has no ops: the calls that waited for a device, by place, longest time
// first. `synchronisations`: those of `trace`.
[[nodiscard]] std::vector<analysis::WaitGroup> synchronisation_groups(
    const trace::Trace& trace, const causes::Synchronisations& synchronisations, TimeRange range);

// Returns the name of the group's waits as shown in the table (wait_name()).
[[nodiscard]] std::string wait_text(const analysis::WaitGroup& group);
// Returns what the group waited for, and whether this was inferred; or that everything had ended before, or
// that it is not known.
[[nodiscard]] std::string awaited_text(const analysis::WaitGroup& group);
// True if the cause of at least some of the group's wait time is known (WaitPart::kOther is not all of it).
[[nodiscard]] bool has_parts(const analysis::WaitGroup& group);
// Returns a text such as "1.23 k waits, 45.6 ms in all \u00b7 whole trace, 1.2 s". `in_range`: `range` is the
// range that the user measures, and not the whole trace.
[[nodiscard]] std::string waits_summary(std::uint64_t count, Duration total, TimeRange range, bool in_range);

}  // namespace runahead::gui
