// read_execution(): reads a Program from the trace of another tool, such as PyTorch's profiler, Nsight
// Systems or rocprofiler, from the graph of its causes (causes/execution.h): threads that launch and wait,
// streams, and the edges between them. A synchronisation waits, in the simulation, for the last work before
// it on each stream that it covers. Method: host_reader.h, work_reader.h.
//
// The part that is replayed is causes::explained_range(). Such a trace does not state the run's barrier or
// its memory: Program::memories is empty.
#pragma once

#include "instrumentation/base/result.h"
#include "instrumentation/predict/read_program.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// The ranks of a joined trace are replayed together (join_ranks.h).
//
// Error: the trace has no work of a device, or the clock of a rank is not known. O(n log n). Any thread may
// call it on a snapshot.
[[nodiscard]] Result<RunToReplay> read_execution(const trace::Trace& trace);

}  // namespace runahead::predict
