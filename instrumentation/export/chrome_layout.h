// ChromeLayout: places each track and lane of a Trace in the processes and threads of a Chrome trace. A
// Chrome thread is a stack: its slices nest or are disjoint. Lanes that would overlap in part get separate
// threads, named "compute", "compute (2)", so that no importer drops slices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"

namespace runahead::exporters {
using namespace trace;

// The slices of a lane. If a slice is still open at the end of the lane, it comes last, as an unfinished
// slice.
class LaneRowsView {
 public:
  LaneRowsView(const Lane* lane, std::optional<Slice> open) : lane_(lane), open_(open) {}
  [[nodiscard]] std::uint64_t size() const { return closed() + (open_ ? 1 : 0); }
  [[nodiscard]] Slice slice(std::uint64_t i) const {  // REQUIRES: i < size()
    return i < closed() ? lane_->slice(lane_->first_row() + i) : *open_;
  }
  // Returns a row number `first`. Only the rows [first, first + 3) can contain `t`, or begin or end at `t`.
  [[nodiscard]] std::uint64_t first_near(Timestamp t) const;

 private:
  [[nodiscard]] std::uint64_t closed() const { return lane_ == nullptr ? 0 : lane_->size(); }
  const Lane* lane_;  // null: the lane has only the open slice
  std::optional<Slice> open_;
};

enum class PlaceKind : std::uint8_t {
  kNone,     // a group, or a track without rows
  kThreads,  // complete events on one or more threads
  kAsync,    // asynchronous events: lifetimes of operations
  kCounter,
};

struct TrackPlace {
  PlaceKind kind = PlaceKind::kNone;
  int pid = 0;
  std::string name;  // name of the thread or counter; counter names are unique in their process
  std::vector<LaneRowsView> lanes;
  std::vector<int> lane_tids;  // the tid of each lane (index: depth); used only for kThreads
  int first_tid = 0,
      tid_count = 0;      // tids are first_tid .. first_tid + tid_count - 1; instants go to first_tid
  std::int32_t rank = 0;  // order among the tracks of the process
};

struct ProcessPlace {
  int pid = 0;
  std::string name;
  std::int32_t rank = 0;
};

struct ChromeLayout {
  std::vector<ProcessPlace> processes;
  std::vector<TrackPlace> tracks;  // indexed by track id
};

// O(slices) at worst, because it checks whether the lanes nest.
[[nodiscard]] ChromeLayout lay_out_for_chrome(const Trace& trace);

}  // namespace runahead::exporters
