#include "engine/device/timer_queue.h"

#include <utility>

#include "engine/device/prompt_thread.h"

namespace runahead::engine {

TimerQueue::TimerQueue(DeviceClock& clock) : clock_(clock), thread_([this] { serve(); }) {}

TimerQueue::~TimerQueue() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  clock_.ring(alarm_);
  thread_.join();
}

TimerQueue::Slot TimerQueue::put(std::uint64_t ticks, Entry entry) {
  Slot slot;
  bool next = false;
  const bool held = entry.held;
  {
    const MutexLock lock(mutex_);
    slot = entries_.emplace(ticks, std::move(entry));
    next = is_next_locked(slot);
  }
  if (next && !held) clock_.ring(alarm_);  // if the entry is held, release() rings the alarm later
  return slot;
}

void TimerQueue::release(Slot slot) {
  bool next = false;
  {
    const MutexLock lock(mutex_);
    slot->second.held = false;
    next = is_next_locked(slot);
  }
  if (next) clock_.ring(alarm_);
}

bool TimerQueue::is_next_locked(Slot slot) {
  return slot == entries_.begin() || (hurrying_ && slot == next_hurried_locked());
}

// Returns the first entry that timer() did not add; end() if there is no such entry.
TimerQueue::Slot TimerQueue::next_hurried_locked() {
  Slot slot = entries_.begin();
  while (slot != entries_.end() && slot->second.timer) ++slot;
  return slot;
}

void TimerQueue::hurry() {
  {
    const MutexLock lock(mutex_);
    hurrying_ = true;
  }
  clock_.ring(alarm_);
}

bool TimerQueue::take_due(std::uint64_t now, Entries::node_type& due, std::uint64_t& sleep_until) {
  const MutexLock lock(mutex_);
  sleep_until = DeviceClock::kNever;
  if (stopping_) return false;
  if (entries_.empty()) return true;
  const Slot first = entries_.begin();
  if (first->first > now) {
    sleep_until = first->first;
  } else if (!first->second.held) {
    due = entries_.extract(first);
    return true;
  }
  if (!hurrying_) return true;
  const Slot hurried = next_hurried_locked();
  if (hurried != entries_.end() && !hurried->second.held) due = entries_.extract(hurried);
  return true;
}

void TimerQueue::serve() {
  make_this_thread_prompt();
  for (;;) {
    Entries::node_type due;
    std::uint64_t sleep_until = 0;
    if (!take_due(clock_.now_ticks(), due, sleep_until)) return;
    if (due) {
      due.mapped().call();
    } else {
      clock_.sleep_until(sleep_until, alarm_);
    }
  }
}

}  // namespace runahead::engine
