#include "engine/stream_executor.h"

#include <string>

#include "instrumentation/record/hooks.h"

namespace runahead::engine {
namespace {

constexpr std::array<const char*, kStreamKindCount> kStreamNames{"compute", "copy to device", "copy to host"};

}  // namespace

DeviceStreams::DeviceStreams(Device& device, OpRunner& runner, Listener& listener)
    : device_(device), runner_(runner), listener_(listener) {
  for (int i = 0; i < kStreamKindCount; ++i) {
    tracks_[i] = &record::intern_track({.kind = trace::TrackKind::kStream,
                                        .group = device.name(),
                                        .name = kStreamNames[i],
                                        .device = device.name(),
                                        .simulated = device.simulated(),
                                        .sort_order = i});
  }
}

void DeviceStreams::submit(OpNode& node) {
  Work work;
  work.op = node.id;
  work.site = node.site;
  work.ready_ticks = node.ready_ticks.load(std::memory_order_relaxed);
  work.cost = node.cost;
  work.priority = node.priority;
  work.started = [this, &node](std::uint64_t start) { started(node, start); };
  work.run = [this, &node] { runner_.call(node); };
  work.done = [this, &node](std::uint64_t start, std::uint64_t end, std::uint8_t flags) {
    ended(node, start, end, flags);
  };
  device_.submit(node.stream, std::move(work));
}

void DeviceStreams::started(const OpNode& node, std::uint64_t start_ticks) const {
  if (!record::recording()) return;
  record::op_running({.site = node.site,
                      .track = &track(node.stream),
                      .op = node.id,
                      .ready_ticks = node.ready_ticks.load(std::memory_order_relaxed),
                      .start_ticks = start_ticks});
}

void DeviceStreams::ended(OpNode& node, std::uint64_t start_ticks, std::uint64_t end_ticks,
                          std::uint8_t flags) {
  const StreamKind stream = node.stream;
  if (node.poison.failure) flags |= trace::kSliceFailed;
  node.function.reset();
  if (record::recording()) {
    record::op_ran({.site = node.site,
                    .track = &track(stream),
                    .op = node.id,
                    .ready_ticks = node.ready_ticks.load(std::memory_order_relaxed),
                    .start_ticks = start_ticks,
                    .end_ticks = end_ticks,
                    .size_bytes = node.size_bytes,
                    .flags = flags});
  }
  ReadyList released;
  runner_.complete(node, end_ticks, released);
  listener_.op_ended(stream, released);
}

StreamExecutor::StreamExecutor(Device& device, OpRunner& runner, ReadyOrder order)
    : Executor(device),
      runner_(runner),
      lanes_{Lane(order), Lane(order), Lane(order)},
      streams_(device, runner, *this) {}

void StreamExecutor::make_ready(OpNode& node) {
  Lane& of = lane(node.stream);
  {
    const std::lock_guard lock(of.mutex);
    of.queue.push(node);
    if (of.busy) return;
    of.busy = true;
  }
  pump(of);
}

// The calling thread has made the lane busy: submits the next op, or leaves it idle.
void StreamExecutor::pump(Lane& lane) {
  for (;;) {
    OpNode* node = nullptr;
    {
      const std::lock_guard lock(lane.mutex);
      node = lane.queue.pop();
      if (node == nullptr) {
        lane.busy = false;
        return;
      }
    }
    if (runner_.start(*node)) {
      streams_.submit(*node);
      return;
    }
    ReadyList released;
    runner_.skip(*node, released);
    make_all_ready(released);  // ops of this lane are only queued: it is busy
  }
}

void StreamExecutor::op_ended(StreamKind stream, ReadyList& released) {
  make_all_ready(released);
  pump(lane(stream));
}

NaiveExecutor::NaiveExecutor(Device& device, OpRunner& runner, Duration spin)
    : Executor(device), runner_(runner), spin_(usable_spin(spin)), streams_(device, runner, *this) {}

void NaiveExecutor::accept(OpNode& node, bool ready) {
  if (!ready) {  // another frontend's op is in the way
    std::unique_lock lock(mutex_);
    became_ready_.wait(lock, [&] { return ready_.erase(&node) > 0; });
  }
  ReadyList released;
  if (device().runs_on_caller()) {
    runner_.run_here(node, 0, released);
  } else if (runner_.start(node)) {
    Waiter ended;
    WaitEdge edge(ended);
    const bool pushed = node.push(edge);
    RUNAHEAD_CHECK(pushed);  // it cannot be done before it was submitted
    streams_.submit(node);
    ended.wait(spin_);
  } else {
    runner_.skip(node, released);
  }
  make_all_ready(released);
}

void NaiveExecutor::make_ready(OpNode& node) {
  const std::lock_guard lock(mutex_);
  ready_.insert(&node);
  became_ready_.notify_all();
}

}  // namespace runahead::engine
