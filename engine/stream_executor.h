// StreamExecutor: hands ops to a device with its own streams (virtual, cuda, opencl), one op at a time per
// stream, in the order of its StreamSchedule. DeviceStreams: the part that StreamExecutor and NaiveExecutor
// share; it submits ops to the device and records them.
//
// A device may look ahead (Device::lookahead_ticks). On such a device, an op completes in two stages:
// - First, the op's values are computed. At this stage the op's successors on the same device become ready,
//   and the device may already compute them. The ready time of these successors is the modelled end of the
//   op, which may be in the future.
// - Later, the op reaches its modelled end. Only now the op's successors on other devices become ready,
//   waiting frontends wake up, and versions and counts change.
// Outside the device, no value is visible before its modelled time.
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
  // Called on the device's threads.
  class Listener {
   public:
    // The op's values are computed (CUDA, OpenCL: the op is on its stream). end_ticks: the modelled end of
    // the op, which may be in the future (CUDA, OpenCL: the time of the launch).
    virtual void op_computed(OpNode&, std::uint64_t /*end_ticks*/) {}
    // The op has ended at end_ticks. `released`: the successors that this end made ready. The op is passed by
    // its OpId and not by its OpNode, because the OpNode may already be in use for another op.
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
  // Number of work items submitted so far; index: stream. On a device that looks ahead, only one thread at a
  // time submits to a stream, so the numbers give the order of submission.
  std::array<std::atomic<std::uint64_t>, kStreamKindCount> submitted_{};
  std::array<const record::TrackDesc*, kStreamKindCount> tracks_;
};

class StreamExecutor final : public Executor, private DeviceStreams::Listener {
 public:
  // With AllocationTime::kAtExecution, the executor looks ahead only if Device::starts_on_time(). Otherwise,
  // the memory of values that are computed ahead would count before the modelled time of its allocation.
  StreamExecutor(Device& device, LeftTally& left, OpRunner& runner, ReadyOrder order,
                 AllocationTime allocation);
  void make_ready(OpNode& node) override;

 private:
  [[nodiscard]] static Ways ways_of(const Device& device, AllocationTime allocation);
  void op_computed(OpNode& node, std::uint64_t end_ticks) override;
  void op_ended(OpId op, StreamKind stream, std::uint64_t end_ticks, ReadyList& released) override;
  // Submits the ops that schedule_ lets run, and skips the ops that it refuses.
  void pump();
  // Returns the next op for pump(). Sets `runs` to false if pump() must skip the op. Null: no op can run now.
  [[nodiscard]] OpNode* next_locked(bool& runs) RUNAHEAD_REQUIRES(mutex_);
  // Returns the time at which the device must next call pump(). kNever: the device has already been asked to
  // call it, or no op is queued.
  [[nodiscard]] std::uint64_t next_look_locked() RUNAHEAD_REQUIRES(mutex_);

  OpRunner& runner_;
  Mutex mutex_;  // the device's clock may be read while this mutex is held
  StreamSchedule schedule_ RUNAHEAD_GUARDED_BY(mutex_);
  // True: a thread is skipping an op. Only one thread skips at a time, so a long chain of skipped ops does
  // not recurse.
  bool skipping_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  // The time at which the device will call pump() again. kNever: no call was requested.
  std::uint64_t look_again_ticks_ RUNAHEAD_GUARDED_BY(mutex_) = StreamSchedule::kNever;
  DeviceStreams streams_;
};

// Runs each op inside accept(): on the calling thread, or on the device while the calling thread waits.
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
  Mutex mutex_;  // never nests
  // ops that an op of another frontend made ready
  std::unordered_set<OpNode*> ready_ RUNAHEAD_GUARDED_BY(mutex_);
  std::unordered_map<OpId, Waiter*> submitted_
      RUNAHEAD_GUARDED_BY(mutex_);  // for each op on the device: the Waiter of the frontend that enqueued it
};

}  // namespace runahead::engine
