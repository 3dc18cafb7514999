// Engine: takes ops with the Vars they read and write, runs each when what it reads is there, and lets the
// caller run ahead. Ops on a Var take effect in the order they were enqueued: one writer or many readers.
// Semantics: MXNet's dependency engine (ThreadedEngine, NaiveEngine), with waits on the op itself.
//
// Threads: enqueue, wait_* and steps on any frontend thread; a wait inside an op is refused with an error.
// Errors: an op that throws fails; what it writes is poisoned; ops that read that are skipped; the next wait
// on it (or wait_all) reports the failure with the op's name, once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/device/device.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/base/unique_function.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

enum class EngineKind : std::uint8_t {
  kThreaded,  // workers execute
  kNaive,     // executes inside the enqueue, on the caller's thread: the oracle
};
enum class ReadyOrder : std::uint8_t {
  kFifo,    // first ready first (MXNet's)
  kOldest,  // oldest enqueued first
};
enum class AllocationTime : std::uint8_t { kAtEnqueue, kAtExecution };

struct EngineOptions {
  EngineKind kind = EngineKind::kThreaded;
  int cpu_workers = 1;  // threads of device cpu; the default leaves a core for the frontend
  // Threads of device cpu that run its copies (other streams than kCompute), so that a copy does not wait
  // behind a product; 0: the workers do.
  int cpu_copy_workers = 1;
  ReadyOrder order = ReadyOrder::kFifo;
  AllocationTime allocation = AllocationTime::kAtEnqueue;
  // The safety limit: a frontend that runs further ahead is held back, drawn as a wait "held by the limit",
  // counted.
  std::int64_t limit_ops = 100'000;
  std::int64_t limit_bytes = std::int64_t{1} << 30;
  // Memory of each device that is opened by name, as open_device() takes it; 0: the device's own.
  std::size_t capacity_bytes = 0;
  // Members of a bulk (Engine::set_bulk) of frontends that do not say; 0: none.
  int bulk = 0;
  // How long a thread that waits, and a worker without work, spins before it sleeps. Not at all where there
  // is one core.
  Duration spin{50'000};  // waking a thread takes 20 to 45 us
  // A frontend that waits runs ready ops of device cpu itself meanwhile, drawn on its own track. What it
  // waits for may end while it is busy with another.
  bool waiter_helps = false;
  friend bool operator==(const EngineOptions&, const EngineOptions&) = default;
};

// A dependency token. A cheap handle that shares the token; empty until made by Engine::new_var(). Its engine
// must outlive its use, but not the handle.
class VarState;
class Var {
 public:
  Var() = default;
  explicit Var(VarState* state) : state_(state) {}  // takes over a handle
  Var(const Var& other) : state_(other.state_) {
    if (state_ != nullptr) keep(state_);
  }
  Var(Var&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Var& operator=(Var other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Var() {
    if (state_ != nullptr) release(state_);
  }
  [[nodiscard]] VarState* get() const { return state_; }
  explicit operator bool() const { return state_ != nullptr; }
  friend bool operator==(const Var&, const Var&) = default;

 private:
  static void keep(VarState* state);
  static void release(VarState* state);
  VarState* state_ = nullptr;
};

// What an op may ask of the engine while it runs.
class OpContext {
 public:
  explicit OpContext(OpId op) : op_(op) {}
  [[nodiscard]] OpId op() const { return op_; }
  // Where the program enqueued it: told by the op's function, where that knows better than the op's site.
  void set_where(std::source_location where) { where_ = where; }
  [[nodiscard]] std::source_location where() const { return where_; }  // line 0: nobody said

 private:
  OpId op_;
  std::source_location where_{};
};
// Computes the op's values, on a thread of its device. May throw. Destroyed as soon as the op has ended, so
// what it captures (memory above all) is held no longer. Small ones take no memory of their own.
using OpFunction = UniqueFunction<void(OpContext&), 24>;

struct OpSpec {
  const record::Site* site = nullptr;  // name and kind; never null
  Device* device = nullptr;            // one of the engine's; never null
  StreamKind stream = StreamKind::kCompute;
  std::span<const Var> reads;  // a Var may not be listed twice, nor in both lists: an error
  std::span<const Var> writes;
  std::int64_t output_bytes = 0;  // what run-ahead in bytes counts
  std::int64_t size_bytes = 0;    // moved; copies
  std::int32_t priority = 0;      // higher runs first among the ready, all orders
  Cost cost;
};

// An op in flight or done, to wait for. Two words; of use as long as the engine lives.
struct OpHandle {
  OpId id = kNoOp;
  void* node = nullptr;  // engine's own
};

// Counts of the same moment only where nothing is running: an op is done, and whoever asks for it then does
// not wait, a moment before it is counted here. wait_all(), wait_in_flight() and wait_step() wait for the
// counts.
struct EngineStats {
  // Every op enqueued ends up finished; failed and skipped (or cancelled) ones are counted there too.
  std::int64_t ops_enqueued = 0, ops_finished = 0, ops_failed = 0, ops_skipped = 0, late_ops = 0;
  // Ops that went into bulks; each bulk is one op of the above.
  std::int64_t bulk_members = 0;
  std::int64_t in_flight_ops = 0, in_flight_bytes = 0, in_flight_steps = 0;
  // Since reset_maxima():
  std::int64_t max_in_flight_ops = 0, max_in_flight_bytes = 0, max_in_flight_steps = 0;
  std::int64_t steps_finished = 0;
  std::int64_t held_by_limit = 0;  // how often the safety limit held a frontend
  std::int64_t blocked_ns = 0;     // frontends' time in waits, since the start
};

class Engine {
 public:
  // Never null. The engine owns the devices that device() opens.
  [[nodiscard]] static std::unique_ptr<Engine> create(EngineOptions options);
  virtual ~Engine() =
      default;  // waits for what is running, cancels what has not started; loses no completion

  // Opens (once) and returns a device; the same pointer for the same name. Error: unknown, or not available
  // here.
  [[nodiscard]] virtual Result<Device*> device(std::string_view name) = 0;
  // Adds a device made by hand (tests: a virtual GPU on a manual clock).
  virtual Device* add_device(std::unique_ptr<Device> device) = 0;
  [[nodiscard]] virtual std::vector<Device*> devices() const = 0;
  [[nodiscard]] virtual const EngineOptions& options() const = 0;

  [[nodiscard]] virtual Var new_var(std::string_view name = {}) = 0;
  // Completed writes so far: grows by one per completed write, failed ones included.
  [[nodiscard]] virtual std::uint64_t version(const Var& var) const = 0;

  // Hands an op over and returns at once (kNaive: when it is done); held back only by a limit. The error: a
  // malformed spec (a Var twice, an empty Var), or the engine has been stopped.
  [[nodiscard]] virtual Result<OpHandle> enqueue(const OpSpec& spec, OpFunction function) = 0;

  // From now on ops that this thread enqueues for one device's compute stream, one after the other with the
  // same priority, are handed over together, up to so many: one op, whose members run one after the other,
  // each with a slice of its own. It is handed over when it is full, at a wait of any thread, where a step
  // begins or ends, before an op that does not fit in, and here. It succeeds or fails as one: what any member
  // writes is there when all are done, an op before it that failed has all of them skipped, and a member that
  // throws those after it. <= 1: each op by itself, as with kNaive always. Returns what it was.
  virtual int set_bulk(int most_members) = 0;

  // Waits until all writes enqueued so far on `var` are done. `site` names the wait on the timeline
  // ("wait_to_read", "item"); the error is the failure that poisoned the var, reported once. Unless there is
  // one, `then` is called on this thread before the wait ends: what a blocker does itself, its copy.
  [[nodiscard]] virtual Status wait_to_read(const Var& var, const record::Site& site,
                                            const std::function<void()>& then = {}) = 0;
  [[nodiscard]] virtual Status wait_op(const OpHandle& op, const record::Site& site) = 0;
  [[nodiscard]] virtual Status wait_all(const record::Site& site) = 0;
  // The error of an op that failed, or of the first that poisoned it; ok while it has not.
  [[nodiscard]] virtual Status check(const Var& var) = 0;

  // Steps: ops that this thread enqueues between begin_step and end_step belong to step `index`; a step is
  // finished when they all are (a counter sample "steps finished", and the listener).
  virtual void begin_step(std::int64_t index) = 0;
  virtual void end_step() = 0;
  // Waits until step `index` of this thread has finished; at once if it never began.
  [[nodiscard]] virtual Status wait_step(std::int64_t index, const record::Site& site) = 0;
  // Holds the caller back until at most `ops` ops and `bytes` output bytes are in flight (<= 0: no bound).
  [[nodiscard]] virtual Status wait_in_flight(std::int64_t ops, std::int64_t bytes,
                                              const record::Site& site) = 0;
  // Back-pressure inside enqueue, besides the safety limit (barriers ops:N, bytes:N); 0: none. Takes effect
  // at the next enqueue.
  virtual void set_run_ahead_bound(std::int64_t ops, std::int64_t bytes) = 0;

  // What a frontend's language costs per op (Python's, say): enqueue spins for this long first. 0: nothing.
  // Any thread.
  virtual void set_frontend_cost(Duration per_op) = 0;

  // Cancels ops that have not started: they end as skipped, their vars poisoned with "cancelled". Returns how
  // many. Any thread.
  virtual std::int64_t cancel() = 0;
  // The run is given up: cancel(), and from now on every op is refused, and devices of modelled time let none
  // pass (Device::hurry). Waits go on to work, and end with what is executing. Any thread.
  virtual void stop() = 0;

  [[nodiscard]] virtual EngineStats stats() const = 0;
  // Ops of that device that have ended, of those that stats() counts.
  [[nodiscard]] virtual std::int64_t ops_finished_on(const Device& device) const = 0;
  virtual void reset_maxima() = 0;
};

}  // namespace runahead::engine
