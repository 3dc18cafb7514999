#include "engine/stream_schedule.h"

#include <algorithm>

namespace runahead::engine {
namespace {

std::uint64_t ready_ticks(const OpNode& node) { return node.ready_ticks.load(std::memory_order_relaxed); }

}  // namespace

StreamSchedule::StreamSchedule(const Device& device, OpRunner& runner, ReadyOrder order,
                               std::uint64_t lookahead_ticks)
    : device_(device),
      runner_(runner),
      lookahead_ticks_(lookahead_ticks),
      lanes_{Lane(order), Lane(order), Lane(order)} {}

void StreamSchedule::add(OpNode& node) {
  lanes_[static_cast<std::size_t>(node.traits.stream)].coming.push({ready_ticks(node), &node});
  ++waiting_;
}

std::uint64_t StreamSchedule::decides_at(const Lane& lane, std::uint64_t now) {
  const std::uint64_t free = std::max(lane.free_ticks, now);
  return lane.queue.size() > 0 ? free : std::max(free, lane.coming.top().ticks);
}

StreamSchedule::Lane* StreamSchedule::first_to_decide(std::uint64_t now) {
  Lane* first = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.busy || (lane.queue.size() == 0 && lane.coming.empty())) continue;
    if (first == nullptr || decides_at(lane, now) < decides_at(*first, now)) first = &lane;
  }
  return first;
}

bool StreamSchedule::may_decide(std::uint64_t decision, std::uint64_t now) const {
  // true if no op in flight can end before the time `decision`; an op that ends could make another op ready
  if (decision <= now || in_flight_ == 0) return true;
  if (decision - now > lookahead_ticks_) return false;
  return std::ranges::none_of(lanes_,
                              [&](const Lane& lane) { return lane.busy && lane.free_ticks <= decision; });
}

// Returns the time at which the caller must call take() again. kNever: no extra call is needed, because the
// caller also calls take() whenever an op ends. The lane's last op usually starts at the moment at which an
// earlier op ends, and the caller calls take() at that moment anyway. If the last op is short, that call of
// take() comes early enough to choose the lane's next op.
std::uint64_t StreamSchedule::look_again(const Lane& lane, std::uint64_t decision, std::uint64_t now) const {
  const bool too_early = decision > now && decision - now > lookahead_ticks_;
  const bool after_long = decision - std::min(decision, lane.start_ticks) > lookahead_ticks_ / 2;
  return lookahead_ticks_ > 0 && too_early && after_long ? decision - lookahead_ticks_ : kNever;
}

OpNode* StreamSchedule::take(std::uint64_t now) {
  look_again_ticks_ = kNever;
  while (Lane* const lane = first_to_decide(now)) {
    const std::uint64_t decision = decides_at(*lane, now);
    if (!may_decide(decision, now)) {  // this lane decides first: if this lane must wait, all others must too
      look_again_ticks_ = look_again(*lane, decision, now);
      return nullptr;
    }
    for (; !lane->coming.empty() && lane->coming.top().ticks <= decision; lane->coming.pop()) {
      lane->queue.push(*lane->coming.top().node);
    }
    OpNode* const node = lane->queue.pop();
    if (runner_.start(*node)) {
      occupy(*lane, *node);
      return node;
    }
    refused_.push({ready_ticks(*node), node});
  }
  return nullptr;
}

void StreamSchedule::occupy(Lane& lane, const OpNode& node) {
  lane.busy = true;
  lane.start_ticks = std::max(lane.free_ticks, ready_ticks(node));
  lane.free_ticks = lane.start_ticks + device_.modelled_ticks(node.traits.stream, node.extra()->cost);
  ++in_flight_;
  --waiting_;
}

OpNode* StreamSchedule::take_refused(std::uint64_t now) {
  if (refused_.empty() || (refused_.top().ticks > now && in_flight_ > 0)) return nullptr;
  OpNode* const node = refused_.top().node;
  refused_.pop();
  --waiting_;
  return node;
}

void StreamSchedule::computed(StreamKind stream, std::uint64_t end_ticks) {
  Lane& lane = lanes_[static_cast<std::size_t>(stream)];
  lane.busy = false;
  lane.free_ticks = end_ticks;
}

}  // namespace runahead::engine
