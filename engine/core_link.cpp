// The enqueuing side of the dependency protocol: what of Core touches Vars.
#include <algorithm>
#include <utility>

#include "engine/core.h"
#include "instrumentation/record/hooks.h"

namespace runahead::engine {
namespace {

std::string op_text(const OpSpec& spec) { return "op '" + std::string(spec.site->name) + "'"; }

std::string var_text(std::span<const Var> vars, std::string_view list, std::size_t index) {
  std::string text = std::string(list) + "[" + std::to_string(index) + "]";
  if (vars[index] && !vars[index].get()->name().empty()) {
    text += " ('" + std::string(vars[index].get()->name()) + "')";
  }
  return text;
}

// Makes the edges of one node. Its poison, from predecessors that are done, is decided here; that from others
// comes along the edges. The edge found last is held back until the next, or the end: an op with one
// predecessor, as most have, then needs no guard while it is linked.
class Linker {
 public:
  Linker(OpNode& node, OpSlab& slab, FailureBook& failures, EnqueueTicks ticks)
      : node_(node), slab_(slab), failures_(failures), ticks_(ticks) {
    if (ticks.begin != 0) earlier_[0] = {};
  }

  void follow_reader(const OpRef& reader) {
    note(reader, trace::DependencyKind::kWriteAfterRead);
    if (reader.in_flight()) hold({reader, EdgeKind::kOrder});
  }
  void follow_writer(VarState& var, EdgeKind kind) {
    const OpRef& writer = var.writer;
    note(writer, kind == EdgeKind::kRead ? trace::DependencyKind::kReadAfterWrite
                                         : trace::DependencyKind::kWriteAfterWrite);
    if (writer.node == nullptr) return;
    if (writer.is_current()) return hold({writer, kind, &var});
    follow_returned(var, kind);
  }
  // Before it can start, so that nothing is seen to start before it was enqueued.
  [[gnu::noinline]] void record_enqueue() {
    tell_noted();
    record::op_enqueued({.site = node_.site,
                         .queue = &node_.executor->queue_track(),
                         .op = node_.id,
                         .step = node_.step != nullptr ? node_.step->index : -1,
                         .output_bytes = node_.output_bytes,
                         .follows = earlier_[0]},
                        ticks_.begin, ticks_.end);
  }
  // What a bulk has to follow since one more member is in it; its enqueue is recorded when it is closed.
  void record_member() {
    tell_noted();
    if (earlier_[0].number != 0) record::op_depends(node_.id, earlier_[0], {}, ticks_.end);
  }
  // Ends it: whether the node waits for nothing. If not, it may have been run when this returns.
  [[nodiscard]] bool finish() {
    if (pushed_ == 0 && held_.to.node != nullptr) {
      node_.pending.store(1, std::memory_order_relaxed);  // the push publishes it
      push_held();
      if (pushed_ != 0) return false;
    } else {
      push_held();
    }
    return node_.finish_links(pushed_);
  }
  // The same for a node that will have more edges: how many lead to it since this began.
  [[nodiscard]] std::int32_t pause() {
    push_held();
    return pushed_;
  }

 private:
  struct Held {
    OpRef to;
    EdgeKind kind{};
    VarState* var = nullptr;  // whose writer it is
  };
  void hold(const Held& found) {
    push_held();
    held_ = found;
  }
  void push_held() {
    if (held_.to.node != nullptr && !push(*held_.to.node, held_.kind)) follow_done();
  }
  // The op that wrote the Var has come back to the slab.
  [[gnu::noinline]] void follow_returned(VarState& var, EdgeKind kind) {
    if (const FailurePtr failure = var.failure_of(var.writer.number)) {
      carry(failure, kind);
    } else {
      var.writer.node = nullptr;  // it has succeeded: needs no memory
    }
  }
  // What is held was done before the edge could be made.
  [[gnu::noinline]] void follow_done() {
    OpNode* const to = held_.to.node;
    VarState* const var = held_.var;
    if (var == nullptr) return;
    const FailurePtr& failure = to->done() ? to->final_failure() : to->failure();
    carry(failure, held_.kind);
    if (failure || !to->done()) return;  // not done: its values are there ahead
    if (var->writer.node == to && var->writer.number == held_.to.number)
      var->writer.node = nullptr;  // it has succeeded
  }
  // For the recording, whether or not the earlier one has ended. The first goes with the enqueue itself.
  void note(const OpRef& earlier, trace::DependencyKind kind) {
    if (ticks_.begin != 0 && earlier.number != 0) note_earlier(earlier, kind);
  }
  [[gnu::noinline]] void note_earlier(const OpRef& earlier, trace::DependencyKind kind) {
    if (earlier.number == node_.number()) return;  // a bulk's members follow each other as they are
    if (noted_ > record::kDependenciesPerEvent) tell_noted();
    earlier_[noted_++] = {earlier.number, kind};
  }
  void tell_noted() {
    if (noted_ > 1) {
      record::op_depends(node_.id, earlier_[1], noted_ > 2 ? earlier_[2] : record::OpDependency{},
                         ticks_.end);
    }
    noted_ = 1;
  }
  [[nodiscard]] bool push(OpNode& predecessor, EdgeKind kind) {
    if (&predecessor == &node_) return true;  // a bulk's members follow each other as they are
    if (node_.executor->looks_ahead() && predecessor.executor == node_.executor)
      return push_near(predecessor, kind);
    if (predecessor.successors.push(Edge(node_, kind), slab_)) {
      ++pushed_;
      return true;
    }
    // It has ended between the enqueue and this look. A modelled device has a clock of its own.
    if (ticks_.begin != 0 && !node_.executor->modelled()) node_.raise_ready(record::now_ticks());
    return false;
  }
  [[gnu::noinline]] bool push_near(OpNode& predecessor, EdgeKind kind) {
    if (predecessor.extra()->near_successors.push(Edge(node_, kind), slab_)) {
      ++pushed_;
      return true;
    }
    node_.raise_ready(predecessor.extra()->end_ticks);
    node_.extra()->follow(predecessor.traits.stream, predecessor.extra()->number_on_stream);
    return false;
  }
  void carry(const FailurePtr& failure, EdgeKind kind) {
    if (!failure) return;
    const auto poison = [&]() -> Poison& { return node_.make_extra().poison; };
    if (failures_.carry(failure, node_.number(), kind == EdgeKind::kWrite, poison)) {
      node_.poisoned.store(true, std::memory_order_relaxed);
    }
  }

  OpNode& node_;
  OpSlab& slab_;
  FailureBook& failures_;
  const EnqueueTicks ticks_;
  std::int32_t pushed_ = 0;  // edges that lead to it
  Held held_;
  std::size_t noted_ = 0;
  record::OpDependency earlier_[1 + record::kDependenciesPerEvent];
};

// Behind all that the spec's Vars say; makes the node their last user.
void follow_all(Linker& linker, OpNode& node, const OpSpec& spec) {
  const OpRef self{&node, node.number()};
  for (const Var& write : spec.writes) {  // before the first edge, as what it may be kept in is
    write.get()->begin_write();
    node.more.add_write(*write.get());
  }
  for (const Var& read : spec.reads) {
    VarState& var = *read.get();
    linker.follow_writer(var, EdgeKind::kRead);
    var.add_reader(self);
  }
  for (const Var& write : spec.writes) {
    VarState& var = *write.get();
    for (const OpRef& reader : var.readers()) linker.follow_reader(reader);
    linker.follow_writer(var, EdgeKind::kWrite);
    var.clear_readers();
    var.writer = self;
  }
}

}  // namespace

Executor* Core::executor_of_locked(const Device* device, StreamKind stream) {
  Executor* found = nullptr;
  for (const auto& executor : executors_) {
    if (&executor->device() != device) continue;
    found = executor.get();
    if (stream == StreamKind::kCompute) break;  // the one for copies comes after, if there is one
  }
  return found;
}

Executor* Core::accept_locked(const OpSpec& spec) {
  if (stopping_ || !vars_fit_locked(spec)) return nullptr;
  return executor_of_locked(spec.device, spec.stream);
}

[[gnu::noinline, gnu::cold]] Error Core::refusal_locked(const OpSpec& spec) {
  if (stopping_) return Error{op_text(spec) + ": the engine is shutting down"};
  if (const std::string what = what_does_not_fit_locked(spec); !what.empty()) return Error{what};
  return Error{op_text(spec) + ": device " + spec.device->name() +
               " is not one of this engine's; open it by the engine's device()"};
}

Core::Linked Core::link_locked(const OpSpec& spec, Executor& executor, OpFunction& function,
                               std::uint64_t begin_ticks) {
  OpNode& node = make_node_locked(spec, executor, spec.output_bytes, false);
  node.function = std::move(function);
  const bool recording = begin_ticks != 0;
  const std::uint64_t now = recording ? record::now_ticks() : 0;
  node.ready_ticks.store(executor.modelled() ? spec.device->now_ticks() : now, std::memory_order_relaxed);
  Linked linked{.handle = {node.id, &node}, .executor = &executor};
  Linker linker(node, slab_, failures_, {begin_ticks, now});
  follow_all(linker, node, spec);
  if (recording) linker.record_enqueue();
  linked.ready = linker.finish();
  if (linked.ready) linked.fed = executor.feed(node);
  return linked;
}

bool Core::vars_fit_locked(const OpSpec& spec) {
  const std::uint64_t stamp = ++stamps_;
  const auto fits = [&](const Var& var) {
    VarState* const state = var.get();
    return state != nullptr && &state->home == &vars_ && std::exchange(state->stamp, stamp) != stamp;
  };
  for (const Var& var : spec.reads) {
    if (!fits(var)) return false;
  }
  for (const Var& var : spec.writes) {
    if (!fits(var)) return false;
  }
  return true;
}

std::string Core::what_does_not_fit_locked(const OpSpec& spec) {
  const std::uint64_t stamp = ++stamps_;
  const auto look = [&](std::span<const Var> vars, std::string_view list) -> std::string {
    for (std::size_t i = 0; i < vars.size(); ++i) {
      VarState* const var = vars[i].get();
      const auto says = [&](const char* what) {
        return op_text(spec) + ": " + var_text(vars, list, i) + what;
      };
      if (var == nullptr) return says(" is an empty Var");
      if (&var->home != &vars_) return says(" is another engine's Var");
      if (std::exchange(var->stamp, stamp) == stamp) {
        return says(" is listed twice; list a Var once, in writes if it is changed");
      }
    }
    return {};
  };
  const std::string in_reads = look(spec.reads, "reads");
  return !in_reads.empty() ? in_reads : look(spec.writes, "writes");
}

OpId Core::next_id_locked() {
  const std::uint64_t number = last_number_.load(std::memory_order_relaxed) + 1;
  last_number_.store(number, std::memory_order_relaxed);
  return id_of(number);
}

OpNode& Core::make_node_locked(const OpSpec& spec, Executor& executor, std::int64_t output_bytes, bool bulk) {
  OpNode& node = slab_.take();
  node.id = next_id_locked();
  node.site = spec.site;
  node.executor = &executor;
  node.step = steps_.join_open();
  node.output_bytes = output_bytes;
  // Before the first edge: from then on it is made under the lock of failures_ alone.
  if (executor.modelled() || spec.writes.size() > 1 || spec.priority != 0) {
    OpExtra& extra = node.make_extra();
    extra.cost = spec.cost;
    extra.size_bytes = spec.size_bytes;
    extra.priority = spec.priority;
  }
  OpNode::Traits traits;  // one write
  traits.stream = spec.stream;
  traits.second_round = gate_.enter(output_bytes) != 0;
  traits.bulk = bulk;
  node.traits = traits;
  return node;
}

std::int32_t Core::follow_more_locked(OpNode& node, const OpSpec& spec, EnqueueTicks ticks) {
  Linker linker(node, slab_, failures_, ticks);
  follow_all(linker, node, spec);
  if (ticks.begin != 0) linker.record_member();
  return linker.pause();
}

// ---- enqueue ---------------------------------------------------------------------------------------------

bool Core::admits_locked(std::int64_t bytes) { return gate_.admits(admitted_, bytes); }

[[gnu::noinline]] void Core::spend_frontend_cost(std::int64_t cost) {
  const std::uint64_t begin = record::now_ticks();
  while (record::now_ticks() - begin < static_cast<std::uint64_t>(cost)) spin_pause();
}

[[gnu::noinline]] void Core::wait_for_room(std::unique_lock<EnqueueLock>& lock, std::int64_t bytes) {
  do {
    lock.unlock();
    hold_back(bytes);
    lock.lock();
  } while (!admits_locked(bytes));
}

// Flattened: what an op costs is instructions, and a third of them were those that calls cost.
[[gnu::flatten]] Result<OpHandle> Core::enqueue(const OpSpec& spec, OpFunction function) {
  RUNAHEAD_CHECK(spec.site != nullptr && spec.device != nullptr);
  if (running_op().engine == this) return refusal_inside_op("enqueuing an op");
  std::uint64_t begin = record::recording() ? record::now_ticks() : 0;
  if (const std::int64_t cost = frontend_cost_ticks_.load(std::memory_order_relaxed); cost > 0) [[unlikely]]
    spend_frontend_cost(cost);

  std::unique_lock lock(enqueue_lock_);
  if (!admits_locked(spec.output_bytes)) [[unlikely]] {
    wait_for_room(lock, spec.output_bytes);
    if (begin != 0) begin = record::now_ticks();
  }
  Executor* const executor = accept_locked(spec);
  if (executor == nullptr) [[unlikely]]
    return refusal_locked(spec);
  if (bulks_.used()) [[unlikely]] {
    std::vector<Linked> closed;
    const Linked linked = link_among_bulks_locked(spec, *executor, function, begin, closed);
    lock.unlock();
    hand_over(closed);
    hand_over(linked);
    return linked.handle;
  }
  const Linked linked = link_locked(spec, *executor, function, begin);
  lock.unlock();
  hand_over(linked);
  return linked.handle;
}

void Core::hand_over(const Linked& linked) {
  if (linked.fed == Executor::Fed::kYes) return;
  if (linked.fed == Executor::Fed::kAnnounce) {
    linked.executor->announce();
  } else if (linked.ready || linked.executor->runs_inside_enqueue()) {
    linked.executor->accept(*static_cast<OpNode*>(linked.handle.node), linked.ready);
  }
}

}  // namespace runahead::engine
