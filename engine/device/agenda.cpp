#include "engine/device/agenda.h"

#include <utility>

#include "engine/device/prompt_thread.h"

namespace runahead::engine {

Agenda::Agenda(DeviceClock& clock) : clock_(clock), thread_([this] { serve(); }) {}

Agenda::~Agenda() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  clock_.ring(alarm_);
  thread_.join();
}

Agenda::Slot Agenda::put(std::uint64_t ticks, UniqueFunction<void()> call, bool held) {
  Slot slot;
  bool earliest = false;
  {
    const MutexLock lock(mutex_);
    slot = entries_.emplace(ticks, Entry{std::move(call), held});
    earliest = slot == entries_.begin();
  }
  if (earliest && !held) clock_.ring(alarm_);  // one that is held rings when it is let go
  return slot;
}

void Agenda::let_go(Slot slot) {
  bool earliest = false;
  {
    const MutexLock lock(mutex_);
    slot->second.held = false;
    earliest = slot == entries_.begin();
  }
  if (earliest) clock_.ring(alarm_);
}

bool Agenda::take_due(std::uint64_t now, Entries::node_type& due, std::uint64_t& sleep_until) {
  const MutexLock lock(mutex_);
  sleep_until = DeviceClock::kNever;
  if (stopping_) return false;
  if (entries_.empty()) return true;
  const Slot first = entries_.begin();
  if (first->first > now) {
    sleep_until = first->first;
  } else if (!first->second.held) {
    due = entries_.extract(first);
  }
  return true;
}

void Agenda::serve() {
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
