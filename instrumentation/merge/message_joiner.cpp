#include "instrumentation/merge/message_joiner.h"

#include <utility>

namespace runahead::merge {

using trace::Flow;

Flow MessageJoiner::take_first(std::uint64_t id) {
  const auto found = waiting_.find(id);
  const Flow first = found->second.front();
  found->second.erase(found->second.begin());
  if (found->second.empty()) waiting_.erase(found);
  --waiting_count_;
  return first;
}

void MessageJoiner::add(const Flow& half, std::vector<Flow>& joined) {
  const bool leaves = half.to_track == kNoTrack;
  const auto found = waiting_.find(half.message);
  if (found == waiting_.end() || (found->second.front().to_track == kNoTrack) == leaves) {
    waiting_[half.message].push_back(half);
    ++waiting_count_;
    order_.push_back(half.message);
    if (order_.size() > 2 * kMostWaiting)
      std::erase_if(order_, [&](auto id) { return !waiting_.contains(id); });
    return;
  }
  const Flow other = take_first(half.message);
  Flow whole = leaves ? half : other;
  const Flow& arrival = leaves ? other : half;
  whole.to_track = arrival.to_track;
  whole.to_time = arrival.to_time;
  joined.push_back(whole);
}

std::vector<Flow> MessageJoiner::take_oldest() {
  std::vector<Flow> flows;
  for (; !order_.empty() && flows.size() < kMostWaiting / 8; order_.pop_front()) {
    if (waiting_.contains(order_.front())) flows.push_back(take_first(order_.front()));
  }
  return flows;
}

std::vector<Flow> MessageJoiner::take_all() {
  std::vector<Flow> flows;
  for (const auto& [id, waiting] : std::exchange(waiting_, {}))
    flows.insert(flows.end(), waiting.begin(), waiting.end());
  waiting_count_ = 0;
  order_.clear();
  return flows;
}

}  // namespace runahead::merge
