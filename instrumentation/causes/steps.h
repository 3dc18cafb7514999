// The steps of a program, and the time range that its figures are about.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "instrumentation/causes/execution.h"

namespace runahead::causes {

struct Steps {
  TrackId thread = kNoTrack;      // kNoTrack: the trace names no steps
  std::vector<TimeRange> ranges;  // sorted, disjoint
  // The number in each step's name: 7 of "ProfilerStep#7"; -1: none. One for each range. All are -1 if a
  // number occurs twice.
  std::vector<std::int64_t> numbers{};

  [[nodiscard]] std::size_t count() const { return ranges.size(); }
  [[nodiscard]] Duration median() const;  // 0 if there are no steps
  // The step that contains `t`, as an index into `ranges`; nullopt: none does. O(log n).
  [[nodiscard]] std::optional<std::size_t> step_at(Timestamp t) const;
};

// The slices of kind kStep, such as PyTorch's ProfilerStep#N, of the thread that has most of them. If no
// slice is a step: slices of one thread whose names are equal but for a number after "step", "iter",
// "iteration" or "batch", at least 3 of them.
[[nodiscard]] Steps find_steps(const Execution& execution);

// From the begin of the first step to the end of the last step, or to the end of the last work that was
// launched by then, if that is later. Without steps: from the first launch or work to the last work or wait.
[[nodiscard]] TimeRange explained_range(const Execution& execution, const Steps& steps);

// The host thread that drives the program: the thread of the steps, otherwise the thread that launched most
// work. kNoTrack: the trace has no host thread.
[[nodiscard]] TrackId main_thread(const Execution& execution, const Steps& steps);

}  // namespace runahead::causes
