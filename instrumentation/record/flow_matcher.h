// FlowMatcher: joins the start and the end of each arrow (flow) that a program records with the public API.
// The start and the end have the same id. Use it under the collector's work mutex. Calls must be in time
// order.
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
  // Gives up all open arrows, because the events of their ends will not come.
  void close_all();

 private:
  // If more arrows than this wait for their end, the oldest arrows are dropped: the program probably never
  // ends its arrows.
  static constexpr std::size_t kMostOpen = 1u << 16;
  struct End {
    TrackId track = kNoTrack;
    Timestamp at{};
    StringId name{};
    std::uint64_t serial = 0;
    bool optional = false;
  };
  void count_unbound(const End& end);
  void give_up_oldest();

  BatchBuilder& batch_;
  std::unordered_map<std::uint64_t, End> open_;
  struct Opened {
    std::uint64_t id, serial;
  };
  // The arrows in the order of their start. An arrow may stay in this list after it was joined; open_ has
  // only the open arrows.
  std::deque<Opened> order_;
  std::uint64_t serials_ = 0;
};

}  // namespace runahead::record
