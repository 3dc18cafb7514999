#include "engine/python/module/runtime.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/array/array_copies.h"
#include "engine/array/blas.h"
#include "engine/device/device_registry.h"
#include "engine/device/memory/host_bounds.h"
#include "engine/python/module/script_line.h"
#include "instrumentation/record/controls.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine::python {
namespace {

using trace::SliceKind;

constexpr record::Site kStepSite{"step", SliceKind::kStep, __FILE__, __LINE__};
constexpr record::Site kEndSite{"end of the process", SliceKind::kWait, __FILE__, __LINE__};

// The process has one runtime. It is never destroyed: when Python ends, arrays are destroyed in any order.
Runtime* the_runtime = nullptr;
std::optional<RuntimeOptions> wanted;
bool forked = false;

void note_fork() { forked = the_runtime != nullptr; }

// Python runs signal handlers on the first thread only.
bool on_first_thread() {
  thread_local const bool first = gettid() == getpid();
  return first;
}

double seconds(std::uint64_t ticks) {
  return static_cast<double>(ticks) / TickClock::get().ticks_per_ns() * 1e-9;
}

bool add(PyObject* dict, const char* key, PyObject* value) {
  const Ref owned(value);
  return owned && PyDict_SetItemString(dict, key, owned.get()) == 0;
}
bool add(PyObject* dict, const char* key, std::int64_t value) {
  return add(dict, key, PyLong_FromLongLong(value));
}
bool add(PyObject* dict, const char* key, double value) { return add(dict, key, PyFloat_FromDouble(value)); }
bool add(PyObject* dict, const char* key, const std::string& value) {
  return add(dict, key, PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
}

}  // namespace

engine::EngineOptions usual_engine_options() {
  constexpr std::size_t kLeast = std::size_t{64} << 20;
  engine::EngineOptions options;
  options.allocation = engine::AllocationTime::kAtExecution;
  options.limit_bytes =
      static_cast<std::int64_t>(std::max(kLeast, engine::capacity_within(engine::host_bounds()) / 2));
  return options;
}

PyObject* raise(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  return nullptr;
}

PyObject* engine_error() {
  static PyObject* const type = PyErr_NewExceptionWithDoc(
      "runahead.EngineError", "An op failed, or the engine refused.", PyExc_RuntimeError, nullptr);
  return type;
}

Waits::Waits() : state_(PyEval_SaveThread()), interruptible_(on_first_thread() ? this : nullptr) {}
Waits::~Waits() { PyEval_RestoreThread(state_); }

bool Waits::interrupted() {
  const engine::InterruptibleWaits inside_a_handler(nullptr);
  PyEval_RestoreThread(state_);
  const bool raised = PyErr_CheckSignals() != 0;
  state_ = PyEval_SaveThread();
  return raised;
}

bool QuickEnqueue::interrupted() {
  const engine::InterruptibleWaits inside_a_handler(nullptr);
  { const OthersRun others; }
  return PyErr_CheckSignals() != 0;
}

void name_first_thread() {
  static bool named = false;
  if (on_first_thread() && !std::exchange(named, true))
    record::name_thread(trace::TrackKind::kFrontend, "main");
}

bool check_signals() { return PyErr_Occurred() == nullptr && PyErr_CheckSignals() == 0; }

Runtime::Runtime(const RuntimeOptions& options)
    : options_(options), engine_(engine::Engine::create(options.engine)), begin_ticks_(record::now_ticks()) {
  engine::set_blas_threads(options.blas_threads);
  name_first_thread();
  std::vector<std::string> names;
  std::size_t first = barrier_choices().size();
  for (const BarrierChoice& choice : barrier_choices()) {
    if (choice.policy == options.barrier) first = choices_.size();
    choices_.push_back(choice.policy);
    names.push_back(to_string(choice.policy));
  }
  if (first == choices_.size()) {  // none of the usual policies
    choices_.push_back(options.barrier);
    names.push_back(to_string(options.barrier));
  }
  const record::Control& control = record::make_switch("barrier", std::move(names), first);
  switch_ = &control;
  switch_value_ = control.value.load(std::memory_order_relaxed);
  set_barrier(options.barrier);
}

Runtime* Runtime::get() {
  if (the_runtime != nullptr) {
    if (!forked) return the_runtime;
    raise(engine_error(),
          "the engine does not exist in a process made by fork(): its threads stay in the parent. Use the "
          "start method 'spawn'");
    return nullptr;
  }
  pthread_atfork(nullptr, nullptr, note_fork);
  the_runtime = new Runtime(wanted.value_or(RuntimeOptions{}));
  return the_runtime;
}

bool Runtime::configure(const RuntimeOptions& options) {
  if (the_runtime != nullptr) {
    raise(PyExc_RuntimeError,
          "configure: the engine has been made by its first use; call configure() before");
    return false;
  }
  wanted = options;
  return true;
}

bool Runtime::exists() { return the_runtime != nullptr && !forked; }

bool Runtime::close_step_slice() {
  const bool was_open = std::exchange(step_open_, false);
  if (was_open && record::recording()) record::zone_end(record::now_ticks(), trace::kSliceUnfinished);
  return was_open;
}

void Runtime::unfinish_step() {
  if (!exists() || !the_runtime->close_step_slice()) return;
  the_runtime->engine_->end_step();
  ++the_runtime->step_;  // the engine needs another number for each step
}

void Runtime::end_of_process() {
  if (!exists()) return;
  (void)the_runtime->close_step_slice();  // the ops after the last step belong to no complete step
  const OthersRun others;
  the_runtime->engine_->stop();
  if (the_runtime->engine_->stats().in_flight_ops > 0) (void)the_runtime->engine_->wait_all(kEndSite);
}

engine::Device* Runtime::device(const std::string& name) {
  const Result<engine::Device*> device = engine_->device(name);
  if (device.ok()) return *device;
  const bool known = name == "cpu" || engine::is_virtual_device(name) || engine::is_module_device(name);
  raise(known ? engine_error() : PyExc_ValueError, device.error().message);
  return nullptr;
}

void Runtime::open_step() {
  step_open_ = true;
  engine_->begin_step(step_);
  if (record::recording()) record::zone_begin(kStepSite, record::now_ticks());
}

bool Runtime::end_step(const engine::Array* array) {
  counts_steps_ = true;
  if (step_open_) {
    const Status held = hold(array);
    if (!held) return raise_engine_error(held.error()) != nullptr;
    if (!check_signals()) return false;
    engine_->end_step();
    if (record::recording()) record::zone_end(record::now_ticks());
    step_open_ = false;
    ++step_;
  }
  take_switch();
  if (barrier_.kind == BarrierKind::kWindow && step_ >= barrier_.k) {
    const record::Site& site = site_here("window", SliceKind::kWait);
    const Waits waits;
    (void)engine_->wait_step(step_ - barrier_.k, site);
  }
  return check_signals();
}

Status Runtime::hold(const engine::Array* array) {
  const auto status_of = [](const auto& result) {
    return result.ok() ? Status(Ok{}) : Status(result.error());
  };
  if (record::recording()) {
    record::instant_here(site_here(trace::kWaitPoint, SliceKind::kZone), record::now_ticks(),
                         array != nullptr ? engine_->last_write(array->var()) : kNoOp);
  }
  const BarrierKind kind = barrier_.kind;
  const bool held = kind == BarrierKind::kWaitAll || kind == BarrierKind::kWaitToRead ||
                    kind == BarrierKind::kItem || kind == BarrierKind::kAsnumpy ||
                    kind == BarrierKind::kPrint;
  if (!held) return Ok{};
  const bool all = kind == BarrierKind::kWaitAll || array == nullptr;
  const char* const name = all                                ? "waitall"
                           : kind == BarrierKind::kWaitToRead ? "wait_to_read"
                           : kind == BarrierKind::kItem       ? "item"
                           : kind == BarrierKind::kAsnumpy    ? "asnumpy"
                                                              : "print";
  const record::Site& site = site_here(name, SliceKind::kWait);
  const Waits waits;
  if (all) return engine_->wait_all(site);
  if (kind == BarrierKind::kWaitToRead) return engine_->wait_to_read(array->var(), site);
  if (kind == BarrierKind::kPrint) return array->print();
  return status_of(engine::read_to_host(*array, site));
}

void Runtime::set_barrier(const BarrierPolicy& policy) {
  barrier_ = policy;
  engine_->set_run_ahead_bound(policy.kind == BarrierKind::kOps ? policy.k : 0,
                               policy.kind == BarrierKind::kBytes ? policy.k : 0);
  enqueue_may_wait_ = options_.engine.kind == engine::EngineKind::kNaive ||
                      policy.kind == BarrierKind::kOps || policy.kind == BarrierKind::kBytes;
}

// A person may have turned the switch, in the window or by `runahead control`.
void Runtime::take_switch() {
  const double value = static_cast<const record::Control*>(switch_)->value.load(std::memory_order_relaxed);
  if (value == switch_value_) return;
  switch_value_ = value;
  set_barrier(choices_[static_cast<std::size_t>(value)]);
}

PyObject* Runtime::stats() {
  const engine::EngineStats stats = engine_->stats();
  double peak = 0, live = 0;
  std::int64_t late = 0;
  std::string names;
  for (engine::Device* device : engine_->devices()) {
    peak += static_cast<double>(device->pool().stats().peak_bytes);
    live += static_cast<double>(device->pool().stats().live_bytes);
    late += static_cast<std::int64_t>(device->late_ops());
    if (engine_->ops_finished_on(*device) > 0) names += (names.empty() ? "" : ", ") + device->name();
  }
  const double wall_s = seconds(record::now_ticks() - begin_ticks_);
  const auto steps = static_cast<double>(stats.steps_finished);
  const double steps_s = std::chrono::duration<double>(stats.steps_time).count();
  Ref dict(PyDict_New());
  PyObject* const d = dict.get();
  const bool complete =
      dict && add(d, "device", names) &&
      add(d, "engine",
          std::string(options_.engine.kind == engine::EngineKind::kNaive ? "naive" : "threaded")) &&
      add(d, "barrier", to_string(barrier_)) && add(d, "steps", stats.steps_finished) &&
      add(d, "ops", stats.ops_finished) && add(d, "ops_failed", stats.ops_failed) &&
      add(d, "ops_skipped", stats.ops_skipped) && add(d, "wall_s", wall_s) &&
      add(d, "blocked_s", static_cast<double>(stats.blocked_ns) * 1e-9) &&
      add(d, "steps_per_s", steps_s > 0 ? steps / steps_s : 0) && add(d, "peak_bytes", peak) &&
      add(d, "end_bytes", live) && add(d, "max_run_ahead_ops", stats.max_in_flight_ops) &&
      add(d, "max_run_ahead_steps", stats.max_in_flight_steps) &&
      add(d, "max_run_ahead_bytes", static_cast<double>(stats.max_in_flight_bytes)) &&
      add(d, "held_by_limit", stats.held_by_limit) && add(d, "late_ops", late);
  return complete ? dict.release() : nullptr;
}

}  // namespace runahead::engine::python
