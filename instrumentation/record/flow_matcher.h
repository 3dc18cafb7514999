// FlowMatcher: brings the two ends of the public API's arrows together, by their id. Used under the
// collector's work mutex, in the order of time.
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
  // What is open finds no other end any more.
  void close_all();

 private:
  // More outs than this wait for their ins: the oldest are given up, as such a program never takes them.
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
  std::deque<Opened> order_;  // of opening; those that were joined since are still in it
  std::uint64_t serials_ = 0;
};

}  // namespace runahead::record
