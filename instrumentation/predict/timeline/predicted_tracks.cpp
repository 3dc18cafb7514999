#include "instrumentation/predict/timeline/predicted_tracks.h"

#include <algorithm>
#include <utility>

namespace runahead::predict {
namespace {

using trace::TrackInfo;
using trace::TrackKind;

// The group of a track, and its place among the groups, as in a recording.
struct UsualGroup {
  std::string name;
  std::int32_t order = 0;
};
UsualGroup usual_group_of(const TrackInfo& info) {
  constexpr std::int32_t kFrontends = 10, kDevices = 20, kSimulated = 40, kMemory = 60, kThroughput = 65,
                         kWorkers = 70, kQueue = 80;
  switch (info.kind) {
    case TrackKind::kFrontend:
      return {"Frontend", kFrontends};
    case TrackKind::kWorker:
      return {"Workers", kWorkers};
    case TrackKind::kStream:
      return {info.device, info.simulated ? kSimulated : kDevices};
    case TrackKind::kCounter:
      if (info.role == trace::CounterRole::kLiveBytes || info.role == trace::CounterRole::kCategoryBytes)
        return {"Memory", kMemory};
      if (info.role == trace::CounterRole::kStepsFinished || info.role == trace::CounterRole::kStepsPerSecond)
        return {"Throughput", kThroughput};
      if (info.role == trace::CounterRole::kCopyBandwidth)
        return {info.device, info.simulated ? kSimulated : kDevices};
      return {"Queue", kQueue};
    case TrackKind::kQueue:
      return {"Queue", kQueue};
    default:
      return {};
  }
}

// The frontends of another tool's trace are plain threads.
bool same_kind(const TrackInfo& recorded, const TrackInfo& info) {
  return recorded.kind == info.kind ||
         (info.kind == TrackKind::kFrontend && recorded.kind == TrackKind::kThread);
}

bool stands_for(const TrackInfo& info, const TrackInfo& recorded) {
  if (!same_kind(recorded, info)) return false;
  if (info.role == trace::CounterRole::kCategoryBytes && recorded.name != info.name) return false;
  if (info.kind == TrackKind::kCounter) return recorded.role == info.role && recorded.device == info.device;
  const bool has_device = info.kind == TrackKind::kStream;
  return recorded.name == info.name && (!has_device || recorded.device == info.device);
}

}  // namespace

const TrackInfo* PredictedTracks::recorded_as(const TrackInfo& info) const {
  if (recorded_ == nullptr) return nullptr;
  const auto tracks = recorded_->tracks();
  const auto found =
      std::ranges::find_if(tracks, [&](const trace::Track& track) { return stands_for(info, track.info); });
  return found == tracks.end() ? nullptr : &found->info;
}

TrackId PredictedTracks::put(TrackInfo info) {
  info.id = TrackId{static_cast<std::uint32_t>(out_.size())};
  out_.push_back(std::move(info));
  return out_.back().id;
}

TrackId PredictedTracks::group_like(TrackId recorded) {
  if (recorded == kNoTrack) return kNoTrack;
  if (const auto known = like_.find(recorded); known != like_.end()) return known->second;
  TrackInfo info = recorded_->track(recorded).info;
  info.parent = group_like(info.parent);
  return like_[recorded] = put(std::move(info));
}

TrackId PredictedTracks::usual_group(const TrackInfo& info) {
  const UsualGroup usual = usual_group_of(info);
  if (usual.name.empty()) return kNoTrack;
  if (recorded_ != nullptr) {
    for (const trace::Track& track : recorded_->tracks()) {
      if (track.info.kind == TrackKind::kGroup && track.info.name == usual.name)
        return group_like(track.info.id);
    }
  }
  const auto [made, added] = made_.emplace(usual.name, kNoTrack);
  if (!added) return made->second;
  TrackInfo group{.kind = TrackKind::kGroup, .sort_order = usual.order, .name = usual.name};
  if (usual.name == info.device) {
    group.device = info.device;
    group.simulated = info.simulated;
  }
  return made->second = put(std::move(group));
}

TrackId PredictedTracks::add_beside(const TrackInfo& recorded, TrackKind kind) {
  TrackInfo info = recorded;
  info.kind = kind;
  info.unit = {};
  info.role = {};
  info.parent = group_like(recorded.parent);
  return put(std::move(info));
}

TrackId PredictedTracks::add(TrackInfo info, TrackId stands_for) {
  const bool known = recorded_ != nullptr && raw(stands_for) < recorded_->tracks().size();
  if (const TrackInfo* const like = known ? &recorded_->track(stands_for).info : recorded_as(info)) {
    info.parent = group_like(like->parent);
    info.sort_order = like->sort_order;
    info.pid = like->pid;
    info.tid = like->tid;
    info.name = like->name;
    info.device = like->device;
  } else {
    info.parent = usual_group(info);
  }
  return put(std::move(info));
}

}  // namespace runahead::predict
