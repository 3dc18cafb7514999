#include "samples/live_control.h"

#include <algorithm>
#include <string>

#include "instrumentation/base/mutex.h"
#include "instrumentation/record/hooks/hooks.h"
#include "samples/barrier_policy.h"
#include "samples/clock.h"
#include "samples/own_work.h"
#include "samples/process_memory.h"

namespace runahead::samples {

namespace {

constexpr record::Site kStep{"step", trace::SliceKind::kStep, __FILE__, __LINE__};
constexpr record::Site kPaused{"paused", trace::SliceKind::kPause, __FILE__, __LINE__};
constexpr record::Site kWaitPoint{trace::kWaitPoint, trace::SliceKind::kZone, __FILE__, __LINE__};
constexpr record::Site kWindow{"window", trace::SliceKind::kWait, __FILE__, __LINE__};
// Reading the process's memory takes about 5 us, and a step may be shorter than that. Therefore the memory is
// read at most once per period, not at each step.
constexpr double kRssPeriod_s = 0.002;

constexpr const char* kBarrierTrack = "barrier";
constexpr const char* kPartsTrack = "parts";

}  // namespace

LiveControl::LiveControl(engine::Engine& engine, const Options& options)
    : engine_(engine),
      options_(options),
      barrier_(options.barrier),
      time_(engine),
      paused_(options.start_paused),
      wanted_(options.barrier) {}

// ---- the frontend thread ----------------------------------------------------------------------------------

void LiveControl::begin_part(std::string_view name) {
  preparing_ = name == trace::kPreparationPart;
  mark({kPartsTrack, std::string(trace::kPartLabel) + std::string(name)});
}

std::optional<std::int64_t> LiveControl::next_step() {
  if (!wait_for_permission()) return std::nullopt;
  if (preparing_) begin_part(trace::kStepsPart);
  take_wanted_barrier();
  const std::int64_t index = next_index_++;
  begin_zone();
  if (barrier_.kind == BarrierKind::kWindow && index >= barrier_.k) {
    window_failure_ = engine_.wait_step(index - barrier_.k, kWindow);
  }
  engine_.begin_step(index);
  return index;
}

Status LiveControl::end_step(const engine::Array& wait_for) {
  const Status held = window_failure_.ok() ? wait_point(wait_for) : window_failure_;
  engine_.end_step();
  finish_step();
  return held;
}

Status LiveControl::wait_point(const engine::Array& array) {
  if (stopping()) return stopped_status();
  record_wait_point(array);
  return hold(barrier_, engine_, array);
}

void LiveControl::record_wait_point(const engine::Array& array) {
  if (!record::recording()) return;
  record::instant_here(kWaitPoint, record::now_ticks(), array ? engine_.last_write(array.var()) : kNoOp);
}

void LiveControl::apply_first_barrier() {
  {
    const MutexLock lock(mutex_);
    barrier_ = wanted_;
  }
  engine_.set_run_ahead_bound(barrier_.kind == BarrierKind::kOps ? barrier_.k : 0,
                              barrier_.kind == BarrierKind::kBytes ? barrier_.k : 0);
}

void LiveControl::start_clock() {
  mark({kBarrierTrack, "start: " + to_string(barrier_)});
  time_.start();
}

bool LiveControl::take_permission_locked() {
  if (stopping()) return true;  // the run is ending, so the frontend must not wait here
  if (paused_ && single_steps_ == 0) return false;
  if (paused_) --single_steps_;
  ++totals_.steps_begun;
  return true;
}

bool LiveControl::wait_for_permission() {
  if (!options_.endless && next_index_ >= options_.steps) return false;
  {
    const MutexLock lock(mutex_);
    if (take_permission_locked()) return !stopping();
  }
  const OwnWork own(*this);
  const record::Zone paused(kPaused);
  MutexLock lock(mutex_);
  changed_.wait(lock.native(), [this]() RUNAHEAD_REQUIRES(mutex_) { return take_permission_locked(); });
  return !stopping();
}

void LiveControl::take_wanted_barrier() {
  mark_late();
  BarrierPolicy wanted;
  {
    const MutexLock lock(mutex_);
    wanted = wanted_;
  }
  if (wanted == barrier_) return;
  mark({kBarrierTrack, to_string(barrier_) + " -> " + to_string(wanted)});
  barrier_ = wanted;
  engine_.set_run_ahead_bound(barrier_.kind == BarrierKind::kOps ? barrier_.k : 0,
                              barrier_.kind == BarrierKind::kBytes ? barrier_.k : 0);
}

bool LiveControl::record_mark(const Mark& mark) {
  if (!record::recording()) return true;
  const record::TrackDesc& track =
      record::intern_track({.kind = trace::TrackKind::kMarkers, .name = mark.track});
  return record::instant(track, record::intern_site(mark.text, trace::SliceKind::kZone), record::now_ticks());
}

void LiveControl::mark(Mark mark) {
  unmarked_.push_back(std::move(mark));
  mark_late();
}

// A frontend that runs far ahead fills its event buffer, and further events are lost. A mark must not be
// lost. If the buffer is full, a later step or mark tries again.
void LiveControl::mark_late() {
  while (!unmarked_.empty() && record_mark(unmarked_.front())) unmarked_.erase(unmarked_.begin());
}

void LiveControl::begin_zone() {
  zone_open_ = record::recording();
  if (zone_open_) record::zone_begin(kStep, record::now_ticks());
}

void LiveControl::finish_step() {
  if (zone_open_) record::zone_end(record::now_ticks());
  zone_open_ = false;
  const double now = now_s();
  std::int64_t rss_bytes = 0;
  if (now - last_rss_sample_s_ >= kRssPeriod_s) {
    rss_bytes = process_rss_bytes();
    last_rss_sample_s_ = now;
  }
  const FrontendTime::Split time = time_.split();
  const MutexLock lock(mutex_);
  totals_.time = time;
  totals_.rss_most_bytes = std::max(totals_.rss_most_bytes, rss_bytes);
  if (context_ == nullptr) return;
  totals_.params_bytes = context_->params_bytes;
  totals_.step_bytes = context_->step_bytes;
}

Status LiveControl::stopped_status() {
  // Cancels the ops that the frontend enqueued after Runner::stop() had cancelled the earlier ops.
  engine_.cancel();
  return Error{"stopped"};
}

// ---- any thread -------------------------------------------------------------------------------------------

void LiveControl::pause() {
  const MutexLock lock(mutex_);
  paused_ = true;
}

void LiveControl::resume() {
  const MutexLock lock(mutex_);
  paused_ = false;
  single_steps_ = 0;
  changed_.notify_all();
}

void LiveControl::step_once() {
  const MutexLock lock(mutex_);
  if (!paused_) return;
  ++single_steps_;
  changed_.notify_all();
}

void LiveControl::stop() {
  const MutexLock lock(mutex_);
  stopping_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
}

void LiveControl::set_barrier(BarrierPolicy policy) {
  const MutexLock lock(mutex_);
  wanted_ = policy;
}

BarrierPolicy LiveControl::wanted_barrier() const {
  const MutexLock lock(mutex_);
  return wanted_;
}

bool LiveControl::paused() const {
  const MutexLock lock(mutex_);
  return paused_;
}

LiveControl::Totals LiveControl::totals() const {
  const MutexLock lock(mutex_);
  return totals_;
}

}  // namespace runahead::samples
