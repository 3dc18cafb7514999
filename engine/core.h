// Core: the engine. One class serves both kinds of engine (EngineKind: threaded, naive). The two kinds differ
// only in the executors of their devices.
//
// Roles. Frontends enqueue under enqueue_lock_. The lock guards all Vars, the node pool and the numbering of
// ops. A frontend holds the lock only while it links an op (makes the op's dependency edges), never while
// user code runs. The threads that complete ops (workers, threads of devices) never take the lock and touch
// no Var.
//
// Lock order: the gate's drain mutex, then enqueue_lock_, then one of the leaf mutexes (failures, steps,
// gate). No other lock is taken under a leaf mutex.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/bulk_book.h"
#include "engine/engine.h"
#include "engine/executor.h"
#include "engine/host_executor.h"
#include "engine/op_node.h"
#include "engine/op_node_pool.h"
#include "engine/op_runner.h"
#include "engine/run_ahead_gate.h"
#include "engine/step_book.h"
#include "engine/sync/enqueue_lock.h"
#include "engine/sync/failures.h"
#include "engine/var_state.h"

namespace runahead::engine {

class Core final : public Engine, private WaitHelp {
 public:
  explicit Core(EngineOptions options);
  ~Core() override;

  Result<Device*> device(std::string_view name) override;
  Device* add_device(std::unique_ptr<Device> device) override;
  std::vector<Device*> devices() const override;
  const EngineOptions& options() const override { return options_; }

  Var new_var(std::string_view name) override;
  std::uint64_t version(const Var& var) const override;
  OpId last_write(const Var& var) const override;

  Result<OpHandle> enqueue(const OpSpec& spec, OpFunction function) override;

  Status wait_to_read(const Var& var, const record::Site& site, const std::function<void()>& then) override;
  Status wait_op(const OpHandle& op, const record::Site& site) override;
  Status wait_all(const record::Site& site) override;
  Status check(const Var& var) override;

  int set_bulk(int most_members) override;

  void begin_step(std::int64_t index) override;
  void end_step() override;
  Status wait_step(std::int64_t index, const record::Site& site) override;
  Status wait_in_flight(std::int64_t ops, std::int64_t bytes, const record::Site& site) override;
  void set_run_ahead_bound(std::int64_t ops, std::int64_t bytes) override;
  void set_frontend_cost(Duration per_op) override;

  std::int64_t cancel() override;
  void stop() override;
  EngineStats stats() const override;
  std::int64_t ops_finished_on(const Device& device) const override;
  void reset_maxima() override;

 private:
  // Linked: a linked op, and what its frontend still has to do for it after the enqueue lock is released.
  struct Linked {
    OpHandle handle;
    Executor* executor = nullptr;
    bool ready = false;  // the op has no unfinished predecessor
    Executor::Fed fed = Executor::Fed::kNo;
  };

  // ---- enqueue; a name that ends in _locked REQUIRES enqueue_lock_ ----
  void add_device_locked(std::unique_ptr<Device> device);
  void add_host_executors_locked(Device& device);
  // Null: the device does not belong to this engine.
  [[nodiscard]] Executor* executor_of_locked(const Device* device, StreamKind stream);
  void find_route_locked(const Device* device);
  [[nodiscard]] static Executor::Fed queue_locked(Executor& executor, OpNode& node);
  // Returns the executor for an op. Null: the op is refused; refusal_locked() gives the error.
  [[nodiscard]] Executor* accept_locked(const OpSpec& spec);
  // Like accept_locked(), but first waits until the gate admits the op. begin_ticks: the time at which the
  // enqueue starts; after a wait, it is set to the end of the wait.
  [[nodiscard]] Executor* admit_locked(const OpSpec& spec, std::uint64_t& begin_ticks);
  [[nodiscard]] Error refusal_locked(const OpSpec& spec);
  [[nodiscard]] Linked link_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                                   std::uint64_t begin_ticks);
  template <bool kRecording>
  [[nodiscard]] Linked link_one_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                                       std::uint64_t begin_ticks);
  [[nodiscard]] Linked link_recorded_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                                            std::uint64_t begin_ticks);
  // True: all Vars of the spec are valid. False: a Var is empty, belongs to another engine or is listed
  // twice.
  [[nodiscard]] bool vars_fit_locked(const OpSpec& spec);
  // Returns the error text for the first Var that is not valid. Empty: all Vars are valid.
  [[nodiscard]] std::string what_does_not_fit_locked(const OpSpec& spec);
  [[nodiscard]] OpId next_id_locked();
  [[nodiscard]] OpId id_of(std::uint64_t number) const { return OpId{id_base_ | number}; }
  // Takes a node from the pool and counts its op as in flight, with `output_bytes` bytes.
  [[nodiscard]] OpNode& make_node_locked(const OpSpec& spec, Executor& executor, std::int64_t output_bytes,
                                         bool bulk);
  // For one more member of a bulk: adds an edge to the bulk's node from each op that the member depends on,
  // and makes this node the last user of the member's Vars. Returns the number of new edges.
  [[nodiscard]] std::int32_t follow_more_locked(OpNode& node, const OpSpec& spec, EnqueueTicks ticks);
  // Hands linked ops to their executors. REQUIRES: the enqueue lock is not held.
  void hand_over(const Linked& linked);
  void hand_over(const std::vector<Linked>& all) {
    for (const Linked& linked : all) hand_over(linked);
  }
  [[nodiscard]] InFlightBound run_ahead_bound() const;
  [[nodiscard]] InFlightBound limit() const { return {options_.limit_ops, options_.limit_bytes}; }
  void hold_back(std::int64_t bytes);
  static void spend_frontend_cost(std::int64_t ticks);
  // Waits until the gate admits an op. Releases the lock during the wait and takes it again.
  void wait_for_room_locked(std::int64_t bytes);

  // enqueue() for frontends that use bulks. REQUIRES: the enqueue lock is not held.
  [[nodiscard]] Result<OpHandle> enqueue_among_bulks(const OpSpec& spec, OpFunction& function,
                                                     std::uint64_t begin_ticks);
  // link_locked() for frontends that use bulks. Appends the bulks that it has closed to `closed`. The caller
  // hands them to their executors after it has released the lock.
  [[nodiscard]] Linked link_among_bulks_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                                               std::uint64_t begin_ticks, std::vector<Linked>& closed);
  void close_followed_locked(const Bulk& mine, const OpSpec& spec, std::vector<Linked>& closed);
  [[nodiscard]] bool goes_into_locked(Bulk& bulk, Executor& executor, const OpSpec& spec,
                                      std::vector<Linked>& closed);
  [[nodiscard]] Linked join_bulk_locked(Bulk& bulk, Executor& executor, const OpSpec& spec,
                                        OpFunction& function, std::uint64_t begin_ticks,
                                        std::vector<Linked>& closed);
  void close_bulk_locked(Bulk& bulk, std::vector<Linked>& closed);
  void close_bulks_locked(std::vector<Linked>& closed);
  void close_bulks();
  void close_my_bulk();

  // ---- waits ----
  [[nodiscard]] Status refuse_inside_op(std::string_view what) const;
  [[nodiscard]] Error refusal_inside_op(std::string_view what) const;
  class RecordedWait;
  // The outcome of a wait for one op.
  struct Waited {
    OpId released_by = kNoOp;
    FailurePtr failure;  // null: the op succeeded
    bool interrupted = false;
  };
  // mode_, with the interrupt of the calling thread.
  [[nodiscard]] WaitMode interruptible() const;
  Waited wait_for(OpRef op);
  bool help() override;
  // Returns the failure of an op that is no longer in flight. Null: the op succeeded, or its failure was
  // already reported.
  [[nodiscard]] FailurePtr outcome_locked(OpRef op, const VarState* var);
  [[nodiscard]] Status tell(const FailurePtr& failure);

  const EngineOptions options_;
  const std::uint64_t id_base_;  // the top 16 bits of each op id; they differ between engines
  const WaitMode mode_;

  FailureBook failures_;
  RunAheadGate gate_;
  StepBook steps_;
  // Threads that run ops read runner_ for each op. Frontends write the members after runner_ for each op.
  // Therefore runner_ and these members are in separate cache lines.
  alignas(64) OpRunner runner_;
  alignas(64) mutable EnqueueLock enqueue_lock_;
  VarHome& vars_ = *new VarHome;               // the VarHome deletes itself when its last Var is deleted
  mutable OpNodePool node_pool_{vars_};        // guarded by enqueue_lock_, except give()
  std::uint64_t stamps_ = 0;                   // number of checks for duplicate Vars so far; guarded by
                                               // enqueue_lock_
  BulkBook bulks_;                             // guarded by enqueue_lock_, except used()
  std::atomic<std::int64_t> bulk_members_{0};  // written under enqueue_lock_, read by any thread
  // The first device_count_ elements are set. Written under enqueue_lock_, read by any thread. ~Core()
  // destroys the devices after it has stopped the executors.
  std::array<std::unique_ptr<Device>, RunAheadGate::kMostTallies> devices_;
  std::atomic<std::size_t> device_count_{0};
  // guarded by enqueue_lock_; key: the name that the caller gave
  std::map<std::string, Device*, std::less<>> names_;
  // guarded by enqueue_lock_; in the order of devices_; the copy executor of a device follows its compute
  // executor
  std::vector<std::unique_ptr<Executor>> executors_;
  struct Route {
    const Device* device = nullptr;
    Executor* compute = nullptr;
    Executor* others = nullptr;  // executor of all streams except compute
  };
  // A cache: the device of the last look-up and its executors. Guarded by enqueue_lock_; cleared by
  // add_device_locked().
  Route route_;
  // Executors whose ops a waiting frontend may run. Like devices_ and device_count_: written under
  // enqueue_lock_, read by any thread.
  std::array<HostExecutor*, 2> helpers_{};
  std::atomic<std::size_t> helper_count_{0};
  bool stopping_ = false;  // guarded by enqueue_lock_

  // Number of the newest op. Written under enqueue_lock_, read by any thread.
  std::atomic<std::uint64_t> last_number_{0};
  std::atomic<std::int64_t> bound_ops_{0}, bound_bytes_{0};  // written under enqueue_lock_, read by frontends
  std::atomic<std::int64_t> frontend_cost_ticks_{0};         // written by any thread, read by frontends
  std::atomic<std::int64_t> held_by_limit_{0}, blocked_ns_{0};  // frontends add, any thread reads
};

}  // namespace runahead::engine
