// OpTracker: joins the events of each op, which come from several threads, into its OpRow. OpTracker also
// counts run-ahead: the ops that are enqueued and have not ended. It draws the arrows from an enqueue to its
// execution, and from the end of an op to the wait that the op released.
//
// Drain sorts the events of all threads up to a time, the watermark, and passes them to OpTracker in time
// order. An event may arrive after the watermark has passed its time; OpTracker still finds the op of this
// event by its id. If an op ends before its enqueue was seen (the naive engine executes inside the enqueue),
// the tracker waits up to a second for the enqueue.
//
// When a buffer was full (kBufferFull), the end of an op may be lost. Such an op would count as run-ahead
// forever. Therefore the tracker gives up an op that has not started and was enqueued before the loss, as
// soon as its queue has ended an op that was enqueued more than a second later. The row of an op that is
// given up has no end, and the op is counted as kUnfinishedSlice.
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
  // Adds the rows of ended ops that have waited long enough for their enqueue. Drops waits that have waited
  // long enough for the end of the op that released them. `now`: the watermark.
  void tidy(Timestamp now);
  // Reports that events were lost at or before `at`. The ends of open ops may be among them.
  void note_loss(Timestamp at) { loss_at_ = at; }
  // Recording stopped: adds the rows of all open ops without an end.
  void close_all(Timestamp at);

  void open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) const;
  // Appends the open ops to `out`, ordered by id. If there are more than `limit`, appends only limit / 2 of
  // the oldest ops and as many of the newest ops.
  void open_ops(std::size_t limit, std::vector<trace::OpRow>& out);
  [[nodiscard]] std::size_t open_count() const { return table_.size(); }
  // Where and when `op` was enqueued. This is known while the op is open, and after its end as long as ended_
  // remembers the op.
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
  // Returns the entry of the event's op, and makes it if needed; null: the op's row is already in the batch.
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
  const TrackDesc* latest_desc_ = nullptr;  // cache: successive events usually share a queue
  Queue* latest_queue_ = nullptr;
  std::vector<Ended> ended_ = std::vector<Ended>(kRemembered);
  std::deque<Late> without_enqueue_;      // ops that have ended, but whose enqueue was not seen yet
  bool any_without_enqueue_ = false;      // an op's row was added without its enqueue, which may still arrive
  std::deque<DeferredEvent> unreleased_;  // waits: the op that released the wait has no end event yet
  Timestamp loss_at_ = trace::kNever;
};

}  // namespace runahead::record
