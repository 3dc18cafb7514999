// StreamSchedule: decides which ready op of a device runs next, and on which stream. Not thread-safe; the
// owner's lock guards it.
//
// The schedule works with modelled times, which may be in the future. A stream becomes free at the modelled
// end of its last op. An op may become ready at the modelled end of a predecessor that has not ended yet.
// A stream decides (chooses its next op) for the time D:
//   D = max(end of its last op, now). If none of its ops is ready by then, D is the earliest ready time of
//   its ops. The stream chooses among its ops that are ready by D, in the engine's order (ReadyOrder).
// Lookahead. If the device allows it, the stream decides before D, so that the host has time to compute. The
// stream decides at most Device::lookahead_ticks() before D. The stream must not decide while another stream
// still computes an op that will end before D, because that op may make more ops ready. Therefore the ops of
// a device run in the same order and at the same times as without lookahead. Exception: an op may also become
// ready because a frontend enqueued it, or because an op of another device ended. When such an op becomes
// ready, its stream may already have taken an op that would run later without lookahead. A real GPU stream
// behaves in the same way: work that was submitted earlier runs first.
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
  // lookahead_ticks 0: a stream takes an op only when its previous op has ended.
  StreamSchedule(const Device& device, OpRunner& runner, ReadyOrder order, std::uint64_t lookahead_ticks);

  // Adds an op. REQUIRES: all predecessors of the op have been computed, and their modelled ends are not
  // later than the op's ready_ticks.
  void add(OpNode& node);
  // Returns the op that a stream takes now. OpRunner::start() has already accepted this op. The stream is
  // busy until computed() is called. Null: no stream can take an op now. Ops that start() refuses (cancelled,
  // or a predecessor failed) are not returned here; take_refused() returns them.
  [[nodiscard]] OpNode* take(std::uint64_t now);
  // Call this after take() returned null. Returns the time at which take() must be called again, unless an op
  // ends or is added before that time. Example: the last op of a stream is longer than the lookahead, so the
  // stream must not decide until this op nears its end. kNever: no extra call of take() is needed.
  [[nodiscard]] std::uint64_t look_again_at() const { return look_again_ticks_; }
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  // Returns a refused op whose predecessors have all ended; the op must be skipped. Null: there is none.
  [[nodiscard]] OpNode* take_refused(std::uint64_t now);
  // Call this when the results of the op that `stream` took are in memory. `end_ticks`: the modelled end of
  // the op. After this call, the stream can take its next op.
  void computed(StreamKind stream, std::uint64_t end_ticks);
  // Call this when a taken op has ended, after computed() was called for the op.
  void ended() { --in_flight_; }

  [[nodiscard]] bool empty() const { return waiting_ == 0; }

 private:
  struct Entry {
    std::uint64_t ticks;
    OpNode* node;
    // If two ops have the same ready time, the op that was enqueued first comes first. Therefore the order of
    // the ops does not depend on the order in which threads call add().
    bool operator>(const Entry& other) const {
      return ticks != other.ticks ? ticks > other.ticks : node->number() > other.node->number();
    }
  };
  using ByReadyTime = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;  // earliest on top
  struct Lane {  // the state of one stream
    explicit Lane(ReadyOrder order) : queue(order) {}
    ByReadyTime coming;             // ops that are possibly not ready when the stream decides
    ReadyQueue queue;               // ops that are ready when the stream decides
    std::uint64_t start_ticks = 0;  // start of the stream's last op
    bool busy = false;              // the stream's last op is being computed
    std::uint64_t free_ticks = 0;   // end of the stream's last op; while busy: the earliest possible end
  };

  [[nodiscard]] static std::uint64_t decides_at(const Lane& lane, std::uint64_t now);
  // Returns the lane that decides at the earliest time. Null: no free lane has ops.
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
  std::size_t waiting_ = 0;    // number of ops added and not taken
  std::size_t in_flight_ = 0;  // number of ops taken and not ended
};

}  // namespace runahead::engine
