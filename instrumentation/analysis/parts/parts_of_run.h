// PartOfRun: a named part of a run, such as "preparation", "op by op" or "compiled". A workload declares its
// parts while it runs. Each part begins with an instant on a kMarkers track, with the label "part: NAME", and
// ends where the next part begins. Each figure of a run should be of one part, because a rate over two parts
// describes neither part. The functions are pure; any thread may call them on a snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

struct PartOfRun {
  std::string name;
  TimeRange range{};
  bool last = false;  // no part follows yet: `range` ends at the watermark, and grows with a live trace
  friend bool operator==(const PartOfRun&, const PartOfRun&) = default;
};

// Returns the name in the label of an instant that begins a part. nullopt: the label has another form.
[[nodiscard]] std::optional<std::string_view> part_name(std::string_view label);

// Returns the parts in time order. Parts that follow each other and have the same name are one part. If the
// start of the trace was not kept, the time before the first known part is a part with an empty name. Empty
// result: the trace has no parts.
[[nodiscard]] std::vector<PartOfRun> parts_of_run(const trace::Trace& trace);

// False for a preparation, and for the reading of results. No step runs in these parts, so rates and shares
// of a run exclude them.
[[nodiscard]] bool is_measured(const PartOfRun& part);

// True if a step ended in the part.
[[nodiscard]] bool has_steps(const trace::Trace& trace, const PartOfRun& part);

// Returns the part that the figures of the range are of: the last part of which steps
// ended in the range. If there is no such part, returns the last measured part that overlaps the range.
// nullptr: no measured part overlaps the range.
[[nodiscard]] const PartOfRun* main_part(const trace::Trace& trace, const std::vector<PartOfRun>& parts,
                                         TimeRange range);

// Returns the part whose range is `range`; nullptr: there is none. A range of the last part may end earlier
// than the part, because the part may have grown since.
[[nodiscard]] const PartOfRun* part_with_range(const std::vector<PartOfRun>& parts, TimeRange range);

// Returns the time in the range that figures should cover: its intersection with main_part(). If the trace
// has no parts, returns `range`. If no measured part overlaps the range, returns an empty range at its end.
[[nodiscard]] TimeRange measured_time(const trace::Trace& trace, TimeRange range);
// The same. `parts`: parts_of_run() of the trace.
[[nodiscard]] TimeRange measured_time(const trace::Trace& trace, const std::vector<PartOfRun>& parts,
                                      TimeRange range);

}  // namespace runahead::analysis
