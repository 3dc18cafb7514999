#include "instrumentation/record/hooks/recorder.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/record/hooks/in_use.h"
#include "instrumentation/record/hooks/recorder_state.h"

namespace runahead::record {
namespace {

// Number of drained buffers to keep for future threads. Each of these buffers has one chunk.
constexpr std::size_t kFreeBuffers = 16;

// Never destroyed: threads may end after main() has returned.
struct Registry {
  Mutex mutex;  // also guards every Recorder::State
  // the recorder to which InUse::generation refers
  Recorder::State* in_use RUNAHEAD_GUARDED_BY(mutex) = nullptr;
  std::vector<Recorder::State*> living
      RUNAHEAD_GUARDED_BY(mutex);  // so that an ending thread can check whether its recorder still exists
  std::map<std::int64_t, ThreadFacts> named
      RUNAHEAD_GUARDED_BY(mutex);  // living threads that have been named, by kernel thread number
  std::uint64_t last_id RUNAHEAD_GUARDED_BY(mutex) = 0;
  std::uint64_t last_generation RUNAHEAD_GUARDED_BY(mutex) = 0;
};

Registry& registry();

// The child of a fork() has no collector: its hooks are off until it starts its own recorder. The forking
// thread locks the mutex before the fork and unlocks it after the fork. Therefore no other thread can hold
// the mutex at the fork, and the mutex is free in the child.
Registry* make_registry() {
  auto* const made = new Registry;
  (void)::pthread_atfork([]() RUNAHEAD_NOT_ANALYSED { registry().mutex.lock(); },
                         []() RUNAHEAD_NOT_ANALYSED { registry().mutex.unlock(); },
                         []() RUNAHEAD_NOT_ANALYSED {  // locked before the fork
                           internal::in_use.generation.store(0, std::memory_order_relaxed);
                           registry().in_use = nullptr;
                           registry().mutex.unlock();
                         });
  return made;
}

Registry& registry() {
  static Registry& instance = *make_registry();
  return instance;
}

// A thread's registration. Its destructor runs at the end of the thread.
struct Registration {
  ThreadFacts facts;
  std::shared_ptr<ThreadBuffer> buffer;
  std::uint64_t recorder_id = 0;

  ~Registration();
  void leave() RUNAHEAD_REQUIRES(registry().mutex);
};
thread_local Registration registration;
// True after `registration` was destroyed. Destructors of other thread-local variables may still call hooks
// then.
thread_local constinit bool registration_gone = false;

void Registration::leave() {
  if (buffer == nullptr) return;
  for (Recorder::State* const state : registry().living) {
    if (state->id != recorder_id || buffer->written() != 0) continue;
    // The buffer never got a chunk, so there is nothing to drain or to keep.
    state->lost_unseen += buffer->lost();
    state->lost_retired += buffer->lost();
    std::erase(state->buffers, buffer);
    std::erase(state->fresh, buffer);
  }
  buffer->end();
  buffer.reset();
}

Registration::~Registration() {
  internal::thread_hook = {};
  registration_gone = true;
  const MutexLock lock(registry().mutex);
  leave();
  registry().named.erase(facts.tid);
}

}  // namespace

namespace internal {

thread_local constinit ThreadHook thread_hook [[gnu::tls_model("initial-exec")]];

namespace {

ThreadBuffer* adopt_locked(Recorder::State& state) RUNAHEAD_REQUIRES(registry().mutex) {
  Registration& mine = registration;
  if (mine.recorder_id == state.id && mine.buffer != nullptr) {  // the same recorder was started again
    mine.buffer->push({TickClock::get().now(), nullptr, 0, Event::pack(EventKind::kSession)});
  } else {
    mine.leave();
    if (!state.free.empty()) {
      mine.buffer = std::move(state.free.back());
      state.free.pop_back();
    } else {
      mine.buffer = std::make_shared<ThreadBuffer>(state.options.events_per_thread, state.budget);
    }
    mine.recorder_id = state.id;
    if (mine.facts.tid == 0) mine.facts.tid = ::syscall(SYS_gettid);
    mine.buffer->set_facts(mine.facts);
    state.buffers.push_back(mine.buffer);
    state.fresh.push_back(mine.buffer);
  }
  thread_hook = {state.generation, mine.buffer.get()};
  return mine.buffer.get();
}

}  // namespace

ThreadBuffer* adopt_thread() noexcept {
  const MutexLock lock(registry().mutex);
  if (registry().in_use == nullptr) return nullptr;
  if (!registration_gone) {
    try {
      return adopt_locked(*registry().in_use);
    } catch (const std::bad_alloc&) {  // counted below
    }
  }
  ++registry().in_use->lost_unseen;
  ++registry().in_use->lost_retired;
  return nullptr;
}

void name_this_thread(trace::TrackKind kind, std::string_view name, std::int32_t sort_order) {
  if (registration_gone) return;
  Registration& mine = registration;
  mine.facts = {kind, std::string(name), sort_order, ::syscall(SYS_gettid)};
  if (mine.buffer != nullptr) mine.buffer->set_facts(mine.facts);
  const MutexLock lock(registry().mutex);
  registry().named[mine.facts.tid] = mine.facts;
}

ThreadFacts facts_of_thread(std::int64_t tid) {
  {
    const MutexLock lock(registry().mutex);
    if (const auto named = registry().named.find(tid); named != registry().named.end()) return named->second;
  }
  const auto name_in = [](const std::string& folder) {
    std::string name;
    std::getline(std::ifstream(folder + "/comm"), name);
    return name;
  };
  ThreadFacts facts{.tid = tid};
  const std::string name = name_in("/proc/self/task/" + std::to_string(tid));
  // The kernel gives a thread without its own name the name of its process; this name is ignored.
  if (!name.empty() && name != name_in("/proc/self")) facts.name = name + " " + std::to_string(tid);
  return facts;
}

}  // namespace internal

Recorder::State::State(RecorderOptions recorder_options)
    : options(recorder_options), budget(std::make_shared<ChunkBudget>()) {
  budget->max_chunks = std::max<std::size_t>(1, options.total_bytes / sizeof(EventChunk));
}

RecordingSession Recorder::State::current_session() const {
  const MutexLock lock(registry().mutex);
  return session;
}

std::vector<std::shared_ptr<ThreadBuffer>> Recorder::State::take_fresh() {
  const MutexLock lock(registry().mutex);
  return std::exchange(fresh, {});
}

std::vector<std::shared_ptr<RowSource>> Recorder::State::take_fresh_sources() {
  const MutexLock lock(registry().mutex);
  return std::exchange(fresh_sources, {});
}

void Recorder::State::retire(const std::shared_ptr<ThreadBuffer>& buffer) {
  const MutexLock lock(registry().mutex);
  std::erase(buffers, buffer);
  lost_retired += buffer->lost();
  events_retired += buffer->written();
  if (free.size() == kFreeBuffers) return;
  buffer->reuse();
  free.push_back(buffer);
}

void Recorder::State::note_fullest(double ratio) {
  const MutexLock lock(registry().mutex);
  fullest_ratio = ratio;
}

std::uint64_t Recorder::State::lost_without_buffer() const {
  const MutexLock lock(registry().mutex);
  return lost_unseen;
}

Recorder::Recorder(RecorderOptions options) : state_(std::make_unique<State>(options)) {
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  state_->id = ++all.last_id;
  all.living.push_back(state_.get());
}

Recorder::~Recorder() {
  stop();
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  std::erase(all.living, state_.get());
}

void Recorder::start() {
  const TickClock& clock = TickClock::get();  // the first call calibrates the clock
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  if (all.in_use == state_.get()) return;
  RUNAHEAD_CHECK(all.in_use == nullptr);
  if (clock.is_tsc()) internal::in_use.ticks_are_tsc.store(true, std::memory_order_relaxed);
  if (state_->session.starts++ == 0) state_->session.origin_ticks = clock.now();
  state_->session.running = true;
  state_->generation = ++all.last_generation;
  all.in_use = state_.get();
  internal::in_use.generation.store(state_->generation, std::memory_order_relaxed);
}

void Recorder::stop() {
  Registry& all = registry();
  const MutexLock lock(all.mutex);
  if (all.in_use != state_.get()) return;
  internal::in_use.generation.store(0, std::memory_order_relaxed);
  all.in_use = nullptr;
  state_->session.running = false;
  state_->session.stop_ticks = TickClock::get().now();
}

void Recorder::add(std::shared_ptr<RowSource> source) {
  const MutexLock lock(registry().mutex);
  state_->fresh_sources.push_back(std::move(source));
}

bool Recorder::running() const {
  const MutexLock lock(registry().mutex);
  return state_->session.running;
}

std::map<std::string, std::string> Recorder::clock_facts() const {
  std::uint64_t origin_ticks = 0;
  {
    const MutexLock lock(registry().mutex);
    if (state_->session.starts == 0) return {};
    origin_ticks = state_->session.origin_ticks;
  }
  const TickClock& clock = TickClock::get();
  std::map<std::string, std::string> facts;
  facts["clock.origin_monotonic_ns"] =
      std::to_string(clock.origin_monotonic_ns() + clock.ns_from_ticks(origin_ticks));
  if (clock.is_tsc()) {
    facts["clock.origin_tsc"] = std::to_string(origin_ticks);
    facts["clock.tsc_per_s"] = std::to_string(clock.ticks_per_ns() * 1e9);
  }
  if (const std::string boot = boot_id(); !boot.empty()) facts["clock.boot"] = boot;
  return facts;
}

RecorderStats Recorder::stats() const {
  const MutexLock lock(registry().mutex);
  RecorderStats stats{state_->buffers.size(), state_->events_retired, state_->fullest_ratio,
                      state_->lost_retired};
  for (const auto& buffer : state_->buffers) {
    stats.events += buffer->written();
    stats.lost += buffer->lost();
  }
  return stats;
}

}  // namespace runahead::record
