// FlowMatcher: joins the two ends of the public API's arrows by id. Use it under the collector's work mutex.
// Calls must be in time order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "instrumentation/record/batch_builder.h"
#include "instrumentation/record/deferred_event.h"

namespace runahead::record {

class FlowMatcher {
 public:
  explicit FlowMatcher(BatchBuilder& batch) : batch_(batch) {}

  void out(const DeferredEvent& deferred);
  void in(const DeferredEvent& deferred);
  // The open arrows will not find their other end.
  void close_all();

 private:
  // If more arrows than this wait for their end, the oldest are dropped: such a program probably never ends
  // them.
  static constexpr std::size_t kMostOpen = 1u << 16;
  struct End {
    TrackId track = kNoTrack;
    Timestamp at{};
    StringId name{};
    std::uint64_t serial = 0;
  };
  void give_up_oldest();

  BatchBuilder& batch_;
  std::unordered_map<std::uint64_t, End> open_;
  struct Opened {
    std::uint64_t id, serial;
  };
  std::deque<Opened> order_;  // in the order of their start; may contain arrows that were joined since
  std::uint64_t serials_ = 0;
};

}  // namespace runahead::record
