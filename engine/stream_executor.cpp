#include "engine/stream_executor.h"

#include <algorithm>
#include <string>

#include "instrumentation/base/check.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

// Returns the op's ready time, but at most its start time. Reason: a device has its own clock. Because of
// clock errors, the device may report a start before the ready time.
std::uint64_t ready_before(const OpNode& node, std::uint64_t start_ticks) {
  return std::min(node.ready_ticks.load(std::memory_order_relaxed), start_ticks);
}

}  // namespace

DeviceStreams::DeviceStreams(Device& device, OpRunner& runner, Listener& listener)
    : device_(device), runner_(runner), listener_(listener) {
  for (int i = 0; i < kStreamKindCount; ++i) {
    tracks_[i] = &record::intern_track({.kind = trace::TrackKind::kStream,
                                        .group = device.name(),
                                        .name = stream_name(static_cast<StreamKind>(i)),
                                        .device = device.name(),
                                        .simulated = device.simulated(),
                                        .sort_order = i});
  }
}

void DeviceStreams::submit(OpNode& node) {
  OpExtra* const extra = node.extra();
  RUNAHEAD_CHECK(extra != nullptr);  // the executor is modelled(), so the node has an OpExtra
  Work work;
  work.op = node.id;
  work.site = node.site;
  work.ready_ticks = node.ready_ticks.load(std::memory_order_relaxed);
  work.cost = extra->cost;
  work.priority = extra->priority;
  for (std::size_t s = 0; s < work.after.size(); ++s)
    work.after[s] = extra->after[s].load(std::memory_order_relaxed);
  extra->number_on_stream =
      submitted_[static_cast<std::size_t>(node.traits.stream)].fetch_add(1, std::memory_order_relaxed) + 1;
  if (node.executor->counts_memory_at_start()) extra->memory = std::make_unique<MemoryAtStart>();
  if (record::recording() || extra->memory)
    work.started = [this, &node](std::uint64_t start) { started(node, start); };
  work.run = [this, &node] {
    // A bulk is not computed ahead: each member frees its memory when it has run, so it would do so before
    // the bulk's start.
    MemoryAtStart* const memory = node.extra()->memory.get();
    if (node.traits.bulk && memory != nullptr) memory->wait();
    runner_.call(node);
  };
  work.computed = [this, &node](std::uint64_t, std::uint64_t end, std::uint8_t) {
    listener_.op_computed(node, end);
  };
  work.was_ready = [&node](std::uint64_t ticks) { node.raise_ready(ticks); };
  work.failed = [this, &node](const std::string& what) { runner_.fail_late(node, what); };
  work.done = [this, &node](std::uint64_t start, std::uint64_t end, std::uint8_t flags) {
    ended(node, start, end, flags);
  };
  device_.submit(node.traits.stream, std::move(work));
}

void DeviceStreams::started(const OpNode& node, std::uint64_t start_ticks) const {
  if (MemoryAtStart* const memory = node.extra()->memory.get()) memory->start();
  if (!record::recording()) return;
  record::op_running({.site = node.site,
                      .track = &track(node.traits.stream),
                      .op = node.id,
                      .ready_ticks = ready_before(node, start_ticks),
                      .start_ticks = start_ticks});
}

void DeviceStreams::ended(OpNode& node, std::uint64_t start_ticks, std::uint64_t end_ticks,
                          std::uint8_t flags) {
  const OpId op = node.id;
  const StreamKind stream = node.traits.stream;
  if (node.final_failure()) flags |= trace::kSliceFailed;
  if (record::recording()) {
    if (node.traits.bulk) members_ran(node, start_ticks, end_ticks, flags);
    record::op_ran({.site = node.site,
                    .track = &track(stream),
                    .op = node.id,
                    .ready_ticks = ready_before(node, start_ticks),
                    .start_ticks = start_ticks,
                    .end_ticks = end_ticks,
                    .size_bytes = node.extra()->size_bytes,
                    .flags = flags});
  }
  node.drop_function();
  ReadyList released;
  runner_.complete(node, end_ticks, released);
  listener_.op_ended(op, stream, end_ticks, released);
}

// Records a slice for each member of a bulk (a group of ops that runs as one op, see BulkBook). The slices
// follow one another and together fill the bulk's slice. The length of each member's slice is proportional to
// its modelled time.
void DeviceStreams::members_ran(const OpNode& node, std::uint64_t start_ticks, std::uint64_t end_ticks,
                                std::uint8_t flags) const {
  const std::vector<BulkMember>& members = node.extra()->members;
  const auto weight = [&](const BulkMember& member) {
    return static_cast<double>(
        std::max<std::uint64_t>(device_.modelled_ticks(node.traits.stream, member.cost), 1));
  };
  double all = 0, before = 0;
  for (const BulkMember& member : members) all += weight(member);
  const auto at = [&](double share) {
    return start_ticks +
           static_cast<std::uint64_t>(share / all * static_cast<double>(end_ticks - start_ticks));
  };
  for (const BulkMember& member : members) {
    const std::uint64_t begin = at(before);
    before += weight(member);
    record::op_ran({.site = member.site,
                    .track = &track(node.traits.stream),
                    .op = member.id,
                    .ready_ticks = ready_before(node, start_ticks),
                    .start_ticks = begin,
                    .end_ticks = &member == &members.back() ? end_ticks : at(before),
                    .flags = flags});
  }
}

Executor::Ways StreamExecutor::ways_of(const Device& device, AllocationTime allocation) {
  const bool at_execution = allocation == AllocationTime::kAtExecution;
  const bool looks_ahead = device.lookahead_ticks() > 0 && (!at_execution || device.starts_on_time());
  // On a timing-only device, the frontend allocates.
  return {.looks_ahead = looks_ahead,
          .counts_memory_at_start = looks_ahead && at_execution && device.holds_values()};
}

StreamExecutor::StreamExecutor(Device& device, LeftTally& left, OpRunner& runner, ReadyOrder order,
                               AllocationTime allocation)
    : Executor(device, left, ways_of(device, allocation)),
      runner_(runner),
      schedule_(device, runner, order, looks_ahead() ? device.lookahead_ticks() : 0),
      streams_(device, runner, *this) {}

void StreamExecutor::make_ready(OpNode& node) {
  {
    const MutexLock lock(mutex_);
    schedule_.add(node);
  }
  pump();
}

OpNode* StreamExecutor::next_locked(bool& runs) {
  // if no op is queued, the device must not be called, because its destruction may have begun
  if (schedule_.empty()) return nullptr;
  const std::uint64_t now = device().now_ticks();
  OpNode* node = schedule_.take(now);
  runs = node != nullptr;
  if (runs || skipping_) return node;
  node = schedule_.take_refused(now);
  skipping_ = node != nullptr;
  return node;
}

void StreamExecutor::pump() {
  MutexLock lock(mutex_);
  bool runs = false;
  while (OpNode* const node = next_locked(runs)) {
    lock.unlock();
    if (runs) {
      streams_.submit(*node);
    } else {
      ReadyList released;
      runner_.skip(*node, released);
      make_all_ready(released);
    }
    lock.lock();
    if (!runs) skipping_ = false;
  }
  const std::uint64_t at = next_look_locked();
  lock.unlock();
  if (at == StreamSchedule::kNever) return;
  device().call_at(at, [this] {
    {
      const MutexLock relock(mutex_);
      look_again_ticks_ = StreamSchedule::kNever;
    }
    pump();
  });
}

std::uint64_t StreamExecutor::next_look_locked() {
  const std::uint64_t at = schedule_.empty() ? StreamSchedule::kNever : schedule_.look_again_at();
  if (at >= look_again_ticks_) return StreamSchedule::kNever;
  look_again_ticks_ = at;
  return at;
}

void StreamExecutor::op_computed(OpNode& node, std::uint64_t end_ticks) {
  if (!looks_ahead()) return;
  ReadyList released;
  runner_.release_near(node, end_ticks, released);
  {
    const MutexLock lock(mutex_);
    schedule_.computed(node.traits.stream, end_ticks);
    while (OpNode* const next = released.pop_front())
      schedule_.add(*next);  // all released ops belong to
                             // this device
  }
  pump();
}

void StreamExecutor::op_ended(OpId, StreamKind stream, std::uint64_t end_ticks, ReadyList& released) {
  ReadyList elsewhere;
  {
    // the lock is held for the whole loop, so that the next take() sees all ops that this op released
    const MutexLock lock(mutex_);
    while (OpNode* const next = released.pop_front()) {
      next->executor == this ? schedule_.add(*next) : elsewhere.push_back(*next);
    }
    if (!looks_ahead()) schedule_.computed(stream, end_ticks);
    schedule_.ended();
  }
  make_all_ready(elsewhere);
  pump();
}

NaiveExecutor::NaiveExecutor(Device& device, LeftTally& left, OpRunner& runner, Duration spin)
    : Executor(device, left, {}),
      runner_(runner),
      spin_(usable_spin(spin)),
      streams_(device, runner, *this) {}

void NaiveExecutor::accept(OpNode& node, bool ready) {
  if (!ready) {  // the op depends on an op of another frontend: wait for that op
    MutexLock lock(mutex_);
    became_ready_.wait(lock.native(), [&]() RUNAHEAD_REQUIRES(mutex_) { return ready_.erase(&node) > 0; });
  }
  ReadyList released;
  if (device().runs_on_caller()) {
    runner_.run_here(node, 0, released);
  } else if (runner_.start(node)) {
    Waiter ended;
    {
      const MutexLock lock(mutex_);
      submitted_.emplace(node.id, &ended);
    }
    streams_.submit(node);
    ended.wait({.spin = spin_});
  } else {
    runner_.skip(node, released);
  }
  make_all_ready(released);
}

void NaiveExecutor::op_ended(OpId op, StreamKind, std::uint64_t, ReadyList& released) {
  make_all_ready(released);
  Waiter* waiter = nullptr;
  {
    const MutexLock lock(mutex_);
    waiter = submitted_.extract(op).mapped();
  }
  waiter->signal(op);
}

void NaiveExecutor::make_ready(OpNode& node) {
  const MutexLock lock(mutex_);
  ready_.insert(&node);
  became_ready_.notify_all();
}

}  // namespace runahead::engine
