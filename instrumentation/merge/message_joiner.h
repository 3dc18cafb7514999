// MessageJoiner: joins the two halves of each message between processes. Each half is a flow in the recording
// of its process (Flow::message).
//
// Method: an id may be used again after its message has arrived. Therefore the halves of an id are joined in
// the order in which they come: the first that left with the first that arrived. Which half is read first
// does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "instrumentation/trace/rows/slice.h"

namespace runahead::merge {

// Only one thread may use it at a time.
class MessageJoiner {
 public:
  // True if the flow is one half of a message.
  [[nodiscard]] static bool is_half(const trace::Flow& flow) {
    return flow.message != 0 && (flow.from_track == kNoTrack) != (flow.to_track == kNoTrack);
  }
  // Takes a half, and adds the whole flow to `joined` if its other half is here. REQUIRES: is_half(half).
  void add(const trace::Flow& half, std::vector<trace::Flow>& joined);
  // If more halves than this wait, the other halves of the oldest probably never come.
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;
  [[nodiscard]] bool is_full() const { return waiting_count_ >= kMostWaiting; }
  // Removes the oldest halves without a partner (an eighth of kMostWaiting), or all of them.
  [[nodiscard]] std::vector<trace::Flow> take_oldest();
  [[nodiscard]] std::vector<trace::Flow> take_all();

 private:
  [[nodiscard]] trace::Flow take_first(std::uint64_t id);

  // For each id: halves of one direction, in their order. Most ids have one.
  std::unordered_map<std::uint64_t, std::vector<trace::Flow>> waiting_;
  std::size_t waiting_count_ = 0;
  // The ids of the halves in the order in which they came, also of some that are joined already.
  std::deque<std::uint64_t> order_;
};

}  // namespace runahead::merge
