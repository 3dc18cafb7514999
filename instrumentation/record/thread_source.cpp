#include "instrumentation/record/thread_source.h"

#include <algorithm>
#include <utility>

namespace runahead::record {
namespace {

const Site* site_of(const Event& event) { return static_cast<const Site*>(event.place); }
const TrackDesc* track_of(const Event& event) { return static_cast<const TrackDesc*>(event.place); }

trace::Slice slice_of(BatchBuilder& batch, const Event& event, TimeRange during) {
  if (during.end < during.begin) {
    batch.lose(trace::LossCause::kClockWentBack);
    during.end = during.begin;
  }
  const Site* const site = site_of(event);
  const auto kind = site == nullptr ? trace::SliceKind::kZone : site->kind;
  return {during.begin,  during.end,       batch.name_of(site), kind,
          event.flags(), OpId(event.word), event.payload(),     batch.args_of(site)};
}

// `packed`: the number of the earlier op of the same engine and the kind of the dependency, as the hooks pack
// them; 0: no dependency.
void add_dependency(DecodeContext& context, OpId op, std::uint64_t packed, Timestamp at) {
  constexpr std::uint64_t kKindBits = 3;
  if (packed == 0) return;
  context.batch.add(trace::Dependency{.op = op,
                                      .on = OpId(raw(op) - op_number(op) + (packed >> 2)),
                                      .kind = static_cast<trace::DependencyKind>(packed & kKindBits),
                                      .at = at});
}

}  // namespace

AsyncTrack& DecodeContext::async_track(const TrackDesc& desc) {
  const auto known = async_tracks.find(&desc);
  if (known != async_tracks.end()) return known->second;
  return async_tracks.emplace(&desc, AsyncTrack(batch, batch.track_of(desc))).first->second;
}

std::uint64_t ThreadSource::drain(DecodeContext& context) {
  // read before the drain: if the thread has ended, the drain takes all its events
  const bool ended = buffer_->ended();
  const std::uint64_t slots = buffer_->drain([&](std::span<const Event> events) { take(context, events); });
  finished_ = ended;
  return slots;
}

std::uint64_t ThreadSource::take_lost(DecodeContext& context) {
  std::vector<LostEnd> ends;
  buffer_->take_lost_ends(ends);
  for (const LostEnd& end : ends) context.memory.freed_unseen(end.block, context.clock.at(end.ticks));
  const std::uint64_t lost = buffer_->lost();
  return lost - std::exchange(lost_taken_, lost);
}

void ThreadSource::refresh_facts(DecodeContext& context, Timestamp first) {
  facts_version_ = buffer_->facts_version();
  const ThreadFacts facts = buffer_->facts();
  if (track_ != nullptr && facts.kind == facts_.kind) {
    if (facts.name != facts_.name || facts.sort_order != facts_.sort_order)
      context.thread_tracks.rename(*track_, facts);
  } else {
    // a thread of the new kind is in another group: later events go to a track of that group
    if (track_ != nullptr) {
      track_->close_all(first);
      context.thread_tracks.release(std::move(track_), facts_);
    }
    track_ = context.thread_tracks.acquire(facts, first);
  }
  facts_ = facts;
}

void ThreadSource::take(DecodeContext& context, std::span<const Event> events) {
  if (track_ == nullptr || facts_version_ != buffer_->facts_version()) {
    refresh_facts(context, context.clock.at(events.front().ticks));
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (takes_two_slots(event.kind())) {
      take_pair(context, event, events[i + 1]);
      ++i;
    } else {
      take_single(context, event);
    }
  }
}

void ThreadSource::take_single(DecodeContext& context, const Event& event) {
  if (event.kind() == EventKind::kPad) return;
  const Timestamp at = context.clock.at(event.ticks);
  latest_ = std::max(latest_, at);
  switch (event.kind()) {
    case EventKind::kZoneBegin:
      return track_->begin({ScopeKind::kZone, at, site_of(event), OpId(event.word), event.payload()});
    case EventKind::kZoneEnd:
      (void)track_->end(ScopeKind::kZone, at, kNoOp, event.flags());
      return;
    case EventKind::kWaitBegin:
      return track_->begin({ScopeKind::kWait, at, site_of(event), OpId(event.word), 0});
    case EventKind::kOpDepends:
      return take_depends(context, event);
    case EventKind::kMemoryDropped:
      dropped_ = {static_cast<std::uint64_t>(event.payload()) & MemoryNumbers::kMost,
                  context.clock.at(event.word)};
      return;
    case EventKind::kMessageOut:
      return context.batch.add(trace::Flow{.from_track = track_->id(),
                                           .from_time = at,
                                           .to_time = at,
                                           .name = context.batch.name_of(site_of(event)),
                                           .message = event.word});
    case EventKind::kMessageIn:
      return context.batch.add(
          trace::Flow{.to_track = track_->id(), .from_time = at, .to_time = at, .message = event.word});
    case EventKind::kGap:
      blocks_of_next_op_.clear();  // the enqueue of these blocks' op may be among the lost events
      return track_->gap(at, event.word, static_cast<std::uint64_t>(event.payload()));
    case EventKind::kSession:
      return track_->close_all(std::min(at, context.stopped_at));
    default:
      return take_deferred(context, event, at);
  }
}

void ThreadSource::take_deferred(DecodeContext& context, const Event& event, Timestamp at) {
  const OpId op{event.word};
  DeferredEvent deferred{.at = at, .flags = event.flags(), .track = track_->id(), .op = op};
  switch (event.kind()) {
    case EventKind::kWaitEnd:
      if (!track_->end(ScopeKind::kWait, at, kNoOp, event.flags()) || op == kNoOp) return;
      deferred.kind = DeferredKind::kWaitReleased;
      break;
    case EventKind::kWaitReleased:
      if (op == kNoOp) return;
      deferred.kind = DeferredKind::kWaitReleased;
      break;
    case EventKind::kOpStarted:
      track_->begin({ScopeKind::kOp, at, site_of(event), op, 0});
      deferred.kind = DeferredKind::kStarted;
      deferred.site = site_of(event);
      deferred.a = ns_from(context.clock.at(event.ticks - static_cast<std::uint64_t>(event.payload())));
      break;
    case EventKind::kOpEnded:
      (void)track_->end(ScopeKind::kOp, at, op, event.flags());
      if (join_start(context, deferred)) return;
      deferred.kind = DeferredKind::kEnded;
      break;
    case EventKind::kOpSkipped:
      deferred.kind = DeferredKind::kSkipped;
      break;
    case EventKind::kCounter:
      deferred.kind = DeferredKind::kCounter;
      deferred.desc = track_of(event);
      deferred.a = static_cast<std::int64_t>(event.word);
      break;
    case EventKind::kFlowOut:
    case EventKind::kFlowIn:
      deferred.kind = event.kind() == EventKind::kFlowOut ? DeferredKind::kFlowOut : DeferredKind::kFlowIn;
      deferred.op = kNoOp;
      deferred.site = site_of(event);
      deferred.a = static_cast<std::int64_t>(event.word);
      break;
    default:
      return;
  }
  context.deferred_events.push_back(deferred);
}

// Usually the start and the end of an op are successive deferred events of their thread. If so, joins them
// into one deferred event (kRan) and returns true. Returns false if they are not successive.
bool ThreadSource::join_start(DecodeContext& context, const DeferredEvent& end) {
  if (context.deferred_events.empty()) return false;
  DeferredEvent& start = context.deferred_events.back();
  if (start.kind != DeferredKind::kStarted || start.op != end.op || start.track != end.track) return false;
  start.kind = DeferredKind::kRan;
  start.flags = end.flags;
  start.b = std::exchange(start.a, ns_from(start.at));
  start.at = end.at;
  return true;
}

void ThreadSource::take_pair(DecodeContext& context, const Event& event, const Event& rest) {
  switch (event.kind()) {
    case EventKind::kMemoryAllocated:
    case EventKind::kMemoryFreed:
      return take_memory(context, event, rest);
    case EventKind::kOpEnqueued:
      return take_enqueued(context, event, rest);
    case EventKind::kOpRan:
    case EventKind::kOpRunning:
      return take_ran(context, event, rest);
    case EventKind::kAsyncSlice:
      if (rest.place == nullptr) return;
      context.async_track(*track_of(rest))
          .add(slice_of(context.batch, event, {context.clock.at(event.ticks), context.clock.at(rest.ticks)}));
      return;
    case EventKind::kInstant:
      context.batch.add(trace::Instant{
          context.clock.at(event.ticks),
          rest.place != nullptr ? context.batch.track_of(*track_of(rest)) : track_->id(),
          context.batch.name_of(site_of(event)), OpId(event.word), context.batch.args_of(site_of(event))});
      return;
    default:
      return;
  }
}

void ThreadSource::take_enqueued(DecodeContext& context, const Event& event, const Event& rest) {
  const TimeRange during{context.clock.at(event.ticks), context.clock.at(rest.ticks)};
  trace::Slice slice = slice_of(context.batch, event, during);
  slice.kind = trace::SliceKind::kEnqueue;
  slice.size_bytes = 0;
  track_->whole(slice);
  latest_ = std::max(latest_, slice.end);
  add_dependency(context, slice.op, rest.packed, slice.end);
  for (const std::uint64_t block : blocks_of_next_op_) context.memory.set_op(block, slice.op);
  blocks_of_next_op_.clear();
  context.deferred_events.push_back({.at = during.begin,
                                     .kind = DeferredKind::kEnqueued,
                                     .track = track_->id(),
                                     .op = OpId(event.word),
                                     .site = site_of(event),
                                     .desc = track_of(rest),
                                     .a = event.payload(),
                                     .b = static_cast<std::int64_t>(rest.word)});
}

void ThreadSource::take_depends(DecodeContext& context, const Event& event) {
  const Timestamp at = context.clock.at(event.ticks);
  context.batch.add(trace::Dependency{
      .op = OpId(event.word),
      .on = OpId(event.word - op_number(OpId(event.word)) + static_cast<std::uint64_t>(event.payload())),
      .kind = static_cast<trace::DependencyKind>(event.flags()),
      .at = at});
  add_dependency(context, OpId(event.word), reinterpret_cast<std::uintptr_t>(event.place), at);
}

void ThreadSource::take_ran(DecodeContext& context, const Event& event, const Event& rest) {
  if (rest.place == nullptr) return;
  const TrackDesc& desc = *track_of(rest);
  AsyncTrack& track = context.async_track(desc);
  const Timestamp start = context.clock.at(event.ticks);
  DeferredEvent deferred{.at = start,
                         .kind = DeferredKind::kRunning,
                         .flags = event.flags(),
                         .track = track.id(),
                         .op = OpId(event.word),
                         .site = site_of(event),
                         .desc = &desc,
                         .b = rest.word == 0 ? ns_from(trace::kNever) : ns_from(context.clock.at(rest.word)),
                         .size_bytes = event.payload()};
  if (event.kind() == EventKind::kOpRunning) {
    track.begin(slice_of(context.batch, event, {start, start}));
  } else {
    const trace::Slice slice = slice_of(context.batch, event, {start, context.clock.at(rest.ticks)});
    track.add(slice);
    deferred.kind = DeferredKind::kRan;
    deferred.at = slice.end;
    deferred.a = ns_from(start);
  }
  context.deferred_events.push_back(deferred);
}

void ThreadSource::take_memory(DecodeContext& context, const Event& event, const Event& rest) {
  if (rest.place == nullptr) return;
  const auto& kind = *static_cast<const MemoryKind*>(rest.place);
  const MemoryNumbers numbers = MemoryNumbers::of(rest);
  const Timestamp at = context.clock.at(event.ticks);
  context.deferred_events.push_back({.at = at,
                                     .kind = DeferredKind::kMemory,
                                     .memory = &kind,
                                     .a = static_cast<std::int64_t>(numbers.live_bytes),
                                     .b = static_cast<std::int64_t>(numbers.category_bytes)});
  if (&kind != last_memory_.kind) {
    last_memory_ = {&kind, context.batch.track_of(*kind.live),
                    kind.category != nullptr ? context.batch.literal(kind.category) : StringId{}};
  }
  trace::Allocation row{
      .block = numbers.number,
      .counter = last_memory_.counter,
      .category = last_memory_.category,
      .name = site_of(event) != nullptr ? context.batch.name_of(site_of(event)) : StringId{},
      .op = OpId(event.word),
      .size_bytes = event.payload(),
      .begin = at};
  if (event.kind() == EventKind::kMemoryAllocated) {
    const bool awaits_op = event.flags() != 0;
    if (awaits_op) blocks_of_next_op_.push_back(row.block);
    return context.memory.allocated(row, awaits_op);
  }
  // If the block was allocated while recording was off, or before the latest session, its row begins at
  // memory_since.
  const bool known = numbers.held_ticks != 0;
  const Timestamp since = known ? context.clock.at(event.ticks - numbers.held_ticks) : Timestamp{};
  const bool before = !known || (since < context.memory_since && context.memory_since < at);
  row.begin = before ? std::min(at, context.memory_since) : since;
  row.end = at;
  if (before) row.flags |= trace::kAllocationBeganBefore;
  if (dropped_.block == row.block) row.dropped = dropped_.at;
  if ((event.flags() & kDroppedAtFree) != 0) row.dropped = at;
  dropped_ = {};
  context.memory.freed(row);
}

void ThreadSource::retire(DecodeContext& context) {
  if (track_ == nullptr) return;
  track_->close_all(latest_);
  context.thread_tracks.release(std::move(track_), facts_);
}

}  // namespace runahead::record
