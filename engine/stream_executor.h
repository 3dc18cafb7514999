// StreamExecutor: hands ops to a device with streams of its own (virtual, cuda), one at a time per stream, in
// the engine's order. DeviceStreams: the part that the naive engine shares.
#pragma once

#include <array>
#include <mutex>
#include <unordered_set>

#include "engine/executor.h"
#include "engine/op_runner.h"
#include "engine/ready_queue.h"

namespace runahead::engine {

// Submits ops to a device and records what they did on its streams. Any thread.
class DeviceStreams {
 public:
  // Told on the device's thread when an op has ended, with what it released.
  class Listener {
   public:
    virtual void op_ended(StreamKind stream, ReadyList& released) = 0;

   protected:
    ~Listener() = default;
  };
  DeviceStreams(Device& device, OpRunner& runner, Listener& listener);
  void submit(OpNode& node);  // REQUIRES: runner.start(node)

 private:
  void started(const OpNode& node, std::uint64_t start_ticks) const;
  void ended(OpNode& node, std::uint64_t start_ticks, std::uint64_t end_ticks, std::uint8_t flags);
  [[nodiscard]] const record::TrackDesc& track(StreamKind stream) const {
    return *tracks_[static_cast<std::size_t>(stream)];
  }

  Device& device_;
  OpRunner& runner_;
  Listener& listener_;
  std::array<const record::TrackDesc*, kStreamKindCount> tracks_;
};

class StreamExecutor final : public Executor, private DeviceStreams::Listener {
 public:
  StreamExecutor(Device& device, OpRunner& runner, ReadyOrder order);
  void make_ready(OpNode& node) override;

 private:
  // One stream: at most one op is with the device, the others wait here.
  struct Lane {
    explicit Lane(ReadyOrder order) : queue(order) {}
    std::mutex mutex;  // guards the rest; never nests
    ReadyQueue queue;
    bool busy = false;  // an op is with the device, or a thread is choosing the next
  };
  void op_ended(StreamKind stream, ReadyList& released) override;
  void pump(Lane& lane);
  Lane& lane(StreamKind stream) { return lanes_[static_cast<std::size_t>(stream)]; }

  OpRunner& runner_;
  std::array<Lane, kStreamKindCount> lanes_;
  DeviceStreams streams_;
};

// Runs each op inside accept(): on the calling thread, or on the device while that thread waits.
class NaiveExecutor final : public Executor, private DeviceStreams::Listener {
 public:
  NaiveExecutor(Device& device, OpRunner& runner, Duration spin);
  void accept(OpNode& node, bool ready) override;
  void make_ready(OpNode& node) override;

 private:
  void op_ended(StreamKind, ReadyList& released) override { make_all_ready(released); }

  OpRunner& runner_;
  const Duration spin_;
  DeviceStreams streams_;
  std::mutex mutex_;  // guards ready_; never nests
  std::condition_variable became_ready_;
  std::unordered_set<OpNode*> ready_;  // ops that another frontend's op let go
};

}  // namespace runahead::engine
