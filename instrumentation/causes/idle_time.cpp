#include "instrumentation/causes/idle_time.h"

#include <algorithm>
#include <numeric>

#include "instrumentation/base/contains_text.h"
#include "instrumentation/causes/call_place.h"
#include "instrumentation/trace/lane_reader.h"

namespace runahead::causes {
namespace {

using trace::SliceKind;

struct CauseText {
  std::string_view key, sentence;
};
constexpr std::array<CauseText, kIdleCauseCount> kTexts{{
    {"synchronisation", "the host waited for a device"},
    {"data_loading", "the host loaded data"},
    {"operator", "the host ran the host part of operators"},
    {"python", "the host ran Python"},
    {"allocation", "the host allocated or freed memory"},
    {"host", "the host did something that the trace does not name"},
    {"launch_call", "the host was in the calls that launch work"},
    {"launch_latency", "the work was launched and was about to begin"},
    {"queued", "the work was launched; why it did not begin is not known"},
    {"other_stream", "the work waited for another stream"},
    {"copy", "the work waited for a copy"},
    {"short_gaps", "gaps of less than 2 us between two pieces of work"},
    {"no_more_work", "no more work was launched"},
    {"unknown", "the trace does not have the launch of the next work"},
}};

bool loads_data(std::string_view name) {
  return contains_ignoring_case(name, "dataloader") || contains_ignoring_case(name, "data_loader") ||
         contains_ignoring_case(name, "data loading") || contains_ignoring_case(name, "load_batch");
}

// The cause of idle time during a zone with this name. kHost: the name does not say.
IdleCause cause_of_name(std::string_view name) {
  if (loads_data(name)) return IdleCause::kDataLoading;
  switch (zone_class(name)) {
    case ZoneClass::kOperator:
      return IdleCause::kOperator;
    case ZoneClass::kPython:
    case ZoneClass::kBuiltIn:
      return IdleCause::kPython;
    case ZoneClass::kRange:
      return IdleCause::kHost;
  }
  return IdleCause::kHost;
}

TimeRange overlap(TimeRange a, TimeRange b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

// The idle ranges within `range`, given the busy ones.
analysis::Ranges gaps_between(const analysis::Ranges& busy, TimeRange range) {
  analysis::Ranges out;
  Timestamp idle_from = range.begin;
  for (auto at = std::ranges::upper_bound(busy, range.begin, {}, &TimeRange::end);
       at != busy.end() && at->begin < range.end; ++at) {
    if (at->begin > idle_from) out.push_back({idle_from, at->begin});
    idle_from = std::max(idle_from, at->end);
  }
  if (idle_from < range.end) out.push_back({idle_from, range.end});
  return out;
}

}  // namespace

std::string_view key_of(IdleCause cause) { return kTexts[static_cast<std::size_t>(cause)].key; }
std::string_view sentence_of(IdleCause cause) { return kTexts[static_cast<std::size_t>(cause)].sentence; }

Duration IdleParts::total() const { return std::accumulate(times.begin(), times.end(), Duration{}); }
IdleCause IdleParts::main_cause() const {
  return static_cast<IdleCause>(std::ranges::max_element(times) - times.begin());
}
void IdleParts::add(const IdleParts& other) {
  for (std::size_t i = 0; i < kIdleCauseCount; ++i) times[i] += other.times[i];
}

TimeRange launch_call(const Execution& execution, const Work& work) {
  TimeRange call{work.launched, work.launched};
  for (const trace::Lane& lane : execution.trace().track(work.launched_by).lanes) {
    const std::uint64_t row = lane.first_row_ending_after(work.launched);
    if (row == lane.end_row()) continue;
    const trace::Slice slice = lane.slice(row);
    if (slice.begin > work.launched || slice.kind != SliceKind::kEnqueue) continue;
    // a call that waited for its work launched it when it began
    if (slice.end < work.end) call.end = slice.end;
    return call;
  }
  return call;
}

IdleTimes::IdleTimes(const Execution& execution, const Steps& steps)
    : execution_(execution), main_(main_thread(execution, steps)) {
  const std::uint64_t count = execution.trace().string_count();
  of_names_.reserve(count);
  for (std::uint64_t id = 0; id < count; ++id)
    of_names_.push_back(cause_of_name(execution.trace().string(StringId{static_cast<std::uint32_t>(id)})));
}

IdleReport IdleTimes::of_device(DeviceIndex index, TimeRange range, std::size_t most_gaps) const {
  const Device& device = execution_.devices()[index];
  IdleReport out = report(device.streams, device.busy, range, most_gaps);
  out.device = index;
  return out;
}

IdleReport IdleTimes::of_stream(StreamIndex index, TimeRange range, std::size_t most_gaps) const {
  const std::span<const StreamIndex> only(&index, 1);
  IdleReport out = report(only, execution_.busy_times(only), range, most_gaps);
  out.device = execution_.streams()[index].device;
  return out;
}

IdleReport IdleTimes::report(std::span<const StreamIndex> streams, const analysis::Ranges& busy,
                             TimeRange range, std::size_t most_gaps) const {
  IdleReport out{.range = range};
  Duration idle{};
  for (const TimeRange& gap : gaps_between(busy, range)) {
    idle += gap.duration();
    if (gap.duration() < kShortestGap) {
      out.idle.of(IdleCause::kShort) += gap.duration();
      continue;
    }
    out.gaps.push_back(explain(streams, gap));
    ++out.gap_count;
    ++out.counts[static_cast<std::size_t>(out.gaps.back().parts.main_cause())];
    out.idle.add(out.gaps.back().parts);
    // keeps the longest gaps in bounded memory
    if (out.gaps.size() < 2 * most_gaps + 64) continue;
    std::ranges::nth_element(out.gaps, out.gaps.begin() + static_cast<std::ptrdiff_t>(most_gaps),
                             std::greater<>(), [](const IdleGap& g) { return g.range.duration(); });
    out.gaps.resize(most_gaps);
  }
  out.busy = range.duration() - idle;
  std::ranges::stable_sort(out.gaps, std::greater<>(), [](const IdleGap& g) { return g.range.duration(); });
  if (out.gaps.size() > most_gaps) out.gaps.resize(most_gaps);
  return out;
}

IdleGap IdleTimes::explain(std::span<const StreamIndex> streams, TimeRange gap) const {
  IdleGap out{.range = gap};
  for (const StreamIndex at : streams) {
    const Stream& stream = execution_.streams()[at];
    const std::span<const Work> works = execution_.works_of(at);
    const auto next = std::ranges::lower_bound(works, gap.end, {}, &Work::begin);
    if (next != works.end() && next->begin == gap.end)
      out.next = stream.first + static_cast<WorkIndex>(next - works.begin());
  }
  if (out.next == kNone) {
    const bool works_later = std::ranges::any_of(streams, [&](StreamIndex at) {
      const Stream& stream = execution_.streams()[at];
      return stream.first != stream.last && execution_.works()[stream.last - 1].end > gap.end;
    });
    out.parts.of(works_later ? IdleCause::kUnknown : IdleCause::kNoMoreWork) = gap.duration();
    return out;
  }
  const Work& work = execution_.works()[out.next];
  if (!work.is_launched()) {
    out.parts.of(IdleCause::kUnknown) = gap.duration();
    return out;
  }
  const TimeRange call = launch_call(execution_, work);
  const auto part = [&gap](Timestamp from, Timestamp to) { return overlap(gap, {from, to}); };
  if (const TimeRange host = part(gap.begin, call.begin); !host.empty())
    add_host_time(work.launched_by, host, out.parts);
  if (const TimeRange launching = part(call.begin, call.end); !launching.empty())
    out.parts.of(IdleCause::kLaunchCall) += launching.duration();
  TimeRange queued = part(std::max(call.begin, call.end), gap.end);
  if (queued.empty()) return out;
  const WorkIndex before = execution_.predecessor(out.next).work;
  if (before != kNone && execution_.works()[before].stream != work.stream) {
    const Work& other = execution_.works()[before];
    const Timestamp until = std::clamp(other.end, queued.begin, queued.end);
    out.parts.of(trace::is_copy(other.kind) ? IdleCause::kCopy : IdleCause::kOtherStream) +=
        until - queued.begin;
    queued.begin = until;
  }
  const bool at_once = queued.duration() <= kLongestLaunch;
  out.parts.of(at_once ? IdleCause::kLaunchLatency : IdleCause::kQueued) += queued.duration();
  return out;
}

// Time in which the launching thread shows nothing is looked up on the main thread: a thread that works for
// it (such as autograd's) was not started yet.
void IdleTimes::add_host_time(TrackId thread, TimeRange range, IdleParts& parts) const {
  const trace::Track& track = execution_.trace().track(thread);
  if (thread == main_ || main_ == kNoTrack || track.lanes.empty())
    return add_host_time(thread, range, 0, IdleCause::kHost, parts);
  const trace::Lane& top = track.lanes[0];
  trace::LaneReader reader(top);
  Timestamp known = range.begin;
  for (std::uint64_t row = top.first_row_ending_after(range.begin); row < top.end_row(); ++row) {
    const TimeRange times = reader.times(row);
    if (times.begin >= range.end) break;
    if (times.begin > known) add_host_time(main_, {known, times.begin}, 0, IdleCause::kHost, parts);
    add_host_time(thread, overlap(range, times), 0, IdleCause::kHost, parts);
    known = std::max(known, times.end);
  }
  if (known < range.end) add_host_time(main_, {known, range.end}, 0, IdleCause::kHost, parts);
}

void IdleTimes::add_host_time(TrackId thread, TimeRange range, std::uint32_t depth, IdleCause inherited,
                              IdleParts& parts) const {
  if (range.empty()) return;
  const trace::Track& track = execution_.trace().track(thread);
  constexpr std::uint32_t kDeepest = 200;  // deeper slices do not change the cause
  if (depth >= std::min<std::size_t>(track.lanes.size(), kDeepest)) {
    parts.of(inherited) += range.duration();
    return;
  }
  const trace::Lane& lane = track.lanes[depth];
  trace::LaneReader reader(lane);
  Timestamp known = range.begin;
  for (std::uint64_t row = lane.first_row_ending_after(range.begin); row < lane.end_row(); ++row) {
    const trace::Slice slice = reader.slice(row);
    if (slice.begin >= range.end) break;
    const TimeRange covered = overlap(range, {std::max(slice.begin, known), slice.end});
    if (covered.empty()) continue;
    parts.of(inherited) += covered.begin - known;
    const IdleCause cause = cause_of(slice, inherited);
    const bool may_contain_others = slice.kind == SliceKind::kZone || slice.kind == SliceKind::kStep;
    if (may_contain_others && cause != IdleCause::kDataLoading) {
      add_host_time(thread, covered, depth + 1, cause, parts);
    } else {
      parts.of(cause) += covered.duration();
    }
    known = covered.end;
  }
  parts.of(inherited) += range.end - known;
}

IdleCause IdleTimes::cause_of(const trace::Slice& slice, IdleCause inherited) const {
  switch (slice.kind) {
    case SliceKind::kWait:
      return IdleCause::kSynchronisation;
    case SliceKind::kAllocation:
      return IdleCause::kAllocation;
    case SliceKind::kEnqueue:
      return IdleCause::kLaunchCall;
    case SliceKind::kZone: {
      const IdleCause cause = of_names_[raw(slice.name)];
      return cause == IdleCause::kHost ? inherited : cause;
    }
    default:
      return inherited;
  }
}

}  // namespace runahead::causes
