// Edges between host threads: one thread made another one work, or waited for its result. Private to the
// builder of an Execution.
//   flow       recorded: an arrow between two threads, such as PyTorch's from forward to backward ("fwdbwd")
//   sequence   inferred: an operator of the forward pass and one of the backward pass on another thread have
//              the same "Sequence number" (Kineto). Not used if the trace has the arrows.
//   fork, join inferred: a thread that had shown nothing for kThreadIdle worked while its parent showed
//              nothing, and stopped before the parent went on. So the parent started it and waited for it.
#pragma once

#include <chrono>
#include <vector>

#include "instrumentation/causes/execution.h"

namespace runahead::causes {

// A thread that showed nothing for this long was not busy: what it did next was begun by another thread.
inline constexpr Duration kThreadIdle = std::chrono::microseconds(20);

struct ThreadEdges {
  std::vector<ThreadEdge> edges;  // sorted by the thread that they enter, then by time
  // The thread that starts the work of each thread: the one from which most flows or sequences come,
  // otherwise the main thread of its process. Main threads are not listed. Sorted.
  std::vector<std::pair<TrackId, TrackId>> parents;
};

// O(n log n) for the n slices with arguments, if any has a sequence number; plus, for each time a thread
// begins to work after kThreadIdle, O(depth * log n).
[[nodiscard]] ThreadEdges find_thread_edges(const Execution& execution);

}  // namespace runahead::causes
