// LoadTimes: when a thread loaded data, by the names of its slices.
#pragma once

#include <string_view>
#include <vector>

#include "instrumentation/base/time.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

// True if the program loads a batch in slices with this name: those of PyTorch's DataLoader and DataPipe, and
// "load batch" of our workloads.
[[nodiscard]] constexpr bool loads_data(std::string_view slice) {
  return slice.starts_with("enumerate(DataLoader)#") || slice.starts_with("enumerate(DataPipe)#") ||
         slice == "load batch";
}

class LoadTimes {
 public:
  LoadTimes() = default;
  // `loads`: in any order; they may overlap.
  explicit LoadTimes(std::vector<TimeRange> loads);
  // O(slices of the track).
  LoadTimes(const trace::Trace& trace, TrackId track);

  // How long the thread loaded data in the range. O(log n + the loads in the range).
  [[nodiscard]] Duration within(TimeRange range) const;

 private:
  std::vector<TimeRange> loads_;  // disjoint, sorted
};

}  // namespace runahead::predict
