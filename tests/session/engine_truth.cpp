#include "tests/session/engine_truth.h"

#include <algorithm>

namespace runahead::testing {

using causes::IdleCause;
using causes::IdleParts;
using causes::PathClass;
using causes::SyncPart;
using causes::SyncParts;
using trace::Slice;
using trace::SliceKind;
using trace::Track;
using trace::TrackKind;

namespace {

template <typename Use>
void for_slices(const Track& track, const Use& use) {
  for (const trace::Lane& lane : track.lanes) {
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) use(lane.slice(row));
  }
}

}  // namespace

EngineTruth::EngineTruth(const trace::Trace& trace) : trace_(trace) {
  find_ops();
  find_waits();
}

void EngineTruth::find_ops() {
  for (const Track& track : trace_.tracks()) {
    const bool stream = track.info.kind == TrackKind::kStream || track.info.kind == TrackKind::kWorker;
    for_slices(track, [&](const Slice& slice) {
      if (slice.op == kNoOp) return;
      if (stream && (slice.kind == SliceKind::kExecute || trace::is_copy(slice.kind))) {
        Op& op = ops_[slice.op];
        op.id = slice.op;
        op.ran = {slice.begin, slice.end};
        op.stream = track.info.id;
        op.copies = trace::is_copy(slice.kind);
      }
    });
  }
  for (const auto& [id, op] : ops_) by_number_[static_cast<std::int64_t>(op_number(id))] = &op;
  std::map<TrackId, std::vector<const Op*>> of_streams;
  for (auto& [id, op] : ops_) of_streams[op.stream].push_back(&op);
  for (auto& [stream, ops] : of_streams) {
    std::ranges::sort(ops, {}, [](const Op* op) { return op->ran.end; });
    for (std::size_t i = 1; i < ops.size(); ++i) ops_.at(ops[i]->id).before_on_stream = ops[i - 1]->id;
  }
  for (auto& [id, op] : ops_) {
    std::vector<trace::Dependency> all;
    trace_.dependencies_of(id, 1000, all);
    for (const trace::Dependency& dependency : all) op.depends_on.push_back(dependency.on);
  }
  for (const Track& track : trace_.tracks()) {
    if (track.info.kind != TrackKind::kFrontend) continue;
    for_slices(track, [&](const Slice& slice) {
      const auto op = ops_.find(slice.op);
      if (slice.kind != SliceKind::kEnqueue || op == ops_.end()) return;
      op->second.call = {slice.begin, slice.end};
      op->second.frontend = track.info.id;
    });
  }
}

// The op that ended last, of those that were enqueued before the range and ended in it.
const EngineTruth::Op* EngineTruth::last_ended_within(TimeRange range) const {
  const Op* last = nullptr;
  for (const auto& [id, op] : ops_) {
    if (op.call.begin >= range.begin || op.ran.end > range.end) continue;
    if (last == nullptr || op.ran.end > last->ran.end) last = &op;
  }
  return last;
}

OpId EngineTruth::op_of_wait(const analysis::Wait& wait) const {
  const analysis::WaitReason reason = analysis::wait_reason(trace_, wait);
  return reason.chain.empty() ? kNoOp : reason.chain.front();
}

void EngineTruth::find_waits() {
  for (const Track& track : trace_.tracks()) {
    if (track.info.kind != TrackKind::kFrontend) continue;
    for_slices(track, [&](const Slice& slice) {
      if (slice.kind != SliceKind::kWait) return;
      Wait wait{.range = {slice.begin, slice.end}, .frontend = track.info.id, .for_all = slice.op == kNoOp};
      const Op* awaited =
          slice.op == kNoOp ? last_ended_within(wait.range) : find(op_of_wait({slice, track.info.id}));
      if (awaited != nullptr && awaited->ran.end <= slice.begin) awaited = nullptr;
      if (awaited != nullptr) wait.awaited = awaited->id;
      wait.parts = parts_of(wait.range, awaited);
      waits_.push_back(wait);
    });
  }
  std::ranges::sort(waits_, {}, [](const Wait& wait) { return wait.range.begin; });
}

const EngineTruth::Op* EngineTruth::find(OpId id) const {
  const auto found = ops_.find(id);
  return found == ops_.end() ? nullptr : &found->second;
}

const EngineTruth::Op* EngineTruth::find_number(std::int64_t number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : found->second;
}

std::optional<TimeRange> EngineTruth::ran(std::int64_t op_number) const {
  const Op* const op = find_number(op_number);
  return op == nullptr ? std::nullopt : std::optional(op->ran);
}

const EngineTruth::Op* EngineTruth::predecessor(const Op& op) const {
  const Op* latest = find(op.before_on_stream);
  for (const OpId id : op.depends_on) {
    const Op* const on = find(id);
    if (on != nullptr && (latest == nullptr || on->ran.end > latest->ran.end)) latest = on;
  }
  return latest;
}

SyncParts EngineTruth::parts_of(TimeRange wait, const Op* awaited) const {
  SyncParts parts;
  Timestamp known_from = wait.end;
  const auto spend = [&](Timestamp t, SyncPart part) {
    t = std::clamp(t, wait.begin, known_from);
    parts.of(part) += known_from - t;
    known_from = t;
  };
  if (awaited == nullptr) {
    spend(wait.begin, SyncPart::kFinished);
    return parts;
  }
  spend(awaited->ran.end, SyncPart::kWakeUp);
  for (const Op* op = awaited; op != nullptr && known_from > wait.begin; op = predecessor(*op)) {
    spend(op->ran.end, SyncPart::kQueued);
    spend(op->ran.begin, op->copies ? SyncPart::kCopying : SyncPart::kRunning);
  }
  spend(wait.begin, SyncPart::kQueued);
  return parts;
}

// ---- idle time --------------------------------------------------------------------------------------------

void EngineTruth::add_host_time(TrackId frontend, TimeRange range, IdleParts& parts) const {
  Duration known{};
  for_slices(trace_.track(frontend), [&](const Slice& slice) {
    if (slice.kind != SliceKind::kWait && slice.kind != SliceKind::kEnqueue) return;
    const Duration within = std::min(slice.end, range.end) - std::max(slice.begin, range.begin);
    if (within <= Duration{}) return;
    known += within;
    parts.of(slice.kind == SliceKind::kWait ? IdleCause::kSynchronisation : IdleCause::kLaunchCall) += within;
  });
  parts.of(IdleCause::kHost) += range.duration() - known;
}

IdleParts EngineTruth::idle_before(std::int64_t number, TimeRange gap) const {
  IdleParts parts;
  const Op* const found = find_number(number);
  if (found == nullptr) return parts;
  const Op& op = *found;
  const auto within = [&gap](Timestamp from, Timestamp to) {
    return TimeRange{std::clamp(from, gap.begin, gap.end), std::clamp(to, gap.begin, gap.end)};
  };
  add_host_time(op.frontend, within(gap.begin, op.call.begin), parts);
  parts.of(IdleCause::kLaunchCall) += within(op.call.begin, op.call.end).duration();
  TimeRange launched = within(op.call.end, gap.end);
  const Op* const before = predecessor(op);
  if (before != nullptr && before->stream != op.stream) {
    const Timestamp until = std::clamp(before->ran.end, launched.begin, launched.end);
    parts.of(before->copies ? IdleCause::kCopy : IdleCause::kOtherStream) += until - launched.begin;
    launched.begin = until;
  }
  const bool at_once = launched.duration() <= causes::kLongestLaunch;
  parts.of(at_once ? IdleCause::kLaunchLatency : IdleCause::kQueued) += launched.duration();
  return parts;
}

// ---- critical path ----------------------------------------------------------------------------------------

const EngineTruth::Wait* EngineTruth::last_wait(TrackId frontend, Timestamp before) const {
  auto at = std::ranges::lower_bound(waits_, before, {}, [](const Wait& wait) { return wait.range.begin; });
  while (at != waits_.begin()) {
    if ((--at)->frontend == frontend) return &*at;
  }
  return nullptr;
}

std::vector<EngineTruth::PathSegment> EngineTruth::critical_path(TimeRange range) const {
  std::vector<PathSegment> path;
  Timestamp known_from = range.end;
  const auto spend = [&](Timestamp t, PathClass path_class, OpId op = kNoOp) {
    t = std::clamp(t, range.begin, known_from);
    if (t < known_from) path.push_back({{t, known_from}, path_class, op});
    known_from = t;
  };
  // The range ends with an op, or with the frontend that enqueued it.
  const Op* at = nullptr;
  for (const auto& [id, op] : ops_) {
    if (op.ran.end <= range.end && (at == nullptr || op.ran.end > at->ran.end)) at = &op;
  }
  TrackId frontend = at == nullptr ? kNoTrack : at->frontend;
  if (at != nullptr && at->ran.end < range.end) at = nullptr;
  while (known_from > range.begin && frontend != kNoTrack) {
    if (at != nullptr) {
      spend(at->ran.end, PathClass::kWaiting);
      spend(at->ran.begin, at->copies ? PathClass::kCopy : PathClass::kKernel, at->id);
      const Op* const before = predecessor(*at);
      frontend = at->frontend;
      if (before == nullptr || at->call.end >= before->ran.end) {
        spend(at->call.begin, PathClass::kLaunch);
        at = nullptr;
      } else {
        spend(before->ran.end, PathClass::kWaiting);
        at = before;
      }
      continue;
    }
    const Wait* const wait = last_wait(frontend, known_from);
    spend(wait == nullptr ? range.begin : wait->range.end, PathClass::kHost);
    if (wait == nullptr) continue;
    at = find(wait->awaited);
    if (at != nullptr && at->ran.end > known_from) at = nullptr;
    spend(at == nullptr ? wait->range.begin : at->ran.end,
          at == nullptr ? PathClass::kHost : PathClass::kWaiting);
  }
  std::ranges::reverse(path);
  return path;
}

}  // namespace runahead::testing
