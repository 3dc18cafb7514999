#include "instrumentation/record/drain.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

namespace runahead::record {
namespace {

using namespace std::chrono_literals;

// A thread reads the clock and then publishes the event. If this takes at most kSlack, the event is sorted
// among the events of other threads. If it takes longer (the thread was preempted), the event counts as late.
constexpr Duration kSlack = 2ms;

bool earlier(const DeferredEvent& a, const DeferredEvent& b) { return a.at < b.at; }

// A run is a sequence of events in time order. At most this many runs are merged. With more runs it is faster
// to sort all events than to compare the first events of all runs again and again.
constexpr std::size_t kMostMerged = 8;

// Calls take(event) for all events of the runs up to and including `until`, in time order; at equal times,
// events of an earlier run come first. Leaves the other events in the runs.
template <typename Take>
void merge_runs(std::vector<std::span<const DeferredEvent>>& runs, Timestamp until, Take take) {
  for (;;) {
    std::span<const DeferredEvent>* first = nullptr;
    // next: the earliest time in the other runs. next_is_before: the run with this time comes before `first`
    // in `runs`, so its events come first at equal times.
    Timestamp next = timestamp_from_ns(INT64_MAX);
    bool next_is_before = false;
    for (auto& run : runs) {
      if (run.empty()) continue;
      const Timestamp at = run.front().at;
      if (first == nullptr) {
        first = &run;
      } else if (at < first->front().at) {
        next = std::exchange(first, &run)->front().at;
        next_is_before = true;
      } else if (at < next) {
        next = at;
        next_is_before = false;
      }
    }
    if (first == nullptr || first->front().at > until) return;
    std::size_t count = 0;
    do {
      take((*first)[count++]);
    } while (count < first->size() && (*first)[count].at <= until &&
             ((*first)[count].at < next || ((*first)[count].at == next && !next_is_before)));
    *first = first->subspan(count);
  }
}

}  // namespace

Drain::Drain(Recorder::State& recorder, DrainOptions options) : recorder_(recorder), options_(options) {}

void Drain::take_events(bool everything) {
  follow_session();
  if (session_.starts == 0) return;
  // The clock is read before the drain, so the drain sees everything that was published before this time.
  const Timestamp now = context_.clock.now();
  drain_sources();
  rows_.take();
  const bool stopped = !session_.running;
  const Timestamp watermark = everything || stopped ? now : std::max(now - kSlack, Timestamp{});
  watermark_ = std::max(watermark_, watermark);
  for (auto& [desc, track] : async_tracks_) track.place();
  apply_deferred(everything || stopped ? timestamp_from_ns(INT64_MAX) : watermark_);
  rows_.bind_to_enqueues(ops_, everything || stopped ? timestamp_from_ns(INT64_MAX) : watermark_);
  ops_.tidy(watermark_);
  update_counters(now);
  if (stopped) close_everything(std::min(now, context_.clock.at(session_.stop_ticks)));
}

void Drain::follow_session() {
  const RecordingSession session = recorder_.current_session();
  if (session.starts != 0 && session_.starts == 0) context_.clock = SessionClock(session.origin_ticks);
  const bool another = session.starts > session_.starts && session_.starts != 0;
  const Timestamp stopped_before = context_.stopped_at;
  if (session.stop_ticks != 0) context_.stopped_at = context_.clock.at(session.stop_ticks);
  // memory_since is the time of the last stop before the new session. If the new session has already stopped,
  // stopped_at is the stop of the new session, so stopped_before is used.
  if (another) context_.memory_since = session.running ? context_.stopped_at : stopped_before;
  // Recording was stopped and started again since the last drain: the ends of earlier ops will not be seen.
  const bool begun_again = another && session_.running;
  if (another && !begun_again) memory_.forget_all(context_.memory_since);
  session_ = session;
  if (!begun_again) return;
  drain_sources();
  apply_deferred(context_.stopped_at);
  // A thread that has recorded since the new start wrote kSession first. This event has already closed the
  // older scopes of that thread. The loop closes the open scopes of all other threads.
  for (auto& source : sources_) {
    ThreadTrack* const track = source->track();
    if (track != nullptr && track->open_since(context_.stopped_at)) track->close_all(context_.stopped_at);
  }
  for (auto& [desc, track] : async_tracks_) track.close_all(context_.stopped_at);
  ops_.close_all(context_.stopped_at);
  flows_.close_all();
  memory_.forget_all(context_.memory_since);
}

void Drain::drain_sources() {
  for (auto& buffer : recorder_.take_fresh()) {
    sources_.push_back(std::make_unique<ThreadSource>(std::move(buffer)));
  }
  for (auto& source : recorder_.take_fresh_sources()) rows_.add(std::move(source));
  std::uint64_t lost = recorder_.lost_without_buffer();
  lost -= std::exchange(lost_elsewhere_, lost);
  double fullest_ratio = 0;
  for (auto& source : sources_) {
    fullest_ratio = std::max(fullest_ratio, source->buffer()->fill_ratio());
    run_ends_.push_back(deferred_.size());
    events_ += source->drain(context_);
    lost += source->take_lost(context_);
    if (!source->finished()) continue;
    source->retire(context_);
    recorder_.retire(source->buffer());
    source.reset();
  }
  std::erase(sources_, nullptr);
  recorder_.note_fullest(fullest_ratio);
  if (lost == 0) return;
  batch_.lose(trace::LossCause::kBufferFull, lost);
  ops_.note_loss(context_.clock.now());
}

ThreadSource* Drain::find_thread(std::int64_t tid) const {
  const auto found = std::find_if(sources_.begin(), sources_.end(),
                                  [tid](const auto& source) { return source->facts().tid == tid; });
  return found != sources_.end() ? found->get() : nullptr;
}

void Drain::apply_deferred(Timestamp watermark) {
  std::vector<std::span<const DeferredEvent>> runs = runs_in_order();
  std::vector<DeferredEvent> left;  // the events after the watermark: only a few
  merge_runs(runs, watermark, [this](const DeferredEvent& deferred) { apply(deferred); });
  merge_runs(runs, timestamp_from_ns(INT64_MAX),
             [&](const DeferredEvent& deferred) { left.push_back(deferred); });
  deferred_.assign(left.begin(), left.end());  // keeps its capacity
}

// Splits deferred_ into its runs and sorts each run. Most runs need no sorting, because the events of one
// thread usually arrive in order.
std::vector<std::span<const DeferredEvent>> Drain::runs_in_order() {
  if (run_ends_.size() >= kMostMerged) {
    std::stable_sort(deferred_.begin(), deferred_.end(), earlier);
    run_ends_.clear();
  }
  run_ends_.push_back(deferred_.size());
  std::vector<std::span<const DeferredEvent>> runs;
  std::size_t begin = 0;
  for (const std::size_t end : std::exchange(run_ends_, {})) {
    const std::span<DeferredEvent> run(deferred_.data() + begin, end - begin);
    if (!std::is_sorted(run.begin(), run.end(), earlier)) std::stable_sort(run.begin(), run.end(), earlier);
    if (!run.empty()) runs.emplace_back(run);
    begin = end;
  }
  return runs;
}

void Drain::apply(const DeferredEvent& deferred) {
  switch (deferred.kind) {
    case DeferredKind::kCounter:
      return apply_counter(deferred);
    case DeferredKind::kMemory:
      return apply_memory(deferred);
    case DeferredKind::kFlowOut:
      return flows_.out(deferred);
    case DeferredKind::kFlowIn:
      return flows_.in(deferred);
    default:
      return ops_.apply(deferred);
  }
}

void Drain::apply_counter(const DeferredEvent& deferred) {
  const double value = std::bit_cast<double>(deferred.a);
  batch_.add(counter_of(*deferred.desc), deferred.at, value);
  if (deferred.desc->role == trace::CounterRole::kStepsFinished)
    steps_per_second_.finished(deferred.at, value);
}

void Drain::apply_memory(const DeferredEvent& deferred) {
  const MemoryKind& kind = *deferred.memory;
  if (&kind != last_memory_.kind) {
    CounterWriter& live = counter_of(*kind.live);
    last_memory_ = {&kind, &live, kind.of_category != nullptr ? &counter_of(*kind.of_category) : nullptr};
  }
  batch_.add(*last_memory_.live, deferred.at, static_cast<double>(deferred.a));
  if (kind.of_category != nullptr)
    batch_.add(*last_memory_.of_category, deferred.at, static_cast<double>(deferred.b));
}

CounterWriter& Drain::counter_of(const TrackDesc& desc) {
  CounterWriter& counter = counters_[&desc];
  if (counter.track == kNoTrack) counter.track = batch_.track_of(desc);
  return counter;
}

void Drain::update_counters(Timestamp now) {
  Timestamp until = watermark_;
  for (const auto& [desc, track] : async_tracks_) {
    if (const auto since = track.copying_since()) until = std::min(until, *since);
  }
  if (const auto complete = rows_.complete_until()) until = std::min(until, *complete);
  bandwidth_.update(session_.running ? until : timestamp_from_ns(INT64_MAX));
  if (!session_.running) return;
  steps_per_second_.update(watermark_);
  if (options_.sample_rss) rss_.update(now);
  drift_.update(TickClock::get().now_ns());
}

void Drain::close_everything(Timestamp at) {
  for (auto& source : sources_) {
    if (source->track() != nullptr) source->track()->close_all(at);
  }
  for (auto& [desc, track] : async_tracks_) track.close_all(at);
  apply_deferred(timestamp_from_ns(INT64_MAX));
  ops_.close_all(at);
  flows_.close_all();
}

trace::Batch Drain::take_batch() {
  for (auto& source : sources_) {
    if (source->track() != nullptr) source->track()->open_slices(watermark_, batch_.open_slices());
  }
  for (const auto& [desc, track] : async_tracks_) track.open_slices(watermark_, batch_.open_slices());
  ops_.open_slices(watermark_, batch_.open_slices());
  ops_.open_ops(options_.open_ops, batch_.open_ops());
  memory_.write_rows(!session_.running);
  return batch_.take(watermark_);
}

trace::Batch Drain::beginning() const {
  trace::Batch batch = batch_.definitions();
  memory_.live(batch.allocations);
  return batch;
}

DrainTotals Drain::totals() const {
  return {events_, batch_.slices(), ops_.lives_undrawn(), ops_.open_count(), drift_.drift()};
}

}  // namespace runahead::record
