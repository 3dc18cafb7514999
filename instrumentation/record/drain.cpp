#include "instrumentation/record/drain.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

namespace runahead::record {
namespace {

using namespace std::chrono_literals;

// How long a thread may take between reading the clock and publishing the event for its moment to be put in
// order with those of others; longer (it was preempted in between) only makes it late.
constexpr Duration kSlack = 2ms;

bool earlier(const Moment& a, const Moment& b) { return a.at < b.at; }

}  // namespace

Drain::Drain(Recorder::State& recorder, DrainOptions options) : recorder_(recorder), options_(options) {}

void Drain::take_events(bool everything) {
  follow_session();
  if (session_.starts == 0) return;
  // Read before the drain: what was published before now is in it.
  const Timestamp now = context_.clock.now();
  drain_sources();
  const bool stopped = !session_.running;
  const Timestamp watermark = everything || stopped ? now : std::max(now - kSlack, Timestamp{});
  watermark_ = std::max(watermark_, watermark);
  for (auto& [desc, track] : async_tracks_) track.place();
  apply_moments(everything || stopped ? timestamp_from_ns(INT64_MAX) : watermark_);
  ops_.tidy(watermark_);
  update_counters(now);
  if (stopped) close_everything(std::min(now, context_.clock.at(session_.stop_ticks)));
}

void Drain::follow_session() {
  const RecordingSession session = recorder_.current_session();
  if (session.starts != 0 && session_.starts == 0) context_.clock = SessionClock(session.origin_ticks);
  if (session.stop_ticks != 0) context_.stopped_at = context_.clock.at(session.stop_ticks);
  // Stopped and begun again since the last drain: ops of before are not going to be seen to end.
  const bool begun_again = session.starts > session_.starts && session_.starts != 0 && session_.running;
  session_ = session;
  if (!begun_again) return;
  drain_sources();
  apply_moments(context_.stopped_at);
  for (auto& source : sources_) {  // those that have recorded since then have begun with kSession
    ThreadTrack* const track = source->track();
    if (track != nullptr && track->open_since(context_.stopped_at)) track->close_all(context_.stopped_at);
  }
  for (auto& [desc, track] : async_tracks_) track.close_all(context_.stopped_at);
  ops_.close_all(context_.stopped_at);
}

void Drain::drain_sources() {
  for (auto& buffer : recorder_.take_fresh()) {
    sources_.push_back(std::make_unique<ThreadSource>(std::move(buffer)));
  }
  std::uint64_t lost = recorder_.lost_without_buffer();
  lost -= std::exchange(lost_elsewhere_, lost);
  fullest_ratio_ = 0;
  for (auto& source : sources_) {
    fullest_ratio_ = std::max(fullest_ratio_, source->buffer()->fill_ratio());
    events_ += source->drain(context_);
    lost += source->take_lost();
    if (!source->finished()) continue;
    source->retire(context_);
    recorder_.retire(source->buffer());
    source.reset();
  }
  std::erase(sources_, nullptr);
  recorder_.note_fullest(fullest_ratio_);
  if (lost == 0) return;
  batch_.lose(trace::LossCause::kBufferFull, lost);
  ops_.note_loss(context_.clock.now());
}

void Drain::apply_moments(Timestamp watermark) {
  // What is left of before is in order; what came is a run per thread, mostly in order too.
  const auto middle = moments_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  if (!std::is_sorted(middle, moments_.end(), earlier)) std::stable_sort(middle, moments_.end(), earlier);
  std::inplace_merge(moments_.begin(), middle, moments_.end(), earlier);
  std::size_t done = 0;
  for (; done < moments_.size() && moments_[done].at <= watermark; ++done) {
    const Moment moment = moments_[done];
    moment.kind == MomentKind::kCounter ? apply_counter(moment) : ops_.apply(moment);
  }
  moments_.erase(moments_.begin(), moments_.begin() + static_cast<std::ptrdiff_t>(done));
  sorted_ = moments_.size();
}

void Drain::apply_counter(const Moment& moment) {
  CounterWriter& counter = counters_[moment.desc];
  if (counter.track == kNoTrack) counter.track = batch_.track_of(*moment.desc);
  const double value = std::bit_cast<double>(moment.a);
  batch_.add(counter, moment.at, value);
  if (moment.desc->role == trace::CounterRole::kStepsFinished) steps_per_second_.finished(moment.at, value);
}

void Drain::update_counters(Timestamp now) {
  Timestamp settled = watermark_;
  for (const auto& [desc, track] : async_tracks_) {
    if (const auto since = track.copying_since()) settled = std::min(settled, *since);
  }
  bandwidth_.update(session_.running ? settled : timestamp_from_ns(INT64_MAX));
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
  apply_moments(timestamp_from_ns(INT64_MAX));
  ops_.close_all(at);
}

trace::Batch Drain::take_batch() {
  for (auto& source : sources_) {
    if (source->track() != nullptr) source->track()->open_slices(watermark_, batch_.open_slices());
  }
  for (const auto& [desc, track] : async_tracks_) track.open_slices(watermark_, batch_.open_slices());
  ops_.open_slices(watermark_, batch_.open_slices());
  ops_.open_ops(options_.open_ops, batch_.open_ops());
  return batch_.take(watermark_);
}

DrainTotals Drain::totals() const {
  return {events_, batch_.slices(), ops_.lives_undrawn(), ops_.open_count(), fullest_ratio_, drift_.drift()};
}

}  // namespace runahead::record
