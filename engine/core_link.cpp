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
  if (vars[index] && !vars[index].get()->name.empty()) text += " ('" + vars[index].get()->name + "')";
  return text;
}

// Makes the edges of one node. Its poison, from predecessors whose stack is closed to it, is decided here;
// that from others comes along the edges.
class Linker {
 public:
  Linker(OpNode& node, FailureBook& failures)
      : node_(node), failures_(failures), looks_ahead_(node.executor->looks_ahead()) {}

  void follow(OpNode& predecessor, EdgeKind kind) {
    Edge& edge = node_.edges[used_];
    edge.successor = &node_;
    edge.kind = kind;
    const bool near = looks_ahead_ && predecessor.executor == node_.executor;
    if (near ? predecessor.push_near(edge) : predecessor.push(edge)) {
      ++used_;
      return;
    }
    if (near) node_.raise_ready(predecessor.end_ticks);
    if (kind == EdgeKind::kOrder || !predecessor.failure()) return;
    if (failures_.carry(predecessor.failure(), node_.number(), kind == EdgeKind::kWrite, node_.poison)) {
      node_.poisoned.store(true, std::memory_order_relaxed);
    }
  }
  // Takes the guard away; true: no predecessor is left.
  bool finish() {
    const std::int32_t guard = OpNode::kLinking - static_cast<std::int32_t>(used_);
    return node_.pending.fetch_sub(guard, std::memory_order_acq_rel) == guard;
  }

 private:
  OpNode& node_;
  FailureBook& failures_;
  const bool looks_ahead_;
  std::size_t used_ = 0;
};

// A write that is known to have succeeded needs no memory.
void forget_success(VarState& var) {
  if (var.writer && var.writer->done() && !var.writer->failure()) var.writer.reset();
}

}  // namespace

Result<Core::Linked> Core::link_locked(const OpSpec& spec, OpFunction function, bool recording) {
  if (stopping_) return Error{op_text(spec) + ": the engine is shutting down"};
  if (Status status = validate_locked(spec); !status) return status.error();
  Executor* const executor = executor_of_locked(spec.device);
  if (executor == nullptr) {
    return Error{op_text(spec) + ": device " + spec.device->name() +
                 " is not one of this engine's; open it by the engine's device()"};
  }
  Linked linked;
  linked.node = make_node_locked(spec, *executor, std::move(function));
  linked.step = linked.node->step != nullptr ? linked.node->step->index : -1;
  if (recording) linked.ticks = record::now_ticks();
  linked.node->ready_ticks.store(executor->modelled() ? spec.device->now_ticks() : linked.ticks,
                                 std::memory_order_relaxed);
  gate_.enter(spec.output_bytes);
  log_locked(linked.node);
  linked.ready = follow_all_locked(linked.node, spec);
  return linked;
}

Status Core::validate_locked(const OpSpec& spec) {
  const std::uint64_t stamp = ++stamps_;
  const auto check_list = [&](std::span<const Var> vars, std::string_view list) -> Status {
    for (std::size_t i = 0; i < vars.size(); ++i) {
      VarState* const var = vars[i].get();
      if (var == nullptr) return Error{op_text(spec) + ": " + var_text(vars, list, i) + " is an empty Var"};
      if (var->engine != this)
        return Error{op_text(spec) + ": " + var_text(vars, list, i) + " is another engine's Var"};
      if (std::exchange(var->stamp, stamp) == stamp) {
        return Error{op_text(spec) + ": " + var_text(vars, list, i) +
                     " is listed twice; list a Var once, in writes if it is changed"};
      }
    }
    return Ok{};
  };
  if (Status status = check_list(spec.reads, "reads"); !status) return status;
  return check_list(spec.writes, "writes");
}

OpNodePtr Core::make_node_locked(const OpSpec& spec, Executor& executor, OpFunction function) {
  OpNodePtr node = std::allocate_shared<OpNode>(SlabAllocator<OpNode>(*slab_));
  const std::uint64_t number = last_number_.load(std::memory_order_relaxed) + 1;
  last_number_.store(number, std::memory_order_relaxed);
  node->function = std::move(function);
  node->id = OpId{serial_ << 48 | number};
  node->site = spec.site;
  node->executor = &executor;
  node->step = steps_.join_open();
  node->output_bytes = spec.output_bytes;
  node->size_bytes = spec.size_bytes;
  node->priority = spec.priority;
  node->cost = spec.cost;
  node->stream = spec.stream;
  return node;
}

bool Core::follow_all_locked(const OpNodePtr& node, const OpSpec& spec) {
  std::size_t most_edges = 0;
  for (const Var& read : spec.reads) {
    forget_success(*read.get());
    most_edges += read.get()->writer ? 1 : 0;
  }
  for (const Var& write : spec.writes) {
    forget_success(*write.get());
    most_edges += write.get()->readers.size() + (write.get()->writer ? 1 : 0);
  }
  node->reserve_edges(most_edges + 1);  // one to try with

  Linker linker(*node, failures_);
  for (const Var& read : spec.reads) {
    VarState& var = *read.get();
    if (var.writer) linker.follow(*var.writer, EdgeKind::kRead);
    var.add_reader(node);
  }
  for (const Var& write : spec.writes) {
    VarState& var = *write.get();
    for (const OpNodePtr& reader : var.readers) linker.follow(*reader, EdgeKind::kOrder);
    if (var.writer) linker.follow(*var.writer, EdgeKind::kWrite);
    var.readers.clear();
    var.writer = node;
    (node->write ? node->more_writes.emplace_back() : node->write) = write.share();
  }
  return linker.finish();
}

void Core::log_locked(const OpNodePtr& node) {
  while (!log_.empty() && log_.front()->done()) log_.pop_front();
  // Behind an op that takes long, many that are done may pile up: drop them when they are most of the log.
  if (log_.size() > 64 + 2 * static_cast<std::size_t>(gate_.ops())) {
    std::erase_if(log_, [](const OpNodePtr& logged) { return logged->done(); });
  }
  log_.push_back(node);
}

}  // namespace runahead::engine
