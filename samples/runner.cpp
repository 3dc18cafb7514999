#include "samples/runner.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "instrumentation/base/mutex.h"
#include "instrumentation/record/hooks/hooks.h"
#include "samples/clock.h"
#include "samples/process_memory.h"
#include "samples/runner_state.h"

namespace runahead::samples {

namespace {

constexpr record::Site kFinalWait{"waitall", trace::SliceKind::kWait, __FILE__, __LINE__};

std::string device_names(const std::vector<engine::Device*>& devices) {
  std::string names;
  for (const engine::Device* device : devices) {
    names += (names.empty() ? "" : ", ") + device->name() + (device->simulated() ? " (simulated)" : "");
  }
  return names;
}

}  // namespace

// ---- the frontend thread ----------------------------------------------------------------------------------

void Runner::State::run_frontend() {
  record::name_thread(trace::TrackKind::kFrontend, "main");
  control->begin_part(trace::kPreparationPart);
  control->apply_first_barrier();
  {
    const MutexLock lock(mutex);
    rss_before_bytes = process_rss_bytes();
  }
  workload->prepare(context);
  {
    const MutexLock lock(mutex);
    begin_s = now_s();
  }
  control->start_clock();
  Status outcome = workload->run(context);
  const Ending ending = drain(outcome);
  control->begin_part(trace::kResultsPart);
  RunReport report = measure(ending);
  if (outcome.ok() && !control->stopping()) outcome = workload->conclude(context);
  report.result = context.result;
  report.result_text = context.result_text;
  count_all(ending, report);
  finish(std::move(report), outcome);
}

Runner::State::Ending Runner::State::drain(Status& outcome) {
  // Measures the memory of the process when the workload's loop has returned, before the last wait. The
  // published figures were measured at this moment too.
  Ending ending{.rss_bytes = process_rss_bytes()};
  const double blocked_before_s = control->time().blocked_s;
  const Status drained = engine->wait_all(kFinalWait);
  ending.time = control->time();
  ending.wall_s = ending.time.all_s;
  ending.final_wait_s = ending.time.blocked_s - blocked_before_s;
  if (outcome.ok()) outcome = drained;
  return ending;
}

void Runner::State::count_all(const Ending& ending, RunReport& report) const {
  // conclude() may have enqueued ops whose results nobody read. This call waits for these ops, so that the
  // report counts them. Failures of these ops are ignored.
  if (engine->stats().in_flight_ops > 0) static_cast<void>(engine->wait_all(kFinalWait));
  count_ops(engine->stats(), report);
  report.results_wait_s = control->time().blocked_s - ending.time.blocked_s;
}

void Runner::State::count_ops(const engine::EngineStats& stats, RunReport& report) const {
  report.ops = stats.ops_enqueued;
  report.bulk_members = stats.bulk_members;
  report.devices = devices_that_ran();
}

std::vector<RunReport::Device> Runner::State::devices_that_ran() const {
  std::vector<RunReport::Device> ran;
  for (const engine::Device* device : engine->devices()) {
    const auto own = std::ranges::find(context.devices, device);
    const std::ptrdiff_t place = own - context.devices.begin();
    const bool added = own != context.devices.end() && place >= static_cast<std::ptrdiff_t>(devices_asked);
    const std::int64_t ops = engine->ops_finished_on(*device);
    if (ops > 0)
      ran.push_back({.name = device->name(), .simulated = device->simulated(), .added = added, .ops = ops});
  }
  return ran;
}

void Runner::State::finish(RunReport report, const Status& outcome) {
  const MutexLock lock(mutex);
  // Ops that stop() cancelled also end with an error. This is not a failure of the run.
  if (!outcome.ok() && !control->stopping()) failure = outcome.error().message;
  measured = std::move(report);
  done = true;
  ended.notify_all();
}

std::map<std::string, std::string> engine_settings(const RunConfig& config) {
  const engine::EngineOptions& options = config.engine;
  return {{"workers", std::to_string(options.cpu_workers)},
          {"copy_workers", std::to_string(options.cpu_copy_workers)},
          {"blas_threads", std::to_string(config.blas_threads)},
          {"spin_us", std::to_string(options.spin.count() / 1000)},
          {"bulk", std::to_string(options.bulk)},
          {"limit_ops", std::to_string(options.limit_ops)},
          {"limit_bytes", std::to_string(options.limit_bytes)},
          {"capacity_bytes", std::to_string(options.capacity_bytes)},
          {"waiter_helps", options.waiter_helps ? "yes" : "no"},
          {"order", options.order == engine::ReadyOrder::kOldest ? "oldest" : "fifo"},
          {"alloc", options.allocation == engine::AllocationTime::kAtExecution ? "execute" : "enqueue"}};
}

RunReport Runner::State::measure(const Ending& ending) const {
  RunReport report;
  report.workload = config.workload;
  report.device = device_names(context.devices);
  report.engine = config.engine.kind == engine::EngineKind::kNaive ? "naive" : "threaded";
  report.barrier = to_string(control->wanted_barrier());
  report.settings = engine_settings(config);
  report.params = context.parameters;
  const engine::EngineStats stats = engine->stats();
  report.steps = stats.steps_finished;
  count_ops(stats, report);
  report.max_run_ahead_steps = stats.max_in_flight_steps;
  report.max_run_ahead_ops = stats.max_in_flight_ops;
  report.max_run_ahead_bytes = static_cast<double>(stats.max_in_flight_bytes);
  report.late_ops = stats.late_ops;
  report.held_by_limit = stats.held_by_limit;
  const LiveControl::Totals totals = control->totals();
  report.enqueue_s = ending.time.enqueue_s;
  report.blocked_s = ending.time.blocked_s - ending.final_wait_s;
  report.other_s = ending.time.other_s;
  report.params_bytes = totals.params_bytes;
  report.step_bytes = totals.step_bytes;
  report.final_wait_s = ending.final_wait_s;
  // Each memory figure is a sum over all devices of the run. An input that is made on the host and then
  // copied counts twice, because it uses memory on the host and on the device. Two devices may reach their
  // peaks at different times, so with several devices the sum of the peaks is an upper bound.
  for (engine::Device* device : engine->devices()) {
    const engine::MemoryStats memory = device->pool().stats();
    report.peak_bytes += static_cast<double>(memory.peak_bytes);
    report.end_bytes += static_cast<double>(memory.live_bytes);
    report.reserved_bytes += static_cast<double>(memory.reserved_bytes);
    for (std::size_t i = 0; i < engine::kMemoryCategoryCount; ++i) {
      if (memory.peak_by_category[i] == 0) continue;
      const char* const name = engine::memory_category_name(static_cast<engine::MemoryCategory>(i));
      report.peak_by_category[device->name()][name] = static_cast<double>(memory.peak_by_category[i]);
    }
  }
  const MutexLock lock(mutex);
  report.wall_s = ending.wall_s;
  report.steps_s = std::chrono::duration<double>(stats.steps_time).count();
  if (report.steps_s > 0) report.steps_per_s = static_cast<double>(report.steps) / report.steps_s;
  report.rss_before_bytes = static_cast<double>(rss_before_bytes);
  report.rss_increase_bytes =
      static_cast<double>(std::max(ending.rss_bytes, totals.rss_most_bytes) - rss_before_bytes);
  return report;
}

RunReport Runner::State::report_so_far() const {
  Ending so_far{.time = control->totals().time, .rss_bytes = process_rss_bytes()};
  {
    const MutexLock lock(mutex);
    if (done) return measured;
    if (begin_s > 0) so_far.wall_s = std::max(0.0, now_s() - begin_s);
    if (rss_before_bytes == 0) so_far.rss_bytes = 0;  // the run has not measured its memory yet
  }
  return measure(so_far);
}

// ---- any thread -------------------------------------------------------------------------------------------

Runner::Runner() : state_(std::make_unique<State>()) {}

Runner::~Runner() {
  if (!state_->frontend.joinable()) return;
  stop();
  state_->frontend.join();
}

void Runner::pause() { state_->control->pause(); }
void Runner::resume() { state_->control->resume(); }
void Runner::step_once() { state_->control->step_once(); }
void Runner::set_barrier(BarrierPolicy policy) { state_->control->set_barrier(policy); }
BarrierPolicy Runner::barrier() const { return state_->control->wanted_barrier(); }

void Runner::stop() {
  // LiveControl stops before the engine: finish() then ignores the failures of ops that the engine cancels.
  state_->control->stop();
  state_->engine->stop();  // releases a waiting frontend
}

RunState Runner::state() const {
  {
    const MutexLock lock(state_->mutex);
    if (state_->done) return state_->failure.empty() ? RunState::kFinished : RunState::kFailed;
  }
  if (state_->control->stopping()) return RunState::kStopping;
  return state_->control->paused() ? RunState::kPaused : RunState::kRunning;
}

std::string Runner::failure() const {
  const MutexLock lock(state_->mutex);
  return state_->failure;
}

Result<RunReport> Runner::wait() {
  MutexLock lock(state_->mutex);
  state_->ended.wait(lock.native(), [this]() RUNAHEAD_REQUIRES(state_->mutex) { return state_->done; });
  if (!state_->failure.empty()) return Error{state_->failure};
  return state_->measured;
}

RunReport Runner::report() const { return state_->report_so_far(); }
engine::EngineStats Runner::engine_stats() const { return state_->engine->stats(); }
std::vector<engine::Device*> Runner::devices() const { return state_->engine->devices(); }
const RunConfig& Runner::config() const { return state_->config; }

}  // namespace runahead::samples
