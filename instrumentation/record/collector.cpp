#include "instrumentation/record/collector.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/record/batch_queue.h"
#include "instrumentation/record/drain.h"

namespace runahead::record {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr Duration kGatherWatched = std::chrono::milliseconds(20);

}  // namespace

// Threads: the collector's own thread (run()) drains the buffers, and calls CollectorOptions::wake. Only the
// owner may call take(). start_file, add_metadata, stop_file, flush and stats may be called on any thread.
// Lock order: file_mutex, then work_mutex, then the registry's mutex (Recorder::State), then a buffer's
// facts_mutex_. The bell's mutex, stats_mutex and the queue's mutex are never locked together with another
// mutex.
struct Collector::State {
  State(Recorder& the_recorder, CollectorOptions the_options)
      : options(std::move(the_options)),
        budget(the_recorder.state().budget),
        drain(the_recorder.state(), {options.sample_rss, options.open_ops}),
        queue(options.queue_batches, options.queue_bytes) {}

  void run();
  void collect(bool everything, bool deliver);
  void deliver_batch(trace::Batch batch);
  EndedFile stop_sink() RUNAHEAD_REQUIRES(file_mutex);
  Status end_file() RUNAHEAD_REQUIRES(file_mutex);
  void count(SteadyClock::duration took, const DrainTotals& totals, const trace::LossCounts& losses);

  [[nodiscard]] Bell& bell() { return budget->bell; }

  const CollectorOptions options;
  // budget->bell.mutex guards flushes_asked, flushes_done and stopping
  const std::shared_ptr<ChunkBudget> budget;

  mutable Mutex file_mutex;  // locked while a file is started, or ended and joined
  std::vector<std::filesystem::path> files RUNAHEAD_GUARDED_BY(file_mutex);

  Mutex work_mutex;  // guards `file` too, except its is_open() and bytes(), which are atomic
  Drain drain RUNAHEAD_GUARDED_BY(work_mutex);
  FileSink file;
  bool had_open = false;  // the previous batch had open slices or ops; used only by the draining thread

  BatchQueue queue;

  mutable Mutex stats_mutex;
  Stats stats RUNAHEAD_GUARDED_BY(stats_mutex);

  std::uint64_t flushes_asked = 0, flushes_done = 0;
  bool stopping = false;

  std::thread thread;  // the last member, because the thread uses all other members
};

void Collector::State::collect(bool everything, bool deliver) {
  const auto begin = SteadyClock::now();
  trace::Batch batch;
  DrainTotals totals;
  {
    const MutexLock lock(work_mutex);
    drain.take_events(everything);
    if (deliver) {
      std::uint64_t lost = 0;
      if (file.part_is_full()) lost = file.next_part(drain.beginning());
      batch = drain.take_batch();
      lost += file.write(batch);
      if (lost != 0) drain.batch().lose(trace::LossCause::kFileWrite, lost);
    }
    totals = drain.totals();
  }
  count(SteadyClock::now() - begin, totals, batch.losses);
  if (deliver) deliver_batch(std::move(batch));
}

void Collector::State::count(SteadyClock::duration took, const DrainTotals& totals,
                             const trace::LossCounts& losses) {
  const MutexLock lock(stats_mutex);
  ++stats.drains;
  stats.events = totals.events;
  stats.slices = totals.slices;
  stats.last_drain = std::chrono::duration_cast<Duration>(took);
  stats.longest_drain = std::max(stats.longest_drain, stats.last_drain);
  stats.losses.add(losses);
  stats.open_ops = totals.open_ops;
  stats.lives_undrawn = totals.lives_undrawn;
  stats.clock_drift = totals.clock_drift;
}

EndedFile Collector::State::stop_sink() {
  const MutexLock lock(work_mutex);
  return file.stop();
}

Status Collector::State::end_file() {
  EndedFile ended = stop_sink();
  const Status joined = settle(ended);
  files = std::move(ended.files);
  return joined;
}

void Collector::State::deliver_batch(trace::Batch batch) {
  if (!options.to_owner) return;
  const bool has_open = !batch.open_slices.empty() || !batch.open_ops.empty();
  if (!batch.has_rows() && !has_open && !had_open) return;  // nothing new: do not wake a sleeping owner
  had_open = has_open;
  if (const std::size_t dropped = queue.push(std::move(batch))) {
    const MutexLock lock(stats_mutex);
    stats.losses.add(trace::LossCause::kCollectorBehind, dropped);
  }
  if (options.wake) options.wake();
}

void Collector::State::run() {
  auto delivered = SteadyClock::now();
  for (bool last = false; !last;) {
    std::uint64_t asked = 0;
    bool flushing = false;
    {
      // Sleeps for one period, because constant draining would disturb a busy program. If a buffer fills up
      // earlier, its thread rings the bell, which ends the sleep.
      std::unique_lock lock(bell().mutex);
      bell().sleep(lock, options.period, [this] { return stopping || flushes_asked != flushes_done; });
      asked = flushes_asked;
      flushing = asked != flushes_done;
      last = stopping;
    }
    bell().answer();
    const bool deliver = flushing || last || SteadyClock::now() - delivered >= options.period;
    if (deliver) delivered = SteadyClock::now();
    collect(flushing || last, deliver);
    if (!flushing) continue;
    const std::lock_guard lock(bell().mutex);
    flushes_done = asked;
    bell().changed.notify_all();
  }
}

Collector::Collector(Recorder& recorder, CollectorOptions options)
    : state_(std::make_unique<State>(recorder, std::move(options))) {
  if (state_->options.run_thread) state_->thread = std::thread([state = state_.get()] { state->run(); });
}

Collector::~Collector() {
  if (state_->thread.joinable()) {
    {
      const std::lock_guard lock(state_->bell().mutex);
      state_->stopping = true;
      state_->bell().changed.notify_all();
    }
    state_->thread.join();
  } else {
    state_->collect(true, true);
  }
  const MutexLock lock(state_->file_mutex);
  if (state_->file.is_open()) (void)state_->end_file();  // callers that need the error call stop_file()
}

std::optional<trace::Batch> Collector::take() { return state_->queue.take(); }

void Collector::flush() {
  State& state = *state_;
  if (!state.options.run_thread) return state.collect(true, true);
  std::unique_lock lock(state.bell().mutex);
  const std::uint64_t mine = ++state.flushes_asked;
  state.bell().changed.notify_all();
  state.bell().changed.wait(lock, [&] { return state.flushes_done >= mine; });
}

void Collector::drain_now() {
  RUNAHEAD_CHECK(!state_->options.run_thread);
  state_->collect(false, true);
}

Status Collector::start_file(const std::filesystem::path& path, std::map<std::string, std::string> metadata,
                             const FileLimits& limits) {
  if (const Status fits = limits.check(); !fits)
    return Error{"recording '" + path.string() + "': " + fits.error().message};
  const MutexLock lock(state_->file_mutex);
  const MutexLock work_lock(state_->work_mutex);
  return state_->file.start(path, metadata, state_->drain.beginning(), limits);
}

void Collector::add_metadata(const std::map<std::string, std::string>& more) {
  const MutexLock lock(state_->file_mutex);
  const MutexLock work_lock(state_->work_mutex);
  state_->file.add_metadata(more);
}

void Collector::set_watched(bool watched) {
  const MutexLock work_lock(state_->work_mutex);
  state_->file.set_gather_time(watched ? kGatherWatched : recordings::WriterOptions{}.gather_time);
}

Status Collector::stop_file() {
  const MutexLock lock(state_->file_mutex);
  if (file_open()) flush();
  return state_->end_file();
}

EndedFile Collector::stop_file_unjoined() {
  const MutexLock lock(state_->file_mutex);
  if (file_open()) flush();
  EndedFile ended = state_->stop_sink();
  state_->files = ended.files;
  return ended;
}

bool Collector::file_open() const { return state_->file.is_open(); }
std::uint64_t Collector::file_bytes() const { return state_->file.bytes(); }

std::vector<std::filesystem::path> Collector::files() const {
  const MutexLock lock(state_->file_mutex);
  return state_->files;
}

Collector::Stats Collector::stats() const {
  Stats stats;
  {
    const MutexLock lock(state_->stats_mutex);
    stats = state_->stats;
  }
  stats.queued_batches = state_->queue.size();
  return stats;
}

}  // namespace runahead::record
