#include "instrumentation/record/thread_track.h"

#include <algorithm>
#include <utility>

namespace runahead::record {
namespace {

std::string key_of(const ThreadFacts& facts) {
  return std::string(1, static_cast<char>('0' + static_cast<int>(facts.kind))) + facts.name;
}

}  // namespace

std::string group_of(trace::TrackKind kind) {
  if (kind == trace::TrackKind::kFrontend) return "Frontend";
  return kind == trace::TrackKind::kWorker ? "Workers" : "Threads";
}

std::string shown_name(const ThreadFacts& facts) {
  return facts.name.empty() ? "thread " + std::to_string(facts.tid) : facts.name;
}

bool ThreadTrack::end_outer(ScopeKind kind, Timestamp at, OpId op, std::uint8_t flags) {
  std::size_t found = stack_.size();
  while (found > 0) {
    const Begin& scope = stack_[found - 1];
    if (scope.kind == ScopeKind::kLost || scope.is(kind, op)) break;
    --found;
  }
  if (found == 0) {
    batch_.lose(trace::LossCause::kUnmatchedEnd);
    return false;
  }
  while (stack_.size() > found) close_unfinished(at);
  const Begin scope = stack_.back();
  stack_.pop_back();
  if (scope.kind == ScopeKind::kLost) {
    batch_.lose(trace::LossCause::kUnmatchedEnd);
    return false;
  }
  close(scope, at, flags);
  return true;
}

void ThreadTrack::close_unfinished(Timestamp at) {
  const Begin scope = stack_.back();
  stack_.pop_back();
  if (scope.kind == ScopeKind::kLost) return;
  batch_.lose(trace::LossCause::kUnfinishedSlice);
  close(scope, std::max(at, scope.at), trace::kSliceUnfinished);
  if (scope.kind == ScopeKind::kOp) {
    deferred_.push_back({.at = at, .kind = DeferredKind::kEndUnseen, .track = info_.id, .op = scope.op});
  }
}

bool ThreadTrack::place_below(std::size_t depth, const trace::Slice& slice) {
  std::size_t lane = depth;
  while (lane < lanes_.size() && lanes_[lane].last_end > slice.begin) ++lane;
  while (lane >= lanes_.size()) {
    lanes_.push_back({.track = info_.id, .depth = static_cast<std::uint32_t>(lanes_.size())});
  }
  batch_.add(lanes_[lane], slice);
  latest_end_ = std::max(latest_end_, slice.end);
  return lane == depth;
}

void ThreadTrack::gap(Timestamp at, std::uint64_t closed, std::uint64_t opened) {
  for (; closed > 0 && !stack_.empty(); --closed) close_unfinished(at);
  stack_.insert(stack_.end(), opened, Begin{.kind = ScopeKind::kLost, .at = at});
}

void ThreadTrack::close_all(Timestamp at) {
  while (!stack_.empty()) close_unfinished(at);
}

void ThreadTrack::open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out) {
  for (std::size_t depth = 0; depth < stack_.size(); ++depth) {
    const Begin& scope = stack_[depth];
    if (scope.kind == ScopeKind::kLost || scope.at > watermark) continue;
    const auto kind = scope.site == nullptr ? trace::SliceKind::kZone : scope.site->kind;
    out.push_back({info_.id,
                   static_cast<std::uint32_t>(depth),
                   {scope.at, watermark, batch_.name_of(scope.site), kind, 0, scope.op, scope.size_bytes,
                    batch_.args_of(scope.site)}});
  }
}

std::unique_ptr<ThreadTrack> ThreadTracks::acquire(const ThreadFacts& facts, Timestamp first) {
  if (auto track = reuse(facts, first)) return track;
  auto track = std::make_unique<ThreadTrack>(batch_, deferred_);
  trace::TrackInfo info;
  info.parent = batch_.group(group_of(facts.kind));
  info.kind = facts.kind;
  info.sort_order = facts.sort_order;
  info.tid = facts.tid;
  info.name = shown_name(facts);
  if (facts.name.empty()) ++unnamed_;
  info.id = batch_.define(info);
  track->info_ = std::move(info);
  return track;
}

std::unique_ptr<ThreadTrack> ThreadTracks::reuse(const ThreadFacts& facts, Timestamp first) {
  if (facts.name.empty() && unnamed_ < kOwnTracks) return nullptr;
  const auto found = idle_.find(key_of(facts));
  if (found == idle_.end()) return nullptr;
  auto& tracks = found->second;
  const auto fits =
      std::find_if(tracks.begin(), tracks.end(), [&](const auto& track) { return track->idle_since(first); });
  if (fits == tracks.end()) return nullptr;
  std::unique_ptr<ThreadTrack> track = std::move(*fits);
  tracks.erase(fits);
  trace::TrackInfo info = track->info_;
  info.tid = facts.name.empty() ? 0 : facts.tid;
  info.sort_order = facts.sort_order;
  if (facts.name.empty()) info.name = "short-lived threads";
  if (info != track->info_) batch_.change(info);
  track->info_ = std::move(info);
  return track;
}

void ThreadTracks::rename(ThreadTrack& track, const ThreadFacts& facts) {
  track.info_.name = shown_name(facts);
  track.info_.sort_order = facts.sort_order;
  track.info_.tid = facts.tid;
  batch_.change(track.info_);
}

void ThreadTracks::release(std::unique_ptr<ThreadTrack> track, const ThreadFacts& facts) {
  idle_[key_of(facts)].push_back(std::move(track));
}

}  // namespace runahead::record
