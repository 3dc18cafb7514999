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

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/predict/program/program.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// Which part of the run to read.
struct ReadOptions {
  // Zero: the whole run. Else: only the last steps that finished, at most for this long, since the last
  // change of the barrier, the last begin of a part of the run (analysis::PartOfRun) and the last pause.
  Duration most{};
  // About so many ops are read, in the last steps; 0: no limit. At least four steps are read.
  std::size_t most_ops = 0;
  // The barrier of the run, if the trace no longer has the mark of its last change.
  std::optional<BarrierPolicy> barrier{};
};

// What the recording itself says about the run: the counterpart of an Outcome.
struct Measured {
  Duration length{};      // from the start of the run until its last op and its frontends have ended
  Duration steps_time{};  // as Program::figures_of_steps says; blocked and peak_bytes are of this time
  std::int64_t steps = 0;
  // The waits of the frontend that waited longest. A wait that ended with the last step, or later, does not
  // count.
  Duration blocked{};
  std::int64_t peak_bytes = 0;  // the sum of the peaks of the devices; not known without Program::memories
  std::int64_t max_steps = 0;   // the most steps begun and not finished

  [[nodiscard]] double steps_per_s() const;
  [[nodiscard]] double blocked_ratio() const;
};

struct RunToReplay {
  // Of a part of the run: begins with the part's first step, and without a backlog of ops from before.
  Program program;
  // Only of a part of the run: the same program in the state that the run had at range.begin. Its first
  // events are those that the frontends had performed by then. Its ops that had ended are in Program::done.
  // Its replay is what can be compared with `measured`.
  std::optional<Program> from_middle;
  TimeRange range{};  // of `measured`
  Measured measured;
  std::vector<std::string> notes;  // what the recording lacks, as sentences
};

// A run whose barrier changed is read like a part: the longest part with one barrier, with a note.
//
// Error: the trace is not of our engine, or has no ops, or the part has fewer than four steps that finished.
// The whole run: O(n log n). A part: O(rows since its begin + log n). Any thread may call it on a snapshot.
[[nodiscard]] Result<RunToReplay> read_program(const trace::Trace& trace, const ReadOptions& options = {});

}  // namespace runahead::predict
