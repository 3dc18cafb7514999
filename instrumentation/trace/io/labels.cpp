#include "instrumentation/trace/io/labels.h"

#include <array>

namespace runahead::trace::io {

std::string_view slice_kind_key(SliceKind kind) {
  static constexpr std::array<std::string_view, kSliceKindCount> kKeys{
      "zone",         "enqueue",        "execute",    "wait", "copy_to_device",
      "copy_to_host", "copy_on_device", "allocation", "step"};
  return kKeys[raw(kind)];
}

std::string_view flow_kind_key(FlowKind kind) {
  switch (kind) {
    case FlowKind::kEnqueueToExecute:
      return "enqueue_to_execute";
    case FlowKind::kExecuteToWait:
      return "execute_to_wait";
    case FlowKind::kOpToOp:
      return "op_to_op";
    case FlowKind::kLaunchToDevice:
      return "launch_to_device";
    case FlowKind::kOther:
      break;
  }
  return "flow";
}

std::string slice_flag_keys(std::uint8_t flags) {
  struct Key {
    std::uint8_t flag;
    std::string_view name;
  };
  static constexpr std::array<Key, 5> kKeys{{{kSliceLate, "late"},
                                             {kSliceFailed, "failed"},
                                             {kSliceUnfinished, "unfinished"},
                                             {kSliceHeldByLimit, "held_by_limit"},
                                             {kSliceSkipped, "skipped"}}};
  std::string out;
  for (const Key& key : kKeys) {
    if ((flags & key.flag) == 0) continue;
    if (!out.empty()) out += '|';
    out += key.name;
  }
  return out;
}

std::string track_name(const TrackInfo& track) {
  return track.simulated ? track.name + " (simulated)" : track.name;
}

std::string track_path(const Trace& trace, TrackId track) {
  const TrackInfo& info = trace.track(track).info;
  std::string path = track_name(info);
  for (TrackId above = info.parent; above != kNoTrack; above = trace.track(above).info.parent) {
    path.insert(0, trace.track(above).info.name + "/");
  }
  return path;
}

}  // namespace runahead::trace::io
