#include "engine/step_book.h"

#include <algorithm>
#include <utility>

#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

const record::TrackDesc& steps_finished_track() {
  static const record::TrackDesc& track = record::intern_track({.kind = trace::TrackKind::kCounter,
                                                                .group = "Throughput",
                                                                .name = "steps finished",
                                                                .device = {},
                                                                .unit = trace::Unit::kCount,
                                                                .role = trace::CounterRole::kStepsFinished});
  return track;
}

const record::TrackDesc& run_ahead_steps_track() {
  static const record::TrackDesc& track = record::intern_track({.kind = trace::TrackKind::kCounter,
                                                                .group = "Queue",
                                                                .name = "run-ahead steps",
                                                                .device = {},
                                                                .unit = trace::Unit::kCount,
                                                                .role = trace::CounterRole::kRunAheadSteps});
  return track;
}

std::uint64_t next_serial() {
  // number of StepBooks made so far in this process. Serials start at 1, because 0 means "no book".
  static std::atomic<std::uint64_t> serial{0};
  return serial.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

StepBook::StepBook() : serial_(next_serial()) {}

FrontendSteps& StepBook::find_mine() {
  const MutexLock lock(mutex_);
  auto& steps = frontends_[std::this_thread::get_id()];
  if (!steps) steps = std::make_unique<FrontendSteps>();
  t_last_used_ = {serial_, steps.get()};
  return *steps;
}

void StepBook::begin(std::int64_t index) {
  end();
  FrontendSteps& steps = mine();
  auto step = std::make_unique<StepState>();
  step->index = index;
  step->frontend = &steps;
  steps.open = step.get();
  const MutexLock lock(mutex_);
  if (finished_ == 0 && in_flight_ == 0) first_begun_ = std::chrono::steady_clock::now();
  steps.unfinished.emplace(index, std::move(step));
  ++in_flight_;
  max_in_flight_ = std::max(max_in_flight_, in_flight_);
  count_locked();
}

void StepBook::end() {
  FrontendSteps& steps = mine();
  if (StepState* const step = std::exchange(steps.open, nullptr))
    leave(*step, StepState::kOpen - step->entered, kNoOp);
}

std::int64_t StepBook::open_index() {
  const StepState* const step = mine().open;
  return step != nullptr ? step->index : -1;
}

std::optional<OpId> StepBook::wait(std::int64_t index, WaitMode mode) {
  FrontendSteps& steps = mine();
  OpId released_by = kNoOp;
  for (;;) {
    Waiter waiter;
    {
      const MutexLock lock(mutex_);
      const auto found = steps.unfinished.find(index);
      if (found == steps.unfinished.end()) return released_by;
      found->second->waiters.push_back(&waiter);
    }
    if (!waiter.wait(mode)) {
      const MutexLock lock(mutex_);
      bool waits = false;
      for (const auto& [number, step] : steps.unfinished)
        waits = waits || std::erase(step->waiters, &waiter) > 0;
      if (waits) return std::nullopt;
    }
    // leave() has taken the Waiter, and is about to signal it.
    if (!waiter.signalled()) waiter.wait({.spin = mode.spin});
    released_by = waiter.released_by();
  }
}

void StepBook::op_done(StepState& step, OpId op) { leave(step, 1, op); }

void StepBook::leave(StepState& step, std::int64_t by, OpId op) {
  // Acquire and release: the thread that finishes the step sees the writes of all ops of the step.
  if (step.outstanding.fetch_sub(by, std::memory_order_acq_rel) != by) return;
  std::vector<Waiter*> waiters;
  {
    const MutexLock lock(mutex_);
    ++finished_;
    --in_flight_;
    last_finished_ = std::chrono::steady_clock::now();
    count_locked();
    waiters = std::move(step.waiters);
    auto& unfinished = step.frontend->unfinished;
    const auto [first, last] = unfinished.equal_range(step.index);
    unfinished.erase(
        std::find_if(first, last, [&](const auto& entry) { return entry.second.get() == &step; }));
  }
  for (Waiter* waiter : waiters) waiter->signal(op);
}

void StepBook::count_locked() {
  if (!record::recording()) return;
  const std::uint64_t ticks = record::now_ticks();
  record::counter(steps_finished_track(), ticks, static_cast<double>(finished_));
  record::counter(run_ahead_steps_track(), ticks, static_cast<double>(in_flight_));
}

std::int64_t StepBook::finished() const {
  const MutexLock lock(mutex_);
  return finished_;
}
Duration StepBook::time_of_steps() const {
  const MutexLock lock(mutex_);
  return finished_ > 0 ? std::chrono::duration_cast<Duration>(last_finished_ - first_begun_) : Duration{};
}
std::int64_t StepBook::in_flight() const {
  const MutexLock lock(mutex_);
  return in_flight_;
}
std::int64_t StepBook::max_in_flight() const {
  const MutexLock lock(mutex_);
  return max_in_flight_;
}
void StepBook::reset_maxima() {
  const MutexLock lock(mutex_);
  max_in_flight_ = in_flight_;
}

}  // namespace runahead::engine
