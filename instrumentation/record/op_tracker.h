// OpTracker: joins the moments of each op, which come from several threads, into its OpRow; counts run-ahead;
// draws the arrows from enqueue to execution and from an end to the wait that it released.
//
// It is told in order of time as far as the watermark reaches. What comes later still finds its op: an
// enqueue whose op has ended already (the naive engine executes within it) is waited for up to a second.
//
// After losses (kBufferFull) an op whose end was lost would count as run-ahead for ever. An op that has not
// started, was enqueued before the loss, and lags a second behind others of its queue that ended, is given
// up: handed over without its end, and counted as kUnfinishedSlice.
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
  // Ends what has been waited for long enough; `now`: the watermark.
  void tidy(Timestamp now);
  // Events were lost at or before `at`.
  void note_loss(Timestamp at) { loss_at_ = at; }
  // Recording stopped: what is open is handed over without its end.
  void close_all(Timestamp at);

  void open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) const;
  // At most `limit`, the oldest half and the newest half, in the order of ids.
  void open_ops(std::size_t limit, std::vector<trace::OpRow>& out);
  [[nodiscard]] std::size_t open_count() const { return table_.size(); }
  // Where `op` was enqueued, as long as it is open or remembered.
  struct EnqueuePlace {
    TrackId track = kNoTrack;
    Timestamp at{};
  };
  [[nodiscard]] std::optional<EnqueuePlace> enqueue_place(OpId op);
  [[nodiscard]] std::uint64_t lives_undrawn() const;

 private:
  // Ended ops, long enough to find what released a wait; an op is overwritten by one 32768 ops later.
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
    Timestamp latest_done = trace::kNever;  // enqueue of the latest enqueued op that ended
  };
  struct Late {
    OpId op = kNoOp;
    Timestamp since{};
  };

  void enqueued(const DeferredEvent& deferred);
  void enqueued_after_all(const DeferredEvent& deferred);
  // The entry of the moment's op, made if there is none; null: the op was handed over before.
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
  const TrackDesc* latest_desc_ = nullptr;  // neighbours in time mostly share a queue
  Queue* latest_queue_ = nullptr;
  std::vector<Ended> ended_ = std::vector<Ended>(kRemembered);
  std::deque<Late> without_enqueue_;      // ended, enqueue not seen yet
  bool any_without_enqueue_ = false;      // a row was handed over without its enqueue: that may yet come
  std::deque<DeferredEvent> unreleased_;  // waits whose releasing op has not been seen to end yet
  Timestamp loss_at_ = trace::kNever;
};

}  // namespace runahead::record
