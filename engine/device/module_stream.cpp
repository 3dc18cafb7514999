#include "engine/device/module_stream.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "engine/device/module_arithmetic.h"
#include "engine/device/module_device.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/hooks/device_activity.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

// How long a thread spins for an event before it sleeps. A short work item ends sooner than a sleeping thread
// wakes up. With many processors, a thread spins longer, as CUDA's own waits do: waking up took 0.3 ms on a
// virtual machine with an H200, a quarter of the time of a copy of 64 MiB (docs/gpu.md).
std::chrono::nanoseconds spin_time() {
  constexpr unsigned kManyProcessors = 8;
  static const auto time = std::thread::hardware_concurrency() >= kManyProcessors
                               ? std::chrono::microseconds(2000)
                               : std::chrono::microseconds(50);
  return time;
}
// The time between two queries of an event. Queries without a pause hold up the threads that launch work,
// because the driver has one lock for a context.
constexpr std::chrono::nanoseconds kBetweenQueries{2000};

std::uint64_t ticks_after(std::chrono::nanoseconds duration) {
  const TickClock& clock = TickClock::get();
  return clock.now() +
         static_cast<std::uint64_t>(static_cast<double>(duration.count()) * clock.ticks_per_ns());
}

// CallsOf: while this object lives, an activity source (such as CUPTI) attributes the CUDA calls of the
// calling thread to the op `op`.
class CallsOf {
 public:
  CallsOf(const record::DeviceActivity& activity, OpId op) : activity_(activity) {
    activity_.push_op(raw(op));
  }
  ~CallsOf() { activity_.pop_op(); }
  CallsOf(const CallsOf&) = delete;
  CallsOf& operator=(const CallsOf&) = delete;

 private:
  const record::DeviceActivity& activity_;
};

}  // namespace

ModuleStream::ModuleStream(const RunaheadDeviceApi& api, std::string name, void* device, StreamKind kind,
                           ModuleClock& clock, CardMemory* card)
    : api_(api),
      name_(std::move(name)),
      device_(device),
      kind_(kind),
      clock_(clock),
      card_(card),
      queue_track_(record::intern_track({.kind = trace::TrackKind::kQueue,
                                         .group = name_,
                                         .name = std::string(stream_name(kind)) + ", queue of the driver",
                                         .device = name_,
                                         .sort_order = kStreamKindCount + static_cast<std::int32_t>(kind)})) {
  check_module(api_, name_, "making a stream", api_.make_stream(device_, &stream_));
  arithmetic_ = make_module_arithmetic(api_, name_, device_, stream_);
}

ModuleStream::~ModuleStream() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (launcher_.joinable()) launcher_.join();
  if (ender_.joinable()) ender_.join();
  for (const Events& events : spare_events_) {
    api_.free_event(device_, events.start);
    api_.free_event(device_, events.end);
  }
  arithmetic_.reset();
  api_.free_stream(device_, stream_);
}

void ModuleStream::serve(const Siblings& siblings) {
  siblings_ = siblings;
  launcher_ = std::thread([this] { launch_all(); });
  ender_ = std::thread([this] { end_all(); });
}

void ModuleStream::submit(Work work) {
  const MutexLock lock(mutex_);
  queue_.push_back(std::move(work));
  changed_.notify_all();
}

// ---- putting work items on the stream ---------------------------------------------------------------------

void ModuleStream::launch_all() {
  record::name_thread(trace::TrackKind::kThread, name_ + " " + stream_name(kind_));
  for (;;) {
    Work work;
    {
      MutexLock lock(mutex_);
      changed_.wait(lock.native(), [this]() RUNAHEAD_REQUIRES(mutex_) {
        return (stopping_ && queue_.empty()) || (!queue_.empty() && in_flight_.size() < kModuleInFlight);
      });
      if (queue_.empty()) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    launch(std::move(work));
  }
}

void ModuleStream::launch(Work work) {
  Launched* launched = nullptr;
  {
    const MutexLock lock(mutex_);
    // the new element stays at its address: in_flight_ is a deque, and only its front is removed
    launched = &in_flight_.emplace_back();
    launched->number = launched_count_ + 1;
    launched->work = std::move(work);
  }
  try {
    put_on_stream(*launched);
  } catch (const std::exception& error) {
    launched->error = error.what();
    // A part of the item may be on the stream, and no event is after it. The item's memory is free once it
    // has ended, so the part has to end first.
    (void)api_.await_stream(device_, stream_);
  }
  const std::uint64_t now = TickClock::get().now();
  {
    const MutexLock lock(mutex_);
    ++launched_count_;  // after this line, other streams may wait for this work item
  }
  if (launched->work.computed) launched->work.computed(now, now, 0);
  const MutexLock lock(mutex_);
  launched->computed_returned = true;
  changed_.notify_all();
}

// Gives the stream's name to an activity source (such as CUPTI), once for each source that starts while the
// stream lives.
void ModuleStream::tell_name(const record::DeviceActivity& activity) {
  if (told_ == &activity) return;
  told_ = &activity;
  void* stream = nullptr;
  check_module(api_, name_, "using a stream", api_.native_stream(device_, stream_, &stream));
  if (stream == nullptr) return;
  activity.name_stream(stream, (std::string(stream_name(kind_)) + ", by CUPTI").c_str());
}

void ModuleStream::put_on_stream(Launched& launched) {
  const record::DeviceActivity& activity = record::device_activity();
  tell_name(activity);
  const CallsOf calls(activity, launched.work.op);
  launched.events = take_events();
  launched.reference = clock_.reference();
  await_siblings(launched.work);
  check_module(api_, name_, "recording an event",
               api_.record_event(device_, launched.events.start, stream_, kRunaheadBeforeWork));
  launched.work.run();
  check_module(api_, name_, "recording an event",
               api_.record_event(device_, launched.events.end, stream_, kRunaheadAfterWork));
}

ModuleStream::Events ModuleStream::take_events() {
  {
    const MutexLock lock(mutex_);
    if (!spare_events_.empty()) {
      const Events events = spare_events_.back();
      spare_events_.pop_back();
      return events;
    }
  }
  Events events;
  check_module(api_, name_, "making an event", api_.make_event(device_, &events.start));
  if (const std::int32_t status = api_.make_event(device_, &events.end); status != 0) {
    api_.free_event(device_, events.start);
    check_module(api_, name_, "making an event", status);
  }
  return events;
}

void ModuleStream::await_siblings(const Work& work) {
  for (ModuleStream* const other : siblings_) {
    const std::uint64_t number = work.after[static_cast<std::size_t>(other->kind_)];
    if (other == this || number == 0) continue;
    if (!make_stream_await(*other, number))
      throw std::runtime_error(name_ + ": a work follows one that has not been launched");
  }
}

// Makes our stream wait for work item `number` of the other stream. If that item has already ended, no wait
// is needed. Returns false if the item has not been launched. This is an error of the engine, because an item
// is submitted only after its predecessors on other streams were launched.
bool ModuleStream::make_stream_await(ModuleStream& other, std::uint64_t number) {
  const MutexLock lock(other.mutex_);
  if (number > other.launched_count_) return false;
  if (number <= other.ended_count_) return true;
  const Launched& before = other.in_flight_[static_cast<std::size_t>(number - other.ended_count_ - 1)];
  // the item failed before it was put on the stream, so there is nothing to wait for
  if (before.events.end == nullptr || !before.error.empty()) return true;
  check_module(api_, name_, "making a stream wait", api_.stream_awaits(device_, stream_, before.events.end));
  return true;
}

// ---- ending work items ------------------------------------------------------------------------------------

void ModuleStream::end_all() {
  record::name_thread(trace::TrackKind::kThread, name_ + " " + stream_name(kind_) + " completion");
  for (;;) {
    Launched* launched = nullptr;
    {
      MutexLock lock(mutex_);
      changed_.wait(lock.native(), [this]() RUNAHEAD_REQUIRES(mutex_) {
        return (stopping_ && in_flight_.empty()) ||
               (!in_flight_.empty() && in_flight_.front().computed_returned);
      });
      if (in_flight_.empty()) return;
      launched = &in_flight_.front();
    }
    end(*launched);
  }
}

void ModuleStream::await(void* event, std::string& error) const {
  const TickClock& clock = TickClock::get();
  const std::uint64_t until = ticks_after(spin_time());
  std::int32_t status = api_.query_event(device_, event);
  while (status == kRunaheadNotReady && clock.now() < until) {
    const std::uint64_t next = ticks_after(kBetweenQueries);
    do {
      std::this_thread::yield();
    } while (clock.now() < next);
    status = api_.query_event(device_, event);
  }
  if (status == kRunaheadNotReady) status = api_.await_event(device_, event);
  if (status != 0 && error.empty()) error = name_ + ": " + api_.error_text(status);
}

std::uint64_t ModuleStream::end_of(std::uint64_t number) const {
  const MutexLock lock(mutex_);
  const bool known = number != 0 && number <= ended_count_ && number + kEnds > ended_count_;
  return known ? ends_[number % kEnds] : 0;
}

std::uint64_t ModuleStream::ready_of(const Work& work) const {
  std::uint64_t ready = 0;
  for (const ModuleStream* const other : siblings_)
    ready = std::max(ready, other->end_of(work.after[static_cast<std::size_t>(other->kind_)]));
  return ready;
}

// Records two slices of an item that has started: in the driver's queue, and at the device.
void ModuleStream::record_queue(const Launched& launched, std::uint64_t start_ticks) const {
  if (!record::recording()) return;
  const std::optional<ModuleClock::QueueTimes> times =
      clock_.queue_times(*launched.reference, launched.events.start);
  if (!times) return;
  static const record::Site& queued = record::intern_site("queued by the driver", trace::SliceKind::kZone);
  static const record::Site& given = record::intern_site("given to the device", trace::SliceKind::kZone);
  const std::uint64_t submitted_ticks = std::min(times->submitted_ticks, start_ticks);
  record::async_slice({.site = &queued,
                       .track = &queue_track_,
                       .begin_ticks = std::min(times->queued_ticks, submitted_ticks),
                       .end_ticks = submitted_ticks,
                       .op = launched.work.op});
  record::async_slice({.site = &given,
                       .track = &queue_track_,
                       .begin_ticks = submitted_ticks,
                       .end_ticks = start_ticks,
                       .op = launched.work.op});
}

void ModuleStream::end(Launched& launched) {
  Work& work = launched.work;
  std::string error = launched.error;
  const bool placed = error.empty();
  const auto time_of = [&](void* event) {
    return placed && error.empty() ? clock_.ticks_of(*launched.reference, event) : std::nullopt;
  };
  if (placed) await(launched.events.start, error);
  std::optional<std::uint64_t> start = time_of(launched.events.start);
  // The item runs now. If its start is not known yet, it is known when the item has ended.
  const std::uint64_t about = placed && error.empty() ? TickClock::get().now() : work.ready_ticks;
  Times times{.start = std::max(last_end_ticks_, start.value_or(about)), .end = 0};
  const std::uint64_t ready = std::min(ready_of(work), times.start);
  if (work.was_ready && ready > 0) work.was_ready(ready);
  if (work.started) work.started(times.start);

  // The memory that the item uses is free after it. So its end is awaited also if its first command failed.
  if (placed) await(launched.events.end, error);
  if (!start) start = time_of(launched.events.start);
  if (start) times.start = std::max(last_end_ticks_, *start);
  if (placed && error.empty()) record_queue(launched, times.start);
  const std::uint64_t end = time_of(launched.events.end).value_or(TickClock::get().now());
  times.end = std::max(times.start, end);
  last_end_ticks_ = times.end;

  const Work ended = std::move(work);
  {
    const MutexLock lock(mutex_);
    if (launched.events.end != nullptr) spare_events_.push_back(launched.events);
    ends_[++ended_count_ % kEnds] = times.end;
    in_flight_.pop_front();
    changed_.notify_all();
  }
  if (!error.empty() && ended.failed) ended.failed(error);
  ended.done(times.start, times.end, 0);
  if (card_ != nullptr) card_->work_ended();
}

}  // namespace runahead::engine
