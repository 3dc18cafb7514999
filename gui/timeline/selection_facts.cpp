#include "gui/timeline/selection_facts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "gui/text/text.h"
#include "gui/timeline/causes/cause_names.h"
#include "gui/timeline/lookup.h"
#include "gui/timeline/scene/values.h"
#include "gui/timeline/wait_facts.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using trace::OpRow;
using trace::Slice;
using trace::SliceKind;
using trace::Trace;

double bytes_per_s(const Slice& slice) {
  return static_cast<double>(slice.size_bytes) * 1e9 / static_cast<double>(ns_from(slice.duration()));
}

// Returns a text such as "1.250000 s (+12.0 us)": a time, and the difference from the previous time.
std::string time_text(Timestamp moment, Timestamp before) {
  if (moment == trace::kNever) return text(Text::kTimelineNotYet);
  std::string words = format_axis_time(moment, Duration{1000});
  if (before != trace::kNever) words += " (+" + format_duration(moment - before) + ")";
  return words;
}

// Names in the recording of an OpenCL device (engine/device/module_stream.cpp, module_clock.cpp). An op has
// one slice after the other on the track of the driver's queue, until it starts.
constexpr std::string_view kQueueOfDriver = ", queue of the driver", kQueuedByDriver = "queued by the driver",
                           kGivenToDevice = "given to the device", kClockErrorAtMost = "clock error, at most";
// The labels of these facts: as short as those of the other moments, which share a narrow column.
constexpr std::string_view kToDriver = "To driver", kToDevice = "To device", kClockError = "Clock error";

// The slice `name` of an op that ends at `end`.
std::optional<Slice> driver_slice(const Trace& trace, const trace::Track& queue, OpId op,
                                  std::string_view name, Timestamp end) {
  for (const trace::Lane& lane : queue.lanes) {
    for (std::uint64_t row = lane.first_row_ending_after(end - Duration{1});
         row < lane.end_row() && lane.begin(row) <= end; ++row) {
      const Slice slice = lane.slice(row);
      if (slice.op == op && slice.end == end && trace.string(slice.name) == name) return slice;
    }
  }
  return std::nullopt;
}

// Adds when the driver got the op and when it gave the op to the device, and how wrong these times may be.
void add_driver_moments(const Trace& trace, const OpRow& op, Facts& out) {
  if (op.started == trace::kNever || raw(op.execute_track) >= trace.tracks().size()) return;
  const trace::TrackInfo& stream = trace.track(op.execute_track).info;
  if (stream.kind != trace::TrackKind::kStream) return;
  bool known = false;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.parent != stream.parent || track.info.kind != trace::TrackKind::kQueue) continue;
    if (track.info.name != stream.name + std::string(kQueueOfDriver)) continue;
    const auto given = driver_slice(trace, track, op.id, kGivenToDevice, op.started);
    if (!given) continue;
    const auto queued = driver_slice(trace, track, op.id, kQueuedByDriver, given->begin);
    if (!queued) continue;
    known = true;
    out.emplace_back(translated(kToDriver), time_text(queued->begin, op.enqueued));
    out.emplace_back(translated(kToDevice), time_text(given->begin, queued->begin));
  }
  for (const trace::Track& track : trace.tracks()) {
    if (!known || track.info.parent != stream.parent || track.info.name != kClockErrorAtMost) continue;
    if (const std::optional<double> error_ns = track.counter.value_at(op.started))
      out.emplace_back(translated(kClockError),
                       "\u00b1 " + format_duration(Duration{static_cast<std::int64_t>(*error_ns)}));
  }
}

void add_moments(const Trace& trace, const OpRow& op, Facts& out) {
  out.emplace_back(text(Text::kTimelineEnqueued), time_text(op.enqueued, trace::kNever));
  out.emplace_back(text(Text::kTimelineReady), time_text(op.ready, op.enqueued));
  add_driver_moments(trace, op, out);
  out.emplace_back(text(Text::kTimelineStarted),
                   time_text(op.started, op.ready != trace::kNever ? op.ready : op.enqueued));
  out.emplace_back(text(Text::kTimelineEnded), time_text(op.ended, op.started));
}

// Adds the facts of a wait: the op that the frontend waited for, and how the waiting time splits into parts
// (WaitPart).
void add_wait(const Trace& trace, const Slice& slice, const SliceRef& ref, WaitParts parts, Facts& out) {
  const auto reason = reason_of_wait(trace, ref);
  if (!reason) return;
  const OpId first = awaited_op(slice, *reason);
  if (first != kNoOp) {
    out.emplace_back(text(ref.open ? Text::kTimelineWaitsFor : Text::kTimelineWaitedFor),
                     op_text(trace, first) + ops_before_text(*reason));
  }
  if (reason->op_count > 1) {
    out.emplace_back(text(Text::kWaitMostOfIt),
                     op_text(trace, reason->longest) + ", " + format_duration(reason->longest_time));
  }
  if (parts == WaitParts::kLeftOut) return;
  for (const WaitShare& share : wait_shares(reason->split)) {
    out.emplace_back(wait_part_name(share.part), share_text(share));
  }
}

void add_op(const Trace& trace, const Slice& slice, Facts& out) {
  if (slice.op == kNoOp) return;
  if (slice.kind != SliceKind::kWait)
    out.emplace_back(text(Text::kTimelineOpNumber), op_text(trace, slice.op));
  const auto row = trace.op(slice.op);
  if (!row) return;
  if (row->step >= 0) out.emplace_back(text(Text::kTimelineStep), std::to_string(row->step));
  add_moments(trace, *row, out);
  if (row->output_bytes != 0)
    out.emplace_back(text(Text::kTimelineOutput), format_bytes(static_cast<double>(row->output_bytes)));
}

void add_notes(std::uint8_t flags, Facts& out) {
  if (flags & trace::kSliceLate) out.emplace_back(text(Text::kTimelineNote), text(Text::kTimelineLate));
  if (flags & trace::kSliceSkipped) {
    out.emplace_back(text(Text::kTimelineNote), text(Text::kTimelineSkipped));
  } else if (flags & trace::kSliceFailed) {
    out.emplace_back(text(Text::kTimelineNote), text(Text::kTimelineFailed));
  }
  if (flags & trace::kSliceUnfinished)
    out.emplace_back(text(Text::kTimelineNote), text(Text::kTimelineUnfinished));
  if (flags & trace::kSliceHeldByLimit)
    out.emplace_back(text(Text::kTimelineNote), text(Text::kTimelineHeldNote));
}

std::string arg_text(const Trace& trace, const trace::ArgValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&value)) return format_count(*real);
  return std::string(trace.string(std::get<StringId>(value)));
}

}  // namespace

const char* kind_name(SliceKind kind) {
  switch (kind) {
    case SliceKind::kZone:
      return text(Text::kKindZone);
    case SliceKind::kEnqueue:
      return text(Text::kKindEnqueue);
    case SliceKind::kExecute:
      return text(Text::kKindExecute);
    case SliceKind::kWait:
      return text(Text::kKindWait);
    case SliceKind::kCopyToDevice:
      return text(Text::kKindCopyToDevice);
    case SliceKind::kCopyToHost:
      return text(Text::kKindCopyToHost);
    case SliceKind::kCopyOnDevice:
      return text(Text::kKindCopyOnDevice);
    case SliceKind::kAllocation:
      return text(Text::kKindAllocation);
    case SliceKind::kStep:
      return text(Text::kKindStep);
    case SliceKind::kPause:
      return text(Text::kKindPause);
  }
  return "";
}

std::optional<Slice> find_slice(const Trace& trace, const SliceRef& ref) {
  if (raw(ref.track) >= trace.tracks().size()) return std::nullopt;
  if (!ref.open) {
    const trace::Lane* lane = find_lane(trace, ref.track, ref.depth);
    if (lane == nullptr || ref.row < lane->first_row() || ref.row >= lane->end_row()) return std::nullopt;
    return lane->slice(ref.row);
  }
  for (const trace::OpenSlice& open : trace.open_slices()) {
    if (open.track != ref.track || open.depth != ref.depth) continue;
    if (static_cast<std::uint64_t>(ns_from(open.slice.begin)) != ref.row) continue;
    Slice slice = open.slice;
    slice.end = std::max(slice.begin, trace.watermark());
    return slice;
  }
  return std::nullopt;
}

std::string op_text(const Trace& trace, OpId op) {
  std::string words = std::string(text(Text::kTimelineOp)) + " " + std::to_string(op_number(op));
  const auto row = trace.op(op);
  if (row && row->name != kEmptyString) words += " " + std::string(trace.string(row->name));
  return words;
}

std::string track_label(const Trace& trace, TrackId track) {
  if (raw(track) >= trace.tracks().size()) return {};
  const trace::TrackInfo& info = trace.track(track).info;
  std::string label;
  // The label begins with the name of the track's device, unless the track's name already contains it.
  if (!info.device.empty() && info.name.find(info.device) == std::string::npos) label = info.device + " ";
  label += info.name;
  if (info.simulated) label += std::string(" (") + text(Text::kTimelineSimulated) + ")";
  return label;
}

std::string device_text(const Trace& trace, TrackId track) {
  if (raw(track) >= trace.tracks().size()) return {};
  const auto found = trace.metadata().find("device." + trace.track(track).info.device);
  return found != trace.metadata().end() ? found->second : std::string();
}

std::string slice_label(const Trace& trace, const Slice& slice, bool open) {
  const std::string name(trace.string(slice.name));
  if (slice.kind == SliceKind::kWait) {
    std::string label = wait_name(name, slice.flags);
    if (slice.op != kNoOp) label += ": " + op_text(trace, slice.op);
    return label;
  }
  if (is_copy(slice.kind) && slice.size_bytes > 0) {
    std::string label = format_bytes(static_cast<double>(slice.size_bytes));
    if (!open && slice.duration() > Duration{0}) label += " " + format_bytes_per_s(bytes_per_s(slice));
    return label;
  }
  return name;
}

Facts op_facts(const Trace& trace, OpId op) {
  Facts facts;
  add_op(trace, {.kind = SliceKind::kExecute, .op = op}, facts);
  return facts;
}

Facts slice_facts(const Trace& trace, const SliceRef& ref, WaitParts parts) {
  Facts facts;
  const auto slice = find_slice(trace, ref);
  if (!slice) return facts;
  facts.emplace_back(text(Text::kTimelineName), std::string(trace.string(slice->name)));
  facts.emplace_back(text(Text::kTimelineKind), kind_name(slice->kind));
  facts.emplace_back(text(Text::kTimelineTrack), track_label(trace, ref.track));
  facts.emplace_back(text(Text::kTimelineBegins), format_axis_time(slice->begin, Duration{1000}));
  std::string duration = format_duration(slice->duration());
  if (ref.open) duration += std::string(" ") + text(Text::kTimelineStillRunning);
  facts.emplace_back(text(Text::kTimelineDuration), std::move(duration));
  if (slice->size_bytes != 0) {
    facts.emplace_back(text(Text::kTimelineBytes), format_bytes(static_cast<double>(slice->size_bytes)));
    if (is_copy(slice->kind) && !ref.open && slice->duration() > Duration{0}) {
      facts.emplace_back(text(Text::kTimelineRate), format_bytes_per_s(bytes_per_s(*slice)));
    }
  }
  if (slice->kind == SliceKind::kWait) add_wait(trace, *slice, ref, parts, facts);
  add_op(trace, *slice, facts);
  add_notes(slice->flags, facts);
  for (const trace::Arg& arg : trace.args(slice->args)) {
    facts.emplace_back(std::string(trace.string(arg.key)), arg_text(trace, arg.value));
  }
  return facts;
}

Facts wait_facts(const Trace& trace, const SliceRef& ref) {
  Facts facts;
  const auto slice = find_slice(trace, ref);
  if (slice && slice->kind == SliceKind::kWait) add_wait(trace, *slice, ref, WaitParts::kTold, facts);
  return facts;
}

Facts collective_facts(const Trace& trace, const CauseMarks* marks, const SliceRef& ref) {
  Facts facts;
  const auto slice = marks == nullptr ? std::nullopt : find_slice(trace, ref);
  const CollectiveMark* const mark = slice ? find_collective(*marks, ref.track, slice->begin) : nullptr;
  if (mark == nullptr) return facts;
  facts.emplace_back(text(Text::kCollectiveRanks), std::to_string(mark->ranks));
  facts.emplace_back(text(Text::kCollectiveLast), mark->is_last        ? text(Text::kCollectiveThisRank)
                                                  : mark->last.empty() ? text(Text::kCollectiveUnclear)
                                                                       : mark->last);
  if (!mark->is_last && !mark->last.empty())
    facts.emplace_back(text(Text::kCollectiveWaited), format_duration(mark->waited));
  return facts;
}

Facts idle_facts(const Trace& trace, const FoundIdle& idle) {
  Facts facts;
  for (const CausePart<causes::IdleCause>& part : idle_parts(idle.parts))
    facts.emplace_back(idle_cause_name(part.kind),
                       format_duration(part.time) + " (" + format_percent(part.share) + ")");
  const bool known = idle.gap.next_track != kNoTrack && raw(idle.gap.next_name) < trace.string_count();
  facts.emplace_back(text(Text::kIdleNext), known ? std::string(trace.string(idle.gap.next_name)) +
                                                        " \u00b7 " + track_label(trace, idle.gap.next_track)
                                                  : std::string(text(Text::kIdleNothingNext)));
  return facts;
}

Facts counter_facts(const Trace& trace, TrackId track, TimeRange range) {
  Facts facts;
  if (raw(track) >= trace.tracks().size() || range.empty()) return facts;
  const trace::Track& counter = trace.track(track);
  const auto seen = counter.counter.extremes(range);
  const auto now = counter.counter.value_at(range.end - Duration{1});
  if (!seen || !now) return facts;
  facts.emplace_back(text(Text::kTimelineTrack), track_label(trace, track));
  facts.emplace_back(text(Text::kTimelineValue), format_value(counter.info.unit, *now));
  if (seen->min == seen->max) return facts;
  facts.emplace_back(text(Text::kTimelineMin), format_value(counter.info.unit, seen->min));
  facts.emplace_back(text(Text::kTimelineMax), format_value(counter.info.unit, seen->max));
  return facts;
}

}  // namespace runahead::gui
