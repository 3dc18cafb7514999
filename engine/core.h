// Core: the engine. One class for both kinds; they differ in the executors that their devices get.
//
// Roles. Frontends enqueue under enqueue_lock_, which guards all Vars, the slab and the numbering; they hold
// it for the linking only, never while user code runs. Threads that complete ops (workers, devices' threads)
// never take it, and touch no Var. Lock order: the gate's drain mutex, enqueue_lock_, then any of the leaf
// mutexes (failures, steps, gate), which nest nothing.
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
  // What a frontend has to do for an op after it has let go of the mutex.
  struct Linked {
    OpHandle handle;
    Executor* executor = nullptr;
    bool ready = false;  // it waits for nothing
    Executor::Fed fed = Executor::Fed::kNo;
  };

  // ---- enqueue; what ends in _locked needs enqueue_lock_ ----
  void add_device_locked(std::unique_ptr<Device> device);
  void add_host_executors_locked(Device& device);
  // Null: the device is none of this engine's.
  [[nodiscard]] Executor* executor_of_locked(const Device* device, StreamKind stream);
  void find_route_locked(const Device* device);
  [[nodiscard]] static Executor::Fed queue_locked(Executor& executor, OpNode& node);
  // The executor that an op goes to; null: it is refused.
  [[nodiscard]] Executor* accept_locked(const OpSpec& spec);
  // The same, once there is room for it; begin_ticks: from when its enqueue counts.
  [[nodiscard]] Executor* admit_locked(const OpSpec& spec, std::uint64_t& begin_ticks);
  [[nodiscard]] Error refusal_locked(const OpSpec& spec);
  [[nodiscard]] Linked link_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                                   std::uint64_t begin_ticks);
  template <bool kRecording>
  [[nodiscard]] Linked link_one_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                                       std::uint64_t begin_ticks);
  [[nodiscard]] Linked link_recorded_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                                            std::uint64_t begin_ticks);
  // None is empty, another engine's or listed twice.
  [[nodiscard]] bool vars_fit_locked(const OpSpec& spec);
  // Empty: all do.
  [[nodiscard]] std::string what_does_not_fit_locked(const OpSpec& spec);
  [[nodiscard]] OpId next_id_locked();
  [[nodiscard]] OpId id_of(std::uint64_t number) const { return OpId{id_base_ | number}; }
  // Counts it in, with so many bytes of outputs.
  [[nodiscard]] OpNode& make_node_locked(const OpSpec& spec, Executor& executor, std::int64_t output_bytes,
                                         bool bulk);
  // One more member's edges for a bulk's node, which they make the last user of the spec's Vars.
  // Returns how many edges more lead to the node.
  [[nodiscard]] std::int32_t follow_more_locked(OpNode& node, const OpSpec& spec, EnqueueTicks ticks);
  // Without the lock: to their executors.
  void hand_over(const Linked& linked);
  void hand_over(const std::vector<Linked>& all) {
    for (const Linked& linked : all) hand_over(linked);
  }
  [[nodiscard]] InFlightBound run_ahead_bound() const;
  [[nodiscard]] InFlightBound limit() const { return {options_.limit_ops, options_.limit_bytes}; }
  void hold_back(std::int64_t bytes);
  static void spend_frontend_cost(std::int64_t ticks);
  // Lets go of the lock until an op fits; takes it again.
  void wait_for_room_locked(std::int64_t bytes);

  // ---- bulks ----
  // Without the lock: enqueue() where frontends use bulks.
  [[nodiscard]] Result<OpHandle> enqueue_among_bulks(const OpSpec& spec, OpFunction& function,
                                                     std::uint64_t begin_ticks);
  // As link_locked(), where frontends use bulks. closed: those that this has closed, to be handed over.
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
  // What a wait for one op ended with.
  struct Waited {
    OpId released_by = kNoOp;
    FailurePtr failure;  // null: it succeeded
  };
  Waited wait_for(OpRef op);
  bool help() override;
  // The failure of an op that is not in flight any more.
  [[nodiscard]] FailurePtr outcome_locked(OpRef op, const VarState* var);
  [[nodiscard]] Status tell(const FailurePtr& failure);

  const EngineOptions options_;
  const std::uint64_t id_base_;  // the top 16 bits of op ids, which tell engines apart
  const WaitMode mode_;

  FailureBook failures_;
  RunAheadGate gate_;
  StepBook steps_;
  // Who runs ops reads the one for each of them, who enqueues writes the other: lines of their own.
  alignas(64) OpRunner runner_;
  alignas(64) mutable EnqueueLock enqueue_lock_;
  VarHome& vars_ = *new VarHome;               // ends itself, with the last Var
  mutable OpNodePool node_pool_{vars_};        // guarded by enqueue_lock_, but for give()
  std::uint64_t stamps_ = 0;                   // ditto
  BulkBook bulks_;                             // ditto
  std::atomic<std::int64_t> bulk_members_{0};  // written under enqueue_lock_, read by anyone
  // The first device_count_ are there; changed under enqueue_lock_, read by anyone; end after the executors.
  std::array<std::unique_ptr<Device>, RunAheadGate::kMostTallies> devices_;
  std::atomic<std::size_t> device_count_{0};
  std::map<std::string, Device*, std::less<>> names_;  // guarded by enqueue_lock_: as asked for
  std::vector<std::unique_ptr<Executor>> executors_;  // ditto; in the order of devices_, copies after compute
  struct Route {
    const Device* device = nullptr;
    Executor* compute = nullptr;
    Executor* others = nullptr;  // of the other streams
  };
  Route route_;  // ditto: where ops go of the device asked for last; forgotten when a device is added
  // Those of executors_ whose ops a waiting frontend may run; as devices_ and device_count_.
  std::array<HostExecutor*, 2> helpers_{};
  std::atomic<std::size_t> helper_count_{0};
  bool stopping_ = false;  // ditto

  std::atomic<std::uint64_t> last_number_{
      0};  // of the newest op; written under enqueue_lock_, read by anyone
  std::atomic<std::int64_t> bound_ops_{0}, bound_bytes_{0};     // written under enqueue_lock_, frontends read
  std::atomic<std::int64_t> frontend_cost_ticks_{0};            // any thread writes, frontends read
  std::atomic<std::int64_t> held_by_limit_{0}, blocked_ns_{0};  // frontends add, anyone reads
};

}  // namespace runahead::engine
