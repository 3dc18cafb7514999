// The changes of how ops are enqueued: as one graph, or several as one. For apply() (change.h).
#pragma once

#include "instrumentation/base/result.h"
#include "instrumentation/predict/changes/change.h"
#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

// graph=1, in traces of other tools: the kernels and copies of each step are launched as one graph.
//
// - The thread that launched the first of them launches the graph there.
// - What a thread did between its first and its last launch of the step takes no time. So launching the step
//   takes the thread as long as one launch: the last one. A launch between them that waited, such as for a
//   place in the full queue, does not wait.
// - All work of the graph may begin the latency of the first launch after it. Work that follows other work of
//   the graph begins after a gap: its own in the run, or the median gap of the run, or kGraphGap, whichever
//   is smallest.
//
// Not in the model: a graph costs more to launch than a kernel, and its kernels need the same shapes and
// addresses in each step. Error: a thread waits between two launches of a step, which a graph cannot contain;
// some launches are not known; no step has several launches; ops are limited one by one.
[[nodiscard]] Status launch_as_graph(const Change& change, Program& program);
inline constexpr Duration kGraphGap = std::chrono::microseconds(1);

}  // namespace runahead::predict
