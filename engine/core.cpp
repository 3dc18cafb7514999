#include "engine/core.h"

#include <algorithm>
#include <utility>

#include "engine/device/device_registry.h"
#include "engine/host_executor.h"
#include "engine/stream_executor.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

std::uint64_t next_engine_serial() {
  // number of engines made in this process; it is part of each op id, so that ops of different engines have
  // different ids
  static std::atomic<std::uint64_t> serial{0};
  return serial.fetch_add(1, std::memory_order_relaxed) % 0xffff + 1;
}

}  // namespace

std::unique_ptr<Engine> Engine::create(EngineOptions options) {
  options.cpu_workers = std::max(options.cpu_workers, 1);
  options.cpu_copy_workers = std::max(options.cpu_copy_workers, 0);
  return std::make_unique<Core>(options);
}

Core::Core(EngineOptions options)
    : options_(options),
      id_base_(next_engine_serial() << 48),
      mode_{.spin = usable_spin(options.spin), .help = options.waiter_helps ? this : nullptr},
      gate_(limit(), [this] { close_bulks(); }),
      runner_(this, failures_, gate_, steps_, node_pool_),
      bulks_(options.bulk) {}

Core::~Core() {
  {
    const std::lock_guard lock(enqueue_lock_);
    stopping_ = true;
  }
  cancel();
  gate_.wait_drained(enqueue_lock_, {.spin = mode_.spin});
  for (const auto& executor : executors_) executor->stop();
  // a device's destructor joins the threads of the device, which may still run complete()
  for (auto& device : devices_) device.reset();
  node_pool_.reclaim();
  vars_.close();
}

Result<Device*> Core::device(std::string_view name) {
  {
    const std::lock_guard lock(enqueue_lock_);
    if (const auto found = names_.find(name); found != names_.end()) return found->second;
  }
  Result<std::unique_ptr<Device>> opened =
      // outside the lock: opening may take long
      open_device(name, options_.capacity_bytes);
  if (!opened) return opened.error();
  const std::lock_guard lock(enqueue_lock_);
  const auto [place, is_new] = names_.try_emplace(std::string(name), opened.value().get());
  if (is_new) add_device_locked(std::move(opened).value());
  return place->second;
}

Device* Core::add_device(std::unique_ptr<Device> device) {
  Device* const added = device.get();
  const std::lock_guard lock(enqueue_lock_);
  names_.emplace(added->name(), added);
  add_device_locked(std::move(device));
  return added;
}

void Core::add_device_locked(std::unique_ptr<Device> device) {
  const std::size_t index = device_count_.load(std::memory_order_relaxed);
  RUNAHEAD_CHECK(index < devices_.size());
  devices_[index] = std::move(device);
  Device& added = *devices_[index];
  route_ = {};
  if (options_.kind == EngineKind::kNaive) {
    executors_.push_back(std::make_unique<NaiveExecutor>(added, gate_.add_tally(), runner_, options_.spin));
  } else if (added.runs_on_caller()) {
    add_host_executors_locked(added);
  } else {
    executors_.push_back(std::make_unique<StreamExecutor>(added, gate_.add_tally(), runner_, options_.order,
                                                          options_.allocation));
  }
  device_count_.store(index + 1, std::memory_order_release);  // pairs with the acquire in stats()
}

void Core::add_host_executors_locked(Device& device) {
  const auto add = [&](const char* kind, int workers) {
    const HostExecutor::WorkerPool pool{.name = device.name() + kind,
                                        .workers = workers,
                                        .spin = options_.spin,
                                        .helped = options_.waiter_helps};
    auto executor = std::make_unique<HostExecutor>(device, gate_.add_tally(), runner_, options_.order, pool);
    const std::size_t helpers = helper_count_.load(std::memory_order_relaxed);
    if (helpers < helpers_.size()) {
      helpers_[helpers] = executor.get();
      helper_count_.store(helpers + 1, std::memory_order_release);  // pairs with the acquire in help()
    }
    executors_.push_back(std::move(executor));
  };
  add("", options_.cpu_workers);
  if (options_.cpu_copy_workers > 0) add(" copy", options_.cpu_copy_workers);
}

std::vector<Device*> Core::devices() const {
  const std::lock_guard lock(enqueue_lock_);
  std::vector<Device*> all;
  for (std::size_t i = 0; i < device_count_.load(std::memory_order_relaxed); ++i) {
    all.push_back(devices_[i].get());
  }
  return all;
}

Var Core::new_var(std::string_view name) {
  // After this number of new Vars, the Vars without a handle are deleted. Usually they are deleted when ops
  // are enqueued, but a frontend may make and drop Vars without enqueuing ops.
  constexpr std::int64_t kTidyEvery = 4096;
  if (vars_.add() % kTidyEvery == kTidyEvery - 1) {
    const std::lock_guard lock(enqueue_lock_);
    node_pool_.reclaim();
  }
  return Var(new VarState(vars_, name));
}

std::uint64_t Core::version(const Var& var) const {
  RUNAHEAD_CHECK(var);
  const std::lock_guard lock(enqueue_lock_);
  // A write is counted in `version` only when the node of the writing op is reclaimed. A waiter is notified
  // only after the node was returned to the pool. Therefore this reclaim() counts every write for which the
  // caller has waited.
  node_pool_.reclaim();
  return var.get()->version;
}

OpId Core::last_write(const Var& var) const {
  if (!var || &var.get()->home != &vars_) return kNoOp;
  const std::lock_guard lock(enqueue_lock_);
  const std::uint64_t number = var.get()->writer.number;  // it stays when the op has ended
  return number != 0 ? id_of(number) : kNoOp;
}

// ---- settings --------------------------------------------------------------------------------------------

void Core::begin_step(std::int64_t index) {
  close_my_bulk();
  steps_.begin(index);
}

void Core::end_step() {
  close_my_bulk();
  steps_.end();
}

InFlightBound Core::run_ahead_bound() const {
  return {bound_ops_.load(std::memory_order_relaxed), bound_bytes_.load(std::memory_order_relaxed)};
}

void Core::set_run_ahead_bound(std::int64_t ops, std::int64_t bytes) {
  const std::lock_guard lock(enqueue_lock_);  // the two bounds change together
  bound_ops_.store(ops, std::memory_order_relaxed);
  bound_bytes_.store(bytes, std::memory_order_relaxed);
  gate_.set_bound(limit().and_also({ops, bytes}));
}

void Core::set_frontend_cost(Duration per_op) {
  const double ticks = static_cast<double>(per_op.count()) * TickClock::get().ticks_per_ns();
  frontend_cost_ticks_.store(static_cast<std::int64_t>(ticks), std::memory_order_relaxed);
}

// ---- the whole engine ------------------------------------------------------------------------------------

std::int64_t Core::cancel() {
  std::int64_t count = 0;
  const std::lock_guard lock(enqueue_lock_);
  runner_.begin_cancel(last_number_.load(std::memory_order_relaxed));
  node_pool_.for_each([&](OpNode& node) {
    if (node.id != kNoOp && runner_.cancel(node)) ++count;
  });
  return count;
}

void Core::stop() {
  {
    const std::lock_guard lock(enqueue_lock_);
    stopping_ = true;
  }
  cancel();
  for (Device* const device : devices()) device->hurry();
}

EngineStats Core::stats() const {
  EngineStats stats;
  stats.bulk_members = bulk_members_.load(std::memory_order_relaxed);
  stats.ops_enqueued =
      static_cast<std::int64_t>(last_number_.load(std::memory_order_relaxed)) - stats.bulk_members;
  stats.ops_finished = gate_.left_ops();
  stats.ops_failed = runner_.failed();
  stats.ops_skipped = runner_.skipped();
  stats.in_flight_ops = gate_.ops();
  stats.in_flight_bytes = gate_.bytes();
  stats.in_flight_steps = steps_.in_flight();
  stats.max_in_flight_ops = gate_.max_ops();
  stats.max_in_flight_bytes = gate_.max_bytes();
  stats.max_in_flight_steps = steps_.max_in_flight();
  stats.steps_finished = steps_.finished();
  stats.steps_time = steps_.time_of_steps();
  stats.held_by_limit = held_by_limit_.load(std::memory_order_relaxed);
  stats.blocked_ns = blocked_ns_.load(std::memory_order_relaxed);
  const std::size_t devices =
      // read without the lock, because the window calls stats() in every frame
      device_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < devices; ++i)
    stats.late_ops += static_cast<std::int64_t>(devices_[i]->late_ops());
  return stats;
}

std::int64_t Core::ops_finished_on(const Device& device) const {
  const std::lock_guard lock(enqueue_lock_);
  std::int64_t ops = 0;
  for (const auto& executor : executors_) {
    if (&executor->device() != &device) continue;
    for (const std::atomic<std::int64_t>& left : executor->left().ops)
      ops += left.load(std::memory_order_relaxed);
  }
  return ops;
}

void Core::reset_maxima() {
  const std::lock_guard lock(enqueue_lock_);
  gate_.reset_maxima();
  steps_.reset_maxima();
}

}  // namespace runahead::engine
