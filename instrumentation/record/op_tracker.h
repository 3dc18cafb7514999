// OpTracker: joins the events of each op, which come from several threads, into its OpRow. OpTracker counts
// run-ahead. It draws the arrows from an enqueue to its execution, and from an op's end to the wait that it
// released.
//
// Up to the watermark events arrive in time order. An event that arrives late still finds its op. If an op
// ends before its enqueue was seen (the naive engine executes inside the enqueue), the tracker waits up to a
// second for the enqueue.
//
// After losses (kBufferFull) an op whose end was lost would count as run-ahead forever. Therefore an op is
// given up if it has not started, was enqueued before the loss, and lags a second behind ended ops of its
// queue. Such an op is handed over without an end and counted as kUnfinishedSlice.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "instrumentation/record/batch_builder.h"
#include "instrumentation/record/deferred_event.h"
#include "instrumentation/record/derived_counters.h"
#include "instrumentation/record/open_op_table.h"
#include "instrumentation/record/queue_state.h"

namespace runahead::record {

class OpTracker {
 public:
  OpTracker(BatchBuilder& batch, CopyBandwidth& bandwidth) : batch_(batch), bandwidth_(bandwidth) {}

  void apply(const DeferredEvent& deferred);
  // Hands over ops that have waited long enough for missing events. Drops waits that have waited long enough
  // too. `now`: the watermark.
  void tidy(Timestamp now);
  // Events were lost at or before `at`.
  void note_loss(Timestamp at) { loss_at_ = at; }
  // Recording stopped: open ops are handed over without an end.
  void close_all(Timestamp at);

  void open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) const;
  // Appends at most `limit` open ops to `out`: the oldest half and the newest half, ordered by id.
  void open_ops(std::size_t limit, std::vector<trace::OpRow>& out);
  [[nodiscard]] std::size_t open_count() const { return table_.size(); }
  // The place where `op` was enqueued, while the op is open or remembered.
  struct EnqueuePlace {
    TrackId track = kNoTrack;
    Timestamp at{};
  };
  [[nodiscard]] std::optional<EnqueuePlace> enqueue_place(OpId op);
  [[nodiscard]] std::uint64_t lives_undrawn() const;

 private:
  // Ended ops are remembered, so that the op that released a wait can be found. An op overwrites the op of
  // the same engine whose number is smaller by 32768.
  static constexpr std::size_t kRemembered = 1u << 15;
  struct Ended {
    OpId op = kNoOp;
    TrackId track = kNoTrack;
    Timestamp started = trace::kNever, ended = trace::kNever;
    TrackId enqueue_track = kNoTrack;
    Timestamp enqueued = trace::kNever;
  };
  struct Queue {
    QueueState state;
    Timestamp latest_done = trace::kNever;  // the latest enqueue time of all ended ops
  };
  struct Late {
    OpId op = kNoOp;
    Timestamp since{};
  };

  void enqueued(const DeferredEvent& deferred);
  void enqueued_after_all(const DeferredEvent& deferred);
  // Returns the entry of the event's op, and makes it if needed; null: the op was already handed over.
  [[nodiscard]] OpEntry* entry_of(const DeferredEvent& deferred);
  void started(const DeferredEvent& deferred, Timestamp at);
  void ended(const DeferredEvent& deferred);
  void wait_released(const DeferredEvent& deferred);
  void finish(OpEntry& entry);
  void give_up(OpEntry& entry, Timestamp at);
  void give_up_stale(Timestamp now);
  [[nodiscard]] Queue& queue_of(const TrackDesc& desc);
  [[nodiscard]] trace::Slice life_of(const OpEntry& entry) const;
  [[nodiscard]] Ended& remembered(OpId op) {
    return ended_[(raw(op) ^ (raw(op) >> 48) * 0x9e37u) & (kRemembered - 1)];
  }
  bool draw_release(const DeferredEvent& wait);

  BatchBuilder& batch_;
  CopyBandwidth& bandwidth_;
  OpenOpTable table_;
  std::unordered_map<const TrackDesc*, Queue> queues_;
  const TrackDesc* latest_desc_ = nullptr;  // successive events usually share a queue
  Queue* latest_queue_ = nullptr;
  std::vector<Ended> ended_ = std::vector<Ended>(kRemembered);
  std::deque<Late> without_enqueue_;      // ops that have ended, but whose enqueue was not seen yet
  bool any_without_enqueue_ = false;      // a row was handed over without its enqueue, which may still arrive
  std::deque<DeferredEvent> unreleased_;  // waits whose releasing op has not been seen to end yet
  Timestamp loss_at_ = trace::kNever;
};

}  // namespace runahead::record
