// StreamSchedule: which ready op of a device runs next, and on which stream. Not thread-safe: its owner's
// lock.
//
// Works in the device's time, which may lie ahead of now: a stream is free at the modelled end of the op it
// has taken, an op may be ready at the modelled end of one that has not ended. A stream decides at
//   D = max(end of its last op, now), or when the earliest of its ops is ready, if none is by then,
// among all ops that are ready by D, in the engine's order. Where the device allows to look ahead, it decides
// before D, so that the host has time to compute; not more than Device::lookahead_ticks() before, and not
// while an op of another stream, whose values are not there yet, will end before D and may let more ops go.
// So the ops of a device run in the order and at the times in which they would with no lookahead. An op that
// becomes ready by other means (enqueued, or let go by another device) may find that its stream has taken
// what comes later, as on a GPU's stream, which keeps what was put on it.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <vector>

#include "engine/device/device.h"
#include "engine/op_runner.h"
#include "engine/ready_queue.h"

namespace runahead::engine {

class StreamSchedule {
 public:
  // lookahead_ticks 0: an op is taken when the one before has ended.
  StreamSchedule(const Device& device, OpRunner& runner, ReadyOrder order, std::uint64_t lookahead_ticks);

  // All that an op follows has been computed, and will have ended by its ready_ticks.
  void add(OpNode& node);
  // The op that a stream takes now, claimed by OpRunner::start(); the stream is busy until computed(). Null:
  // none. Those that start() refuses (cancelled, or one before them failed) wait aside.
  [[nodiscard]] OpNode* take(std::uint64_t now);
  // When take(), which has just found none, would have one though nothing ends or is added before: when an op
  // longer than the lookahead nears its end. kNever: at no such time.
  [[nodiscard]] std::uint64_t look_again_at() const { return look_again_ticks_; }
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  // One that was refused, and that all it follows has ended for: to be skipped.
  [[nodiscard]] OpNode* take_refused(std::uint64_t now);
  // The values of the op that `stream` has taken are there; it can take the next.
  void computed(StreamKind stream, std::uint64_t end_ticks);
  // An op that was taken has ended, after its computed().
  void ended() { --in_flight_; }

  [[nodiscard]] bool empty() const { return waiting_ == 0; }

 private:
  struct Entry {
    std::uint64_t ticks;
    OpNode* node;
    // Among equal times the op enqueued first, as one that ends lets others go; not the one computed first.
    bool operator>(const Entry& other) const {
      return ticks != other.ticks ? ticks > other.ticks : node->number() > other.node->number();
    }
  };
  using ByReadyTime = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;  // earliest on top
  struct Lane {
    explicit Lane(ReadyOrder order) : queue(order) {}
    ByReadyTime coming;             // not known to be ready when the stream decides
    ReadyQueue queue;               // ready then
    std::uint64_t start_ticks = 0;  // of its last op
    bool busy = false;              // its op is being computed
    std::uint64_t free_ticks = 0;   // end of its last op; the least it can be while busy
  };

  [[nodiscard]] static std::uint64_t decides_at(const Lane& lane, std::uint64_t now);
  // The lane that decides first; null: none can.
  [[nodiscard]] Lane* first_to_decide(std::uint64_t now);
  [[nodiscard]] std::uint64_t look_again(const Lane& lane, std::uint64_t decision, std::uint64_t now) const;
  [[nodiscard]] bool may_decide(std::uint64_t decision, std::uint64_t now) const;
  void occupy(Lane& lane, const OpNode& node);

  const Device& device_;
  OpRunner& runner_;
  const std::uint64_t lookahead_ticks_;
  std::array<Lane, kStreamKindCount> lanes_;
  ByReadyTime refused_;
  std::uint64_t look_again_ticks_ = kNever;
  std::size_t waiting_ = 0;    // ops added and not taken
  std::size_t in_flight_ = 0;  // ops taken and not ended
};

}  // namespace runahead::engine
