#include "engine/device/module_clock.h"

#include <utility>

#include "engine/device/module_arithmetic.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

std::uint64_t ticks_from(const ModuleClock::Reference& reference, float ms) {
  const double ticks = static_cast<double>(ms) * 1e6 * TickClock::get().ticks_per_ns();
  return reference.at_ticks + static_cast<std::uint64_t>(static_cast<std::int64_t>(ticks));
}

}  // namespace

ModuleClock::ModuleClock(const RunaheadDeviceApi& api, std::string name, void* device)
    : api_(api),
      name_(std::move(name)),
      device_(device),
      error_track_(record::intern_track({.kind = trace::TrackKind::kCounter,
                                         .group = name_,
                                         .name = "clock error, at most",
                                         .device = name_,
                                         .unit = trace::Unit::kNanoseconds,
                                         .sort_order = 100})) {
  check_module(api_, name_, "making a stream", api_.make_stream(device_, &stream_));
}

ModuleClock::~ModuleClock() {
  last_.reset();
  api_.free_stream(device_, stream_);
}

// The event happens between two reads of the TickClock. The midpoint of the two reads is taken as its time.
// The error is at most half of the time between the reads.
ModuleClock::Handle ModuleClock::measure() {
  void* event = nullptr;
  check_module(api_, name_, "making an event", api_.make_event(device_, &event));
  const auto free_event = [&api = api_, device = device_](const Reference* reference) {
    api.free_event(device, reference->event);
    delete reference;
  };
  const std::shared_ptr<Reference> made(new Reference{.event = event}, free_event);
  const std::uint64_t before = TickClock::get().now();
  check_module(api_, name_, "recording an event",
               api_.record_event(device_, event, stream_, kRunaheadAfterWork));
  check_module(api_, name_, "waiting for an event", api_.await_event(device_, event));
  const std::uint64_t after = TickClock::get().now();
  made->error_ticks = (after - before) / 2;
  made->at_ticks = before + made->error_ticks;
  return made;
}

ModuleClock::Handle ModuleClock::reference() {
  const MutexLock lock(mutex_);
  const auto age_ns = [this]() RUNAHEAD_REQUIRES(mutex_) {
    const std::uint64_t ticks = TickClock::get().now() - last_->at_ticks;
    return static_cast<double>(ticks) / TickClock::get().ticks_per_ns();
  };
  if (last_ != nullptr && age_ns() < static_cast<double>(kMostAgeNs)) return last_;
  Handle best = measure();
  // measures three times and keeps the best: a measurement is inexact if this thread is preempted during it
  for (int i = 0; i < 2; ++i) {
    Handle again = measure();
    if (again->error_ticks < best->error_ticks) best = std::move(again);
  }
  last_ = std::move(best);
  record_error(*last_);
  return last_;
}

void ModuleClock::record_error(const Reference& reference) const {
  if (api_.queue_times == nullptr || !record::recording()) return;
  const double error_ns = static_cast<double>(reference.error_ticks) / TickClock::get().ticks_per_ns();
  record::counter(error_track_, record::now_ticks(), error_ns);
}

std::optional<std::uint64_t> ModuleClock::ticks_of(const Reference& reference, void* event) const {
  float ms = 0;
  if (api_.elapsed_ms(device_, reference.event, event, &ms) != 0) return std::nullopt;
  return ticks_from(reference, ms);
}

std::optional<ModuleClock::QueueTimes> ModuleClock::queue_times(const Reference& reference,
                                                                void* event) const {
  float queued = 0, submitted = 0;
  if (api_.queue_times == nullptr ||
      api_.queue_times(device_, reference.event, event, &queued, &submitted) != 0)
    return std::nullopt;
  return QueueTimes{.queued_ticks = ticks_from(reference, queued),
                    .submitted_ticks = ticks_from(reference, submitted)};
}

}  // namespace runahead::engine
