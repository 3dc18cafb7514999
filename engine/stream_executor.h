// StreamExecutor: hands ops to a device with streams of its own (virtual, cuda), one at a time per stream, in
// the order of its StreamSchedule. DeviceStreams: the part that the naive engine shares.
//
// On a device that may look ahead (Device::lookahead_ticks) an op is let go in two steps. When its values are
// there, those that follow it on the same device become ready, for the time at which it will end, and may be
// computed before that. When it ends, all else happens: what follows it on other devices, waits, versions,
// counts. Nothing outside the device sees a value before its modelled time.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <unordered_map>
#include <unordered_set>

#include "engine/executor.h"
#include "engine/op_runner.h"
#include "engine/stream_schedule.h"
#include "instrumentation/base/mutex.h"

namespace runahead::engine {

// Submits ops to a device and records what they did on its streams. Any thread.
class DeviceStreams {
 public:
  // Told on the device's threads.
  class Listener {
   public:
    // Its values are there; it will end, or has ended, at end_ticks.
    virtual void op_computed(OpNode&, std::uint64_t /*end_ticks*/) {}
    // The op has ended, at end_ticks, and released these. Its node is another op's.
    virtual void op_ended(OpId op, StreamKind stream, std::uint64_t end_ticks, ReadyList& released) = 0;

   protected:
    ~Listener() = default;
  };
  DeviceStreams(Device& device, OpRunner& runner, Listener& listener);
  void submit(OpNode& node);  // REQUIRES: runner.start(node)

 private:
  void started(const OpNode& node, std::uint64_t start_ticks) const;
  void members_ran(const OpNode& node, std::uint64_t start_ticks, std::uint64_t end_ticks,
                   std::uint8_t flags) const;
  void ended(OpNode& node, std::uint64_t start_ticks, std::uint64_t end_ticks, std::uint8_t flags);
  [[nodiscard]] const record::TrackDesc& track(StreamKind stream) const {
    return *tracks_[static_cast<std::size_t>(stream)];
  }

  Device& device_;
  OpRunner& runner_;
  Listener& listener_;
  // Submitted so far, by stream. Where it matters (the device looks ahead), one submits to a stream at a
  // time.
  std::array<std::atomic<std::uint64_t>, kStreamKindCount> submitted_{};
  std::array<const record::TrackDesc*, kStreamKindCount> tracks_;
};

class StreamExecutor final : public Executor, private DeviceStreams::Listener {
 public:
  // may_look_ahead: false where an op takes its memory when it runs (AllocationTime::kAtExecution), as then
  // values computed ahead would hold more of it than the model says.
  StreamExecutor(Device& device, LeftTally& left, OpRunner& runner, ReadyOrder order, bool may_look_ahead);
  void make_ready(OpNode& node) override;

 private:
  void op_computed(OpNode& node, std::uint64_t end_ticks) override;
  void op_ended(OpId op, StreamKind stream, std::uint64_t end_ticks, ReadyList& released) override;
  // Submits what the schedule gives, and skips what it refuses.
  void pump();
  // The next op for pump(); to be skipped if not `runs`. Null: none now.
  [[nodiscard]] OpNode* next_locked(bool& runs) RUNAHEAD_REQUIRES(mutex_);
  // When the device has to call pump() next; kNever: it has been asked to, or nothing is queued.
  [[nodiscard]] std::uint64_t next_look_locked() RUNAHEAD_REQUIRES(mutex_);

  OpRunner& runner_;
  Mutex mutex_;  // the device's clock may be read under it
  StreamSchedule schedule_ RUNAHEAD_GUARDED_BY(mutex_);
  // A thread skips an op. One at a time, so that a long chain of them does not recurse.
  bool skipping_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  // When the device has been asked to call pump().
  std::uint64_t look_again_ticks_ RUNAHEAD_GUARDED_BY(mutex_) = StreamSchedule::kNever;
  DeviceStreams streams_;
};

// Runs each op inside accept(): on the calling thread, or on the device while that thread waits.
class NaiveExecutor final : public Executor, private DeviceStreams::Listener {
 public:
  NaiveExecutor(Device& device, LeftTally& left, OpRunner& runner, Duration spin);
  [[nodiscard]] bool runs_inside_enqueue() const override { return true; }
  void accept(OpNode& node, bool ready) override;
  void make_ready(OpNode& node) override;

 private:
  void op_ended(OpId op, StreamKind, std::uint64_t, ReadyList& released) override;

  OpRunner& runner_;
  const Duration spin_;
  DeviceStreams streams_;
  std::condition_variable became_ready_;
  Mutex mutex_;                                                    // never nests
  std::unordered_set<OpNode*> ready_ RUNAHEAD_GUARDED_BY(mutex_);  // ops that another frontend's op let go
  std::unordered_map<OpId, Waiter*> submitted_
      RUNAHEAD_GUARDED_BY(mutex_);  // ops on the device, and who waits for each
};

}  // namespace runahead::engine
