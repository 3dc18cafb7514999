// The last steps of a frontend, and those that were cancelled. The functions are pure; any thread may call
// them on a snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

// The last steps of the lane that lie within `range`, at most `most`, in order. O(rows of these steps).
[[nodiscard]] std::vector<TimeRange> last_steps(const trace::Lane& lane, TimeRange range, std::size_t most);

// A run that is stopped cancels the ops in the queues: their steps have been begun, and never finish.
struct CancelledSteps {
  Timestamp begin = Timestamp::max();  // of the first of them; max(): none
  std::int64_t steps = 0;
  Timestamp at = Timestamp::min();  // when the last of them was cancelled: then they count as finished
};
// The last steps of each frontend that begin in `range` and have ops that never ran. O(steps).
[[nodiscard]] CancelledSteps cancelled_steps(const trace::Trace& trace, TimeRange range);

}  // namespace runahead::analysis
