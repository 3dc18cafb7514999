#include "instrumentation/merge/message_joiner.h"

#include <utility>

namespace runahead::merge {

using trace::Flow;

void MessageJoiner::add(const Flow& half, std::vector<Flow>& joined) {
  std::deque<Flow>& waiting = waiting_[half.message];
  const bool leaves = half.to_track == kNoTrack;
  if (waiting.empty() || (waiting.front().to_track == kNoTrack) == leaves) {
    waiting.push_back(half);
    ++waiting_count_;
    return;
  }
  Flow whole = leaves ? half : waiting.front();
  const Flow& arrival = leaves ? waiting.front() : half;
  whole.to_track = arrival.to_track;
  whole.to_time = arrival.to_time;
  joined.push_back(whole);
  waiting.pop_front();
  --waiting_count_;
  if (waiting.empty()) waiting_.erase(half.message);
}

std::vector<Flow> MessageJoiner::take_waiting() {
  std::vector<Flow> flows;
  for (const auto& [id, waiting] : std::exchange(waiting_, {}))
    flows.insert(flows.end(), waiting.begin(), waiting.end());
  waiting_count_ = 0;
  return flows;
}

}  // namespace runahead::merge
