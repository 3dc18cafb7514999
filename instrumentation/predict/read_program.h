// read_program(): reads the Program of a run of our engine from its recording: what each frontend did in
// program order, the ops with their dependencies, and who uses which block of memory. Waits become events;
// their durations are left out, because the simulation finds them. Method:
//
//   own time of a frontend   the time between its events, without waits and pauses
//   queue of an op           the stream that executed it, or all workers of the device together
//   users of a block         the op that wrote it, ops that read what this op wrote, ops that update it in
//                            place, and the program until it drops the block (Allocation::dropped)
//   waits of the policy      those after a "wait point" (an instant that each step records, whatever the
//                            policy is), "window" and "held by". Recordings without wait points: the last
//                            wait of each step
#pragma once

#include <string>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/predict/program.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// What the recording itself says about the run: the counterpart of an Outcome.
struct Measured {
  Duration length{};  // from the start of the run until its last op and its frontends have ended
  std::int64_t steps = 0;
  // The waits of the frontend that waited longest, without the last wait, after the last step.
  Duration blocked{};
  std::int64_t peak_bytes = 0;  // the sum of the peaks of the devices; not known without Program::memories
  std::int64_t max_steps = 0;   // the most steps begun and not finished

  [[nodiscard]] double steps_per_s() const;
  [[nodiscard]] double blocked_ratio() const;
};

struct RunToReplay {
  Program program;
  TimeRange range{};  // of `measured`
  Measured measured;
  std::vector<std::string> notes;  // what the recording lacks, as sentences
};

// Error: the trace is not of our engine, or has no ops, or its barrier changed during the run. O(n log n).
// Any thread may call it on a snapshot.
[[nodiscard]] Result<RunToReplay> read_program(const trace::Trace& trace);

}  // namespace runahead::predict
