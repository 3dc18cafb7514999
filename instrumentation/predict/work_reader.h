// Reads the device work of an Execution as ops, for read_execution(). Internal to predict.
//
//   queue           a stream. If its work overlapped, it has as many servers
//   depends on      the work that ended last before it on its stream, and the other ends of its stream edges.
//                   Not work that was launched later: then the last work before it that was launched earlier
//   enqueue_delay   from the launch to the begin, if the launch was the last thing that the work waited for
//   ready_delay     from the end of the last work that it depends on to the begin, if that was the last thing
//
// Of the two delays, only one is known for each piece of work. The other is the median of the stream
// (without an example: of all streams), or shorter if the work began earlier. Fewer than four examples never
// say that a delay is longer than usual: they may be the first launches, which load code.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/causes/execution.h"
#include "instrumentation/predict/program/program.h"

namespace runahead::predict {

// The part of a trace that is replayed: calls and launches in [range.begin, host_end), and their work.
struct ReplayedPart {
  TimeRange range;
  Timestamp host_end{};
};

struct ReadWorks {
  std::vector<causes::WorkIndex> works;  // of each op
  std::vector<OpIndex> ops;              // of each work; kNone: it is not part of the program
  std::vector<Timestamp> begins;         // of each op
  // Of each op: when it was launched; without a launch, the latest known launch before it on its stream.
  // Sorted.
  std::vector<Timestamp> order;
  std::vector<std::uint8_t> is_launched;  // of each op: a thread launched it within the part
  std::uint64_t unknown_launches = 0;     // ops of which the trace does not say when they were launched
  std::uint64_t contradictions = 0;       // dependencies on work that was launched later
};

// When each work is enqueued: its launch, or a later time for a launch that waited in the call.
using EnqueueTimes = std::vector<Timestamp>;

// Adds queues, ops, predecessors and host_copies to `program`. An op without a launch in the trace gets one
// in `enqueue_times`: the begin of the part, if it comes before all known launches of its stream. Otherwise
// when it began, or when the work before it on its stream began, if it followed at once. O(n log n).
[[nodiscard]] ReadWorks read_works(const causes::Execution& execution, const ReplayedPart& part,
                                   EnqueueTimes& enqueue_times, Program& program);

}  // namespace runahead::predict
