// Engine: runs ops in the order that their Vars demand. Meanwhile the calling thread (a frontend) enqueues
// more ops: it runs ahead. Each op names the Vars that it reads and writes. An op runs once the values that
// it reads are computed. Ops on a Var take effect in the order in which they were enqueued. At any time a Var
// has one writer or many readers.
// Source: MXNet's dependency engine (ThreadedEngine, NaiveEngine). Difference: a wait in this engine waits
// for the awaited op itself, and never for unrelated ops.
//
// Threads: enqueue, wait_* and steps may be called on any frontend thread. A wait inside an op is refused
// with an error. Errors: an op that throws fails. The Vars that it writes are poisoned (they carry the
// failure), and ops that read these Vars are skipped. The next wait on such a Var (or wait_all) reports the
// failure once, with the op's name.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/device/device.h"
#include "engine/device/memory/memory_at_start.h"
#include "engine/where.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/base/unique_function.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

enum class EngineKind : std::uint8_t {
  kThreaded,  // workers execute the ops
  kNaive,     // enqueue() runs the op and returns when it is done; tests compare kThreaded with kNaive
};
enum class ReadyOrder : std::uint8_t {
  kFifo,    // the op that became ready first goes first (MXNet's order)
  kOldest,  // the op that was enqueued first goes first
};
enum class AllocationTime : std::uint8_t { kAtEnqueue, kAtExecution };

struct EngineOptions {
  EngineKind kind = EngineKind::kThreaded;
  int cpu_workers = 1;  // threads of device cpu; 1 leaves a core of a two-core machine to the frontend
  // Threads of device cpu that run its copies (ops on streams other than kCompute), so that a copy does not
  // wait behind a matrix product. 0: the compute workers run the copies.
  int cpu_copy_workers = 1;
  ReadyOrder order = ReadyOrder::kFifo;
  AllocationTime allocation = AllocationTime::kAtEnqueue;
  // The safety limit: how many ops, and how many bytes of outputs, may be in flight. A frontend that would
  // exceed it has to wait. The timeline shows such a wait as "held by the limit", and
  // EngineStats::held_by_limit counts it.
  std::int64_t limit_ops = 100'000;
  std::int64_t limit_bytes = std::int64_t{1} << 30;
  // The memory of each device that is opened by name, see open_device(). 0: the device's default.
  std::size_t capacity_bytes = 0;
  // The maximum number of ops in a bulk (ops that are scheduled as one op, see Engine::set_bulk), for
  // frontends that do not call set_bulk(). 0: no bulks.
  int bulk = 0;
  // How long a waiting thread and an idle worker spin before they sleep. On a machine with one core, threads
  // never spin.
  Duration spin{50'000};  // a little longer than waking a thread takes (20 to 45 us)
  // True: a waiting frontend runs ready ops of device cpu itself, on its own track. The awaited op may end
  // while the frontend still runs such an op. Then the wait ends later than the awaited op.
  bool waiter_helps = false;
  friend bool operator==(const EngineOptions&, const EngineOptions&) = default;
};

// Var: a dependency token. A Var is a cheap handle; copies share the token. A default-constructed Var is
// empty; Engine::new_var() makes a token. A handle may outlive its engine. After the engine is destroyed, the
// handle may be destroyed, but not used.
class VarState;
class Var {
 public:
  Var() = default;
  explicit Var(VarState* state) : state_(state) {}  // takes over one reference
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

// OpContext: what the function of an op can ask and tell the engine while it runs.
class OpContext {
 public:
  // memory null: the op's memory counts as soon as it is allocated.
  explicit OpContext(OpId op, MemoryAtStart* memory = nullptr) : op_(op), memory_(memory) {}
  [[nodiscard]] OpId op() const { return op_; }
  // Allocates memory that the op needs (AllocationTime::kAtExecution). It counts as live from the op's start
  // on its device, also if the values are computed before that time. An op that calls MemoryPool::allocate()
  // itself would count it too early. REQUIRES: `out` is empty. The op's function owns it, and frees it only
  // when the function is destroyed: that is at the op's end.
  [[nodiscard]] Status allocate(MemoryPool& pool, std::size_t size_bytes, MemoryOwner owner, Block& out);
  // Sets the line of source code that enqueued the op; if the op fails, the error names this line. The op's
  // function calls set_where() if it knows a more exact line than the op's site.
  void set_where(Where where) { where_ = where; }
  [[nodiscard]] Where where() const { return where_; }  // line 0: not set

 private:
  OpId op_;
  MemoryAtStart* memory_;
  Where where_{};
};
// OpFunction: computes the op's values on a thread of its device. May throw. The engine destroys the function
// as soon as the op has ended, so that its captures (especially memory) are released. A small function is
// stored without an allocation.
using OpFunction = UniqueFunction<void(OpContext&), 24>;

struct OpSpec {
  const record::Site* site = nullptr;  // name and kind; never null
  Device* device = nullptr;            // a device of this engine; never null
  StreamKind stream = StreamKind::kCompute;
  std::span<const Var> reads;  // a Var listed twice, in one list or in both, is an error
  std::span<const Var> writes;
  std::int64_t output_bytes = 0;  // size of the op's outputs; counts toward the limits on bytes in flight
  std::int64_t size_bytes = 0;    // if the op is a copy, the bytes that it moves; otherwise 0
  std::int32_t priority = 0;      // ready ops with a higher priority run first, in both ReadyOrders
  Cost cost;
};

// Identifies an op, in flight or done, for wait_op(). It has the size of two words. Valid as long as the
// engine lives.
struct OpHandle {
  OpId id = kNoOp;
  void* node = nullptr;  // private to the engine
};

// The counts agree with each other only while no op runs. EngineStats counts an op slightly after it is done.
// Therefore a wait for the op may return before the op is counted. wait_all() and wait_in_flight() also wait
// for the counts of ops, and wait_step() for the count of steps.
struct EngineStats {
  // Every enqueued op is finally counted in ops_finished, also failed and skipped ops. ops_skipped includes
  // cancelled ops.
  std::int64_t ops_enqueued = 0, ops_finished = 0, ops_failed = 0, ops_skipped = 0, late_ops = 0;
  // Ops that became members of bulks. ops_enqueued counts each bulk as one op.
  std::int64_t bulk_members = 0;
  std::int64_t in_flight_ops = 0, in_flight_bytes = 0, in_flight_steps = 0;
  // Maxima since the last reset_maxima().
  std::int64_t max_in_flight_ops = 0, max_in_flight_bytes = 0, max_in_flight_steps = 0;
  std::int64_t steps_finished = 0;
  Duration steps_time{};  // from the begin of the first step until a step finished last; pauses count
  std::int64_t held_by_limit = 0;  // how often the safety limit made a frontend wait
  std::int64_t blocked_ns = 0;     // total time that frontends have waited, since the engine was created
};

class WaitInterrupt;  // engine/sync/waiter.h
// Makes the waits of the calling thread interruptible, for the life of this object. A waiting thread asks
// `interrupt` after each signal of the operating system that it gets while it sleeps, and every 50 ms. If the
// answer is true, the wait returns an error, and enqueue() no longer waits at a limit. The ops go on. Null:
// waits are not interruptible. One call of wait_all() may still wait, uninterruptibly, for its turn after the
// wait_all() of another thread. `interrupt` may enqueue ops and wait, but if it interrupts a wait_all(), it
// may not call wait_all().
class InterruptibleWaits {
 public:
  explicit InterruptibleWaits(WaitInterrupt* interrupt);
  ~InterruptibleWaits();
  InterruptibleWaits(const InterruptibleWaits&) = delete;
  InterruptibleWaits& operator=(const InterruptibleWaits&) = delete;

 private:
  WaitInterrupt* const before_;
};

class Engine {
 public:
  // The result is never null. The engine owns the devices that device() opens.
  [[nodiscard]] static std::unique_ptr<Engine> create(EngineOptions options);
  // Cancels the ops that have not started, and waits until every op has ended.
  virtual ~Engine() = default;

  // Returns the device with this name. The first call opens the device. Later calls with the same name return
  // the same pointer. Error: the name is unknown, or the device is not available on this machine.
  [[nodiscard]] virtual Result<Device*> device(std::string_view name) = 0;
  // Adds a device that the caller made (tests: a virtual GPU on a manual clock).
  virtual Device* add_device(std::unique_ptr<Device> device) = 0;
  [[nodiscard]] virtual std::vector<Device*> devices() const = 0;
  [[nodiscard]] virtual const EngineOptions& options() const = 0;

  [[nodiscard]] virtual Var new_var(std::string_view name = {}) = 0;
  // Returns the number of completed writes of the Var, including failed writes.
  [[nodiscard]] virtual std::uint64_t version(const Var& var) const = 0;
  // Returns the op enqueued last that writes the Var: the op for which wait_to_read() waits. The op may have
  // ended. If it is a member of a bulk, returns the bulk, also if the bulk is still open. kNoOp: no op has
  // written the Var, or the Var is empty or another engine's. Does not wait. Any thread.
  [[nodiscard]] virtual OpId last_write(const Var& var) const = 0;

  // Enqueues an op and returns immediately (kNaive: when the op is done). The caller waits only if a limit is
  // reached. Error: the spec is malformed (a Var twice, an empty Var), or the engine has been stopped.
  [[nodiscard]] virtual Result<OpHandle> enqueue(const OpSpec& spec, OpFunction function) = 0;

  // Sets the bulk size of the calling thread. After this call, the engine puts successive ops of this thread
  // into one bulk if they go to the compute stream of the same device with the same priority. A bulk has up
  // to `most_members` ops and is scheduled as one op; each member has its own slice on the timeline.
  // A bulk is closed when it is full, when any thread waits, where a step begins or ends, before an op that
  // does not fit into the bulk, and by this call.
  // A bulk succeeds or fails as a whole. The outputs of a member are available when all members are done. If
  // a predecessor of the bulk failed, all members are skipped. If a member throws, the members after it are
  // skipped.
  // most_members <= 1: each op is scheduled alone (kNaive always does this). Returns the previous size.
  virtual int set_bulk(int most_members) = 0;

  // Waits until all writes of `var` that were enqueued so far are done. `site` names the wait on the timeline
  // ("wait_to_read", "item"). Error: the failure that poisoned the Var, reported once. If there is no
  // failure, calls `then` on this thread, as the last part of the recorded wait. `then`: what the caller does
  // with the values, such as the copy of item().
  [[nodiscard]] virtual Status wait_to_read(const Var& var, const record::Site& site,
                                            const std::function<void()>& then = {}) = 0;
  [[nodiscard]] virtual Status wait_op(const OpHandle& op, const record::Site& site) = 0;
  [[nodiscard]] virtual Status wait_all(const record::Site& site) = 0;
  // Returns the error of the last op that writes the Var: its own failure, or the failure of a predecessor
  // because of which it was skipped. Ok: there is no error so far. Does not wait.
  [[nodiscard]] virtual Status check(const Var& var) = 0;

  // Steps. Ops that this thread enqueues between begin_step and end_step belong to step `index`. A step is
  // finished when end_step was called and all ops of the step are done. Then the counter "steps finished"
  // gets a sample.
  virtual void begin_step(std::int64_t index) = 0;
  virtual void end_step() = 0;
  // Waits until step `index` of this thread has finished. Returns immediately if the step never began.
  [[nodiscard]] virtual Status wait_step(std::int64_t index, const record::Site& site) = 0;
  // Makes the caller wait until at most `ops` ops and `bytes` output bytes are in flight. <= 0: no bound.
  [[nodiscard]] virtual Status wait_in_flight(std::int64_t ops, std::int64_t bytes,
                                              const record::Site& site) = 0;
  // Sets a bound at which enqueue() waits, in addition to the safety limit (used by the barriers ops:N and
  // bytes:N). 0: no bound. Takes effect at the next enqueue.
  virtual void set_run_ahead_bound(std::int64_t ops, std::int64_t bytes) = 0;

  // Simulates the cost per op of a frontend's language, such as Python: enqueue first spins for this time. 0:
  // no cost. Any thread.
  virtual void set_frontend_cost(Duration per_op) = 0;

  // Cancels ops that have not started. These ops do not run, and count as skipped. The Vars that they write
  // are poisoned: a later read fails with "cancelled". Returns the number of cancelled ops. Any thread.
  virtual std::int64_t cancel() = 0;
  // Gives up the run: calls cancel(), and refuses every later op. On devices with modelled time, each op ends
  // as soon as its values are ready (Device::hurry). Waits still work. They return when the ops that are
  // executing have ended. Any thread.
  virtual void stop() = 0;

  [[nodiscard]] virtual EngineStats stats() const = 0;
  // Like EngineStats::ops_finished, but counts only the ops of `device`.
  [[nodiscard]] virtual std::int64_t ops_finished_on(const Device& device) const = 0;
  virtual void reset_maxima() = 0;
};

}  // namespace runahead::engine
