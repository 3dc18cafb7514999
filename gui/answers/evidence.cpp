#include "gui/answers/evidence.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "gui/timeline/arrange.h"
#include "gui/timeline/lookup.h"

namespace runahead::gui {
namespace {

// The gap with exactly this range, of the device that has the stream `track`.
std::optional<IdleRef> idle_with_range(const CauseMarks& marks, TrackId track, TimeRange range) {
  for (std::uint32_t i = 0; i < marks.devices.size(); ++i) {
    if (std::ranges::find(marks.devices[i].tracks, track) == marks.devices[i].tracks.end()) continue;
    const auto found = find_idle(marks, {i, range.begin});
    if (found && found->gap.range == range) return IdleRef{i, range.begin};
  }
  return std::nullopt;
}

}  // namespace

void show_evidence(const trace::Trace& trace, const TimelineState& timeline, const CauseMarks& marks,
                   const Evidence& evidence, TimelineCommands& out) {
  if (evidence.range.empty()) return;
  const bool has_track = raw(evidence.track) < trace.tracks().size();
  const Duration room = evidence.range.duration() / 2 + std::chrono::microseconds(5);
  // not before the trace, which has negative times there
  const Timestamp from =
      std::max(evidence.range.begin - room, std::min(evidence.range.begin, trace.extent().begin));
  out.push_back(GlideTo{{from, evidence.range.end + room}});
  if (has_track) {
    const auto whole = [&](const trace::Slice& slice) { return slice.end == evidence.range.end; };
    if (const auto slice = slice_beginning_at(trace, evidence.track, evidence.range.begin, whole)) {
      out.push_back(ShowSlice{*slice});
      return;
    }
    if (!is_shown(trace, timeline, evidence.track)) out.push_back(ShowTrack{evidence.track});
    out.push_back(RevealTrack{evidence.track});
    if (const auto idle = idle_with_range(marks, evidence.track, evidence.range)) {
      out.push_back(SelectIdle{*idle});
      return;
    }
  }
  out.push_back(SetRange{evidence.range});
}

}  // namespace runahead::gui
