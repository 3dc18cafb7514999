#include "instrumentation/record/op_tracker.h"

#include <algorithm>
#include <chrono>

namespace runahead::record {
namespace {

using namespace std::chrono_literals;

// How long to wait for an event that has not arrived yet. A thread reads the clock first and then writes the
// event; if it is preempted in between, the event arrives late. This time is long enough for such a delay.
constexpr Duration kPatience = 1s;
// An engine limits its ops in flight to far fewer than this. If more ops are open, the ends of some ops were
// lost, so the op with the smallest id is given up.
constexpr std::size_t kMostOpen = 1u << 20;

}  // namespace

void OpTracker::apply(const DeferredEvent& deferred) {
  if (deferred.op == kNoOp) return;  // the event has no op
  switch (deferred.kind) {
    case DeferredKind::kEnqueued:
      return enqueued(deferred);
    case DeferredKind::kStarted:
      return started(deferred, deferred.at);
    case DeferredKind::kRunning:
      return started(deferred, deferred.at);
    case DeferredKind::kWaitReleased:
      return wait_released(deferred);
    case DeferredKind::kRan:
      started(deferred, timestamp_from_ns(deferred.a));
      if (deferred.desc != nullptr && deferred.site != nullptr && is_copy(deferred.site->kind)) {
        bandwidth_.copied(*deferred.desc, {timestamp_from_ns(deferred.a), deferred.at}, deferred.size_bytes);
      }
      return ended(deferred);
    case DeferredKind::kEnded:
    case DeferredKind::kEndUnseen:
    case DeferredKind::kSkipped:
      return ended(deferred);
    case DeferredKind::kCounter:  // not an event of an op
    case DeferredKind::kMemory:
    case DeferredKind::kFlowOut:
    case DeferredKind::kFlowIn:
      return;
  }
}

void OpTracker::enqueued(const DeferredEvent& deferred) {
  if (any_without_enqueue_ && remembered(deferred.op).op == deferred.op) return enqueued_after_all(deferred);
  OpEntry& entry = table_.find_or_add(deferred.op);
  entry.row.name = batch_.name_of(deferred.site);
  entry.row.step = deferred.b;
  entry.row.enqueued = deferred.at;
  entry.row.enqueue_track = deferred.track;
  entry.row.output_bytes = deferred.a;
  entry.queue = deferred.desc;
  if (entry.ended) {
    if (entry.queue != nullptr) queue_of(*entry.queue).state.pass(life_of(entry));
    entry.queue = nullptr;
    return finish(entry);
  }
  if (entry.queue != nullptr) entry.life_lane = queue_of(*entry.queue).state.enter(life_of(entry));
  if (table_.size() > kMostOpen) give_up(*table_.first(), deferred.at);
}

// The enqueue event arrives after the op's row was added without the enqueue. Only the arrow from the enqueue
// to the execution can still be drawn.
void OpTracker::enqueued_after_all(const DeferredEvent& deferred) {
  const Ended& before = remembered(deferred.op);
  if (before.track != kNoTrack) {
    batch_.add(trace::Flow{trace::FlowKind::kEnqueueToExecute, deferred.track, before.track, deferred.at,
                           before.started, deferred.op, kEmptyString});
  }
  batch_.lose(trace::LossCause::kLateRow);
}

OpEntry* OpTracker::entry_of(const DeferredEvent& deferred) {
  if (OpEntry* const known = table_.find(deferred.op)) return known;
  if (remembered(deferred.op).op == deferred.op) return nullptr;  // the op has already ended
  return &table_.find_or_add(deferred.op);
}

void OpTracker::started(const DeferredEvent& deferred, Timestamp at) {
  OpEntry* const entry = entry_of(deferred);
  if (entry == nullptr) return;
  if (entry->row.name == kEmptyString) entry->row.name = batch_.name_of(deferred.site);
  entry->row.ready = timestamp_from_ns(deferred.kind == DeferredKind::kStarted ? deferred.a : deferred.b);
  entry->row.started = at;
  entry->row.execute_track = deferred.track;
}

void OpTracker::ended(const DeferredEvent& deferred) {
  OpEntry* const entry = entry_of(deferred);
  if (entry == nullptr) return;
  if (deferred.kind == DeferredKind::kEndUnseen) {
    entry->end_unseen = true;
    entry->row.flags |= trace::kSliceUnfinished;
  } else {
    entry->row.ended = deferred.at;
  }
  entry->row.flags |= deferred.flags;
  if (deferred.kind == DeferredKind::kSkipped) entry->row.flags |= trace::kSliceFailed | trace::kSliceSkipped;
  if (entry->row.enqueued != trace::kNever)
    return entry->end_unseen ? give_up(*entry, deferred.at) : finish(*entry);
  if (!entry->ended) without_enqueue_.push_back({deferred.op, deferred.at});
  entry->ended = true;
}

std::optional<OpTracker::EnqueuePlace> OpTracker::enqueue_place(OpId op) {
  EnqueuePlace place{kNoTrack, trace::kNever};
  if (const OpEntry* const open = table_.find(op)) {
    place = {open->row.enqueue_track, open->row.enqueued};
  } else if (const Ended& before = remembered(op); before.op == op) {
    place = {before.enqueue_track, before.enqueued};
  }
  if (place.track == kNoTrack || place.at == trace::kNever) return std::nullopt;
  return place;
}

trace::Slice OpTracker::life_of(const OpEntry& entry) const {
  const trace::OpRow& row = entry.row;
  const Timestamp end = row.ended == trace::kNever ? row.enqueued : std::max(row.ended, row.enqueued);
  return {row.enqueued, end,    row.name,         trace::SliceKind::kExecute,
          row.flags,    row.id, row.output_bytes, kNoArgs};
}

void OpTracker::finish(OpEntry& entry) {
  trace::OpRow& row = entry.row;
  const bool executed = row.started != trace::kNever && row.execute_track != kNoTrack;
  if (executed && row.enqueued != trace::kNever) {
    batch_.add(trace::Flow{trace::FlowKind::kEnqueueToExecute, row.enqueue_track, row.execute_track,
                           row.enqueued, row.started, row.id, kEmptyString});
  }
  if (row.enqueued == trace::kNever) any_without_enqueue_ = true;
  if (entry.queue != nullptr) {
    Queue& queue = queue_of(*entry.queue);
    queue.latest_done = std::max(queue.latest_done, row.enqueued);
    queue.state.leave(life_of(entry), entry.life_lane);
  }
  batch_.add(row);
  remembered(row.id) = {
      row.id,      executed ? row.execute_track : kNoTrack, row.started, row.ended, row.enqueue_track,
      row.enqueued};
  table_.erase(entry);
}

void OpTracker::give_up(OpEntry& entry, Timestamp at) {
  if (!entry.ended && !entry.end_unseen) batch_.lose(trace::LossCause::kUnfinishedSlice);
  if (!entry.ended) entry.row.flags |= trace::kSliceUnfinished;
  if (entry.queue != nullptr) {  // the op's slice in its queue ends when the op is given up
    trace::Slice life = life_of(entry);
    life.end = std::max(life.begin, at);
    queue_of(*entry.queue).state.leave(life, entry.life_lane);
    entry.queue = nullptr;
  }
  finish(entry);
}

OpTracker::Queue& OpTracker::queue_of(const TrackDesc& desc) {
  if (&desc == latest_desc_) return *latest_queue_;
  auto known = queues_.find(&desc);
  if (known == queues_.end()) {
    known = queues_.emplace(&desc, Queue{QueueState(batch_, desc), trace::kNever}).first;
  }
  latest_desc_ = &desc;
  latest_queue_ = &known->second;  // an unordered_map never moves its elements
  return known->second;
}

void OpTracker::wait_released(const DeferredEvent& deferred) {
  if (!draw_release(deferred)) unreleased_.push_back(deferred);
}

bool OpTracker::draw_release(const DeferredEvent& wait) {
  const Ended& by = remembered(wait.op);
  if (by.op != wait.op) return false;
  // An op that was skipped, or whose end was lost, has no slice end from which an arrow could leave.
  if (by.track != kNoTrack && by.ended != trace::kNever) {
    batch_.add(trace::Flow{trace::FlowKind::kExecuteToWait, by.track, wait.track, by.ended, wait.at, wait.op,
                           kEmptyString});
  }
  return true;
}

void OpTracker::tidy(Timestamp now) {
  for (; !without_enqueue_.empty() && without_enqueue_.front().since + kPatience < now;
       without_enqueue_.pop_front()) {
    OpEntry* const entry = table_.find(without_enqueue_.front().op);
    if (entry != nullptr && entry->ended) finish(*entry);
  }
  std::erase_if(unreleased_, [&](const DeferredEvent& wait) {
    if (draw_release(wait)) return true;
    if (wait.at + kPatience >= now) return false;
    batch_.lose(trace::LossCause::kUnboundFlow);
    return true;
  });
  if (loss_at_ != trace::kNever) give_up_stale(now);
}

void OpTracker::give_up_stale(Timestamp now) {
  bool any_before_loss = false;
  OpId id = kNoOp;
  for (OpEntry* entry = table_.first(); entry != nullptr; entry = table_.after(id)) {
    id = entry->row.id;
    if (entry->row.enqueued > loss_at_) break;
    any_before_loss = true;
    if (entry->queue == nullptr || entry->row.started != trace::kNever) continue;
    if (queue_of(*entry->queue).latest_done <= entry->row.enqueued + kPatience) break;
    give_up(*entry, now);
  }
  if (!any_before_loss) loss_at_ = trace::kNever;
}

void OpTracker::close_all(Timestamp at) {
  while (OpEntry* const entry = table_.first()) give_up(*entry, at);
  without_enqueue_.clear();
  tidy(at);
  unreleased_.clear();
}

void OpTracker::open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) const {
  for (const auto& [desc, queue] : queues_) queue.state.open_slices(watermark, out);
}

void OpTracker::open_ops(std::size_t limit, std::vector<trace::OpRow>& out) {
  const auto list = [&out](std::size_t count, OpEntry* entry, OpenOpTable& table) {
    for (; count > 0 && entry != nullptr; --count, entry = table.after(entry->row.id)) {
      if (!entry->ended) out.push_back(entry->row);
    }
  };
  if (table_.size() <= limit) return list(limit, table_.first(), table_);
  list(limit / 2, table_.first(), table_);
  const std::size_t newest = limit - limit / 2;
  OpEntry* entry = table_.last();
  for (std::size_t i = 1; i < newest; ++i) entry = table_.before(entry->row.id);
  list(newest, entry, table_);
}

std::uint64_t OpTracker::lives_undrawn() const {
  std::uint64_t count = 0;
  for (const auto& [desc, queue] : queues_) count += queue.state.undrawn();
  return count;
}

}  // namespace runahead::record
