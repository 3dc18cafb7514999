#include "engine/op_runner.h"

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/executor.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

std::string op_text(const OpNode& node) {
  return "op '" + std::string(node.site->name) + "' #" + std::to_string(node.number());
}

// Returns a text such as " (enqueued in step 3 at dense.cpp:41)", or only the known parts of it.
std::string where_enqueued(const OpNode& node, Where told) {
  std::string where;
  if (node.step != nullptr) where += " in step " + std::to_string(node.step->index);
  const bool is_told = told.line != 0;
  const std::string_view file = is_told ? std::string_view(told.file) : node.site->file;
  if (!file.empty()) {
    where += " at " + std::string(file.substr(file.find_last_of('/') + 1)) + ":" +
             std::to_string(is_told ? told.line : node.site->line);
  }
  return where.empty() ? "" : " (enqueued" + where + ")";
}

// Runs the members of a bulk, and records each member as a slice within the bulk's slice. On a modelled
// device DeviceStreams records the members, with the device's times. Destroys the function of each member as
// soon as that function has run. If a member throws, throws an error with the same text and the member's
// name.
void run_members(OpNode& node, OpContext& of_all) {
  const bool recording = record::recording() && !node.executor->modelled();
  std::uint64_t at = recording ? record::now_ticks() : 0;
  const std::uint64_t ready = node.ready_ticks.load(std::memory_order_relaxed);
  std::size_t ran = 0;
  const auto skip_others = [&] {
    for (std::size_t i = ran + 1; recording && i < node.extra()->members.size(); ++i) {
      record::op_skipped(node.extra()->members[i].id, at);
    }
  };
  for (BulkMember& member : node.extra()->members) {
    if (recording) record::op_started(member.id, *member.site, ready != 0 ? std::min(ready, at) : at, at);
    const auto end = [&](std::uint8_t flags) {
      member.function.reset();
      if (!recording) return;
      at = record::now_ticks();
      record::op_ended(member.id, at, flags);
    };
    OpContext context(member.id);
    try {
      member.function(context);
    } catch (const std::exception& error) {
      const std::string what = error.what();  // copied, because the text may belong to an object that the
                                              // function owns
      end(trace::kSliceFailed);
      skip_others();
      of_all.set_where(context.where());
      throw std::runtime_error("its member '" + std::string(member.site->name) + "' failed: " + what);
    } catch (...) {
      end(trace::kSliceFailed);
      skip_others();
      of_all.set_where(context.where());
      throw;
    }
    end(0);
    ++ran;
  }
}

}  // namespace

Status OpContext::allocate(MemoryPool& pool, std::size_t size_bytes, MemoryOwner owner, Block& out) {
  return memory_ != nullptr ? memory_->allocate(pool, size_bytes, owner, out)
                            : pool.allocate(size_bytes, owner, out);
}

// At least one of two things happens: cancel() sees that the op runs, or start() sees the cancel(). If both
// happen, OpNode::state decides which of the two wins.
bool OpRunner::start(OpNode& node) {
  node.running.store(true, std::memory_order_relaxed);
  fence_.light();
  if (node.number() <= cancelled_to_.load(std::memory_order_relaxed)) [[unlikely]] {
    if (!node.try_start()) return false;
  }
  // the last decrement of `pending` comes before this read
  return !node.poisoned.load(std::memory_order_relaxed);
}

void OpRunner::begin_cancel(std::uint64_t last_number) {
  failures_.begin_cancellation();
  cancelled_to_.store(last_number, std::memory_order_relaxed);
  fence_.heavy();
}

bool OpRunner::cancel(OpNode& node) {
  return !node.done() && !node.running.load(std::memory_order_relaxed) && node.try_cancel();
}

bool OpRunner::call(OpNode& node) {
  const RunningOp outer = std::exchange(t_running_op, {engine_, &node});
  OpContext context(node.id, node.extra() != nullptr ? node.extra()->memory.get() : nullptr);
  const auto fail = [&](const char* what) {
    t_running_op = outer;
    node.make_extra().poison = {failure_of(node, what, context.where()), false};
    return false;
  };
  try {
    if (node.traits.bulk) [[unlikely]] {
      run_members(node, context);
    } else {
      node.function(context);
    }
  } catch (const std::exception& error) {
    return fail(error.what());
  } catch (...) {
    return fail("an exception that is not a std::exception");
  }
  t_running_op = outer;
  return true;
}

void OpRunner::fail_late(OpNode& node, const std::string& what) {
  if (!node.failure()) node.extra()->late_failure = failure_of(node, what);
}

FailurePtr OpRunner::failure_of(const OpNode& node, std::string_view what, Where where) noexcept {
  failed_.fetch_add(1, std::memory_order_relaxed);
  try {
    return failures_.add(node.number(),
                         op_text(node) + " failed: " + std::string(what) + where_enqueued(node, where));
  } catch (const std::bad_alloc&) {
    return failures_.add_without_memory(node.number());
  }
}

FailurePtr OpRunner::refusal_of(const OpNode& node, const Failure* known) noexcept {
  try {
    if (known == nullptr) return failures_.cancelled(node.number(), node.site->name);
    return failures_.add(node.number(),
                         op_text(node) + " was skipped: it reads the output of an op that failed before (" +
                             known->message + ")");
  } catch (const std::bad_alloc&) {
    return failures_.add_without_memory(node.number());
  }
}

[[gnu::noinline]] bool OpRunner::skip(OpNode& node, ReadyList& released, OpQueue* returns) {
  Poison& poison = node.make_extra().poison;
  if (!poison.failure || poison.known) poison = {refusal_of(node, poison.failure.get()), false};
  skipped_.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t now = record::recording() ? record::now_ticks() : 0;
  if (now != 0) {
    record::op_skipped(node.id, now);
    if (node.traits.bulk) {
      for (const BulkMember& member : node.extra()->members) record::op_skipped(member.id, now);
    }
  }
  node.drop_function();
  if (node.executor->looks_ahead()) release_near(node, now, released);
  return complete(node, now, released, returns);
}

void OpRunner::release_near(OpNode& node, std::uint64_t end_ticks, ReadyList& released) {
  OpExtra& extra = *node.extra();
  extra.end_ticks = end_ticks;
  const ClosedEdges near(extra.near_successors);
  for (const Edge edge : near.edges()) {
    edge.successor().extra()->follow(node.traits.stream, extra.number_on_stream);
    release(edge, extra.poison.failure, end_ticks, released);
  }
}

// Waiters are signalled last, so that the versions and counts that a waiter reads next are final.
bool OpRunner::complete(OpNode& node, std::uint64_t end_ticks, ReadyList& released, OpQueue* returns) {
  const OpId id = node.id;
  const std::int64_t output_bytes = node.output_bytes;
  const int round = node.traits.second_round ? 1 : 0;
  StepState* const step = node.step;
  LeftTally& left = node.executor->left();
  const FailurePtr failure = node.final_failure();
  if (failure) failures_.note_outcome(node.number(), failure);

  const ClosedEdges closed(node.successors);
  node_pool_.give(node, returns);  // the node must not be touched after this call
  bool waited_for = false;
  for (const Edge edge : closed.edges()) {
    if (edge.is_waiter()) {
      waited_for = true;
    } else {
      release(edge, failure, end_ticks, released);
    }
  }
  if (step != nullptr) steps_.op_done(*step, id);
  if (gate_.leave(left, round, output_bytes, id)) waited_for = true;
  for (const Edge edge : closed.edges()) {
    if (edge.is_waiter()) edge.waiter().signal(id, failure);
  }
  return waited_for;
}

void OpRunner::release(Edge edge, const FailurePtr& failure, std::uint64_t end_ticks, ReadyList& released) {
  OpNode& successor = edge.successor();
  // A device with its own clock starts no op before the op's ready time. Therefore the ready time is needed
  // even without recording.
  if (end_ticks == 0 && successor.executor->modelled()) end_ticks = successor.executor->device().now_ticks();
  if (end_ticks != 0) successor.raise_ready(end_ticks);
  if (failure && edge.kind() != EdgeKind::kOrder) {
    const auto poison = [&]() -> Poison& { return successor.make_extra().poison; };
    if (failures_.carry(failure, successor.number(), edge.kind() == EdgeKind::kWrite, poison)) {
      successor.poisoned.store(true, std::memory_order_relaxed);
    }
  }
  if (successor.pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  successor.prefetch_second();
  released.push_back(successor);
}

[[gnu::flatten]] OpRunner::Ran OpRunner::run_here(OpNode& node, std::uint64_t not_before, ReadyList& released,
                                                  OpQueue* returns) {
  if (!start(node)) return {0, skip(node, released, returns)};
  const bool recording = record::recording();
  std::uint64_t begin = 0;
  if (recording) {
    // A core may read its clock up to 30 ns before it sees the value for which it waits. The start time is
    // corrected, so that no op seems to start before it was ready.
    const std::uint64_t ready = node.ready_ticks.load(std::memory_order_relaxed);
    begin = std::max(not_before != 0 ? not_before : record::now_ticks(), ready);
    record::op_started(node.id, *node.site, ready != 0 ? ready : begin, begin);
  }
  const bool ok = call(node);
  node.drop_function();
  const std::uint64_t end = recording ? std::max(record::now_ticks(), begin) : 0;
  if (recording) record::op_ended(node.id, end, ok ? std::uint8_t{0} : std::uint8_t{trace::kSliceFailed});
  return {end, complete(node, end, released, returns)};
}

}  // namespace runahead::engine
