#include "instrumentation/causes/idle_time.h"

#include <algorithm>
#include <numeric>
#include <optional>

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

using GapPosition = analysis::Ranges::const_iterator;

// The first range in [from, last) that ends at or after `t`. O(log of its distance from `from`).
GapPosition first_ending_from(GapPosition from, GapPosition last, Timestamp t) {
  std::ptrdiff_t step = 1;
  while (last - from > step && from[step].end < t) {
    from += step;
    step *= 2;
  }
  return std::ranges::lower_bound(from, from + std::min(step + 1, last - from), t, {}, &TimeRange::end);
}

// The work that begins when a gap ends, for each gap; kNone: none. A search in each stream for each gap would
// take long on a device of thousands of streams.
std::vector<WorkIndex> works_after(const Execution& execution, std::span<const StreamIndex> streams,
                                   const analysis::Ranges& gaps) {
  std::vector<WorkIndex> out(gaps.size(), kNone);
  for (const StreamIndex index : streams) {
    const Stream& stream = execution.streams()[index];
    GapPosition gap = gaps.begin();
    Timestamp before = Timestamp::min();
    for (WorkIndex at = stream.first; at < stream.last; ++at) {
      const Timestamp begin = execution.works()[at].begin;
      gap = first_ending_from(begin < before ? gaps.begin() : gap, gaps.end(), begin);
      before = begin;
      if (gap == gaps.end() || gap->end != begin) continue;
      WorkIndex& next = out[static_cast<std::size_t>(gap - gaps.begin())];
      if (next == kNone || execution.works()[next].stream != index) next = at;
    }
  }
  return out;
}

// The slice of the call that launched the work. Nothing: it is not on the thread any more.
std::optional<trace::Slice> launching_slice(const Execution& execution, const Work& work) {
  for (const trace::Lane& lane : execution.trace().track(work.launched_by).lanes) {
    const std::uint64_t row = lane.first_row_ending_after(work.launched);
    if (row == lane.end_row()) continue;
    const trace::Slice slice = lane.slice(row);
    if (slice.begin <= work.launched && slice.kind == SliceKind::kEnqueue) return slice;
  }
  return std::nullopt;
}

// When a call that returned only after its work had launched it. If the work began at once when other work
// had ended, it was launched before and waited for this work. Otherwise, the call was busy until it began.
Timestamp end_of_blocking_launch(const Execution& execution, const Work& work) {
  const auto index = static_cast<WorkIndex>(&work - execution.works().data());
  const WorkIndex before = execution.predecessor(index).work;
  const bool waited = before != kNone && work.begin - execution.works()[before].end <= kLongestLaunch;
  return waited ? work.launched : std::max(work.launched, work.begin);
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
  const auto slice = launching_slice(execution, work);
  if (!slice) return {work.launched, work.launched};
  return {work.launched, slice->end < work.end ? slice->end : end_of_blocking_launch(execution, work)};
}

bool returned_after_work(const Execution& execution, const Work& work) {
  const auto slice = launching_slice(execution, work);
  return slice && slice->end >= work.end;
}

IdleTimes::IdleTimes(const Execution& execution, const Steps& steps)
    : execution_(execution), main_(main_thread(execution, steps)), steps_(steps.ranges) {
  for (const Device& device : execution.devices()) {
    bool of_copies = false, of_others = false;
    for (const StreamIndex stream : device.streams) {
      for (const Work& work : execution.works_of(stream))
        (trace::is_copy(work.kind) ? of_copies : of_others) |= work.is_launched();
    }
    copies_unstated_.push_back(of_others && !of_copies);
  }
  const std::uint64_t count = execution.trace().string_count();
  of_names_.reserve(count);
  for (std::uint64_t id = 0; id < count; ++id)
    of_names_.push_back(cause_of_name(execution.trace().string(StringId{static_cast<std::uint32_t>(id)})));
}

IdleReport IdleTimes::of_device(DeviceIndex index, TimeRange range, std::size_t most_gaps) const {
  const Device& device = execution_.devices()[index];
  IdleReport out{.device = index, .steps = std::vector<IdleParts>(steps_.size())};
  add_gaps(device.streams, device.busy, range, most_gaps, out);
  return out;
}

IdleReport IdleTimes::of_stream(StreamIndex index, TimeRange range, std::size_t most_gaps) const {
  const std::span<const StreamIndex> only(&index, 1);
  IdleReport out{.device = execution_.streams()[index].device};
  add_gaps(only, execution_.busy_times(only), range, most_gaps, out);
  return out;
}

void IdleTimes::add_gaps(std::span<const StreamIndex> streams, const analysis::Ranges& busy, TimeRange range,
                         std::size_t most_gaps, IdleReport& out) const {
  out.range = range;
  const analysis::Ranges gaps = gaps_between(busy, range);
  const std::vector<WorkIndex> next = works_after(execution_, streams, gaps);
  Timestamp last_end = Timestamp::min();
  for (const StreamIndex at : streams) {
    if (const auto works = execution_.works_of(at); !works.empty())
      last_end = std::max(last_end, works.back().end);
  }
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const bool works_later = last_end > gaps[i].end;
    const IdleGap gap = explain(gaps[i], next[i], works_later, gaps[i]);
    out.idle.add(gap.parts);
    if (!out.steps.empty()) add_to_steps(gap, works_later, out.steps);
    if (gaps[i].duration() < kShortestGap) continue;
    ++out.gap_count;
    ++out.counts[static_cast<std::size_t>(gap.parts.main_cause())];
    out.gaps.push_back(gap);
    // keeps the longest gaps in bounded memory
    if (out.gaps.size() < 2 * most_gaps + 64) continue;
    std::ranges::nth_element(out.gaps, out.gaps.begin() + static_cast<std::ptrdiff_t>(most_gaps),
                             std::greater<>(), [](const IdleGap& g) { return g.range.duration(); });
    out.gaps.resize(most_gaps);
  }
  out.busy = range.duration() - out.idle.total();
  std::ranges::stable_sort(out.gaps, std::greater<>(), [](const IdleGap& g) { return g.range.duration(); });
  if (out.gaps.size() > most_gaps) out.gaps.resize(most_gaps);
}

void IdleTimes::add_to_steps(const IdleGap& gap, bool works_later, std::vector<IdleParts>& steps) const {
  const auto first = std::ranges::upper_bound(steps_, gap.range.begin, {}, &TimeRange::end);
  for (auto step = first; step != steps_.end() && step->begin < gap.range.end; ++step) {
    const TimeRange within = overlap(gap.range, *step);
    const bool whole = within.begin == gap.range.begin && within.end == gap.range.end;
    steps[static_cast<std::size_t>(step - steps_.begin())].add(
        whole ? gap.parts : explain(gap.range, gap.next, works_later, within).parts);
  }
}

IdleGap IdleTimes::explain(TimeRange gap, WorkIndex next, bool works_later, TimeRange within) const {
  IdleGap out{.range = gap, .next = next};
  if (gap.duration() < kShortestGap) {
    out.parts.of(IdleCause::kShort) = within.duration();
    return out;
  }
  if (out.next == kNone) {
    out.parts.of(works_later ? IdleCause::kUnknown : IdleCause::kNoMoreWork) = within.duration();
    return out;
  }
  const Work& work = execution_.works()[out.next];
  if (!work.is_launched()) {
    const TrackId thread = copying_thread(out.next);
    if (thread != kNoTrack) {
      add_host_time(thread, within, out.parts);
    } else {
      out.parts.of(IdleCause::kUnknown) = within.duration();
    }
    return out;
  }
  const TimeRange call = launch_call(execution_, work);
  const auto part = [&within](Timestamp from, Timestamp to) { return overlap(within, {from, to}); };
  if (const TimeRange host = part(gap.begin, call.begin); !host.empty())
    add_host_time(work.launched_by, host, out.parts);
  if (const TimeRange launching = part(call.begin, call.end); !launching.empty())
    out.parts.of(IdleCause::kLaunchCall) += launching.duration();
  TimeRange queued = overlap(gap, {std::max(call.begin, call.end), gap.end});
  if (queued.empty()) return out;
  const auto add = [&](IdleCause cause, Timestamp from, Timestamp to) {
    if (const TimeRange counted = part(from, to); !counted.empty()) out.parts.of(cause) += counted.duration();
  };
  const WorkIndex before = execution_.predecessor(out.next).work;
  if (before != kNone && execution_.works()[before].stream != work.stream) {
    const Work& other = execution_.works()[before];
    const Timestamp until = std::clamp(other.end, queued.begin, queued.end);
    add(trace::is_copy(other.kind) ? IdleCause::kCopy : IdleCause::kOtherStream, queued.begin, until);
    queued.begin = until;
  }
  const bool at_once = queued.duration() <= kLongestLaunch;
  add(at_once ? IdleCause::kLaunchLatency : IdleCause::kQueued, queued.begin, queued.end);
  return out;
}

// MTIA's traces state the launches of kernels and not those of transfers. A transfer that begins on an idle
// device was launched just before, by the thread that launches the next kernel of the stream. kNoTrack: the
// work is no such transfer.
TrackId IdleTimes::copying_thread(WorkIndex copy) const {
  const Work& work = execution_.works()[copy];
  const Stream& stream = execution_.streams()[work.stream];
  if (!trace::is_copy(work.kind) || !copies_unstated_[stream.device]) return kNoTrack;
  constexpr WorkIndex kFarthest = 64;  // transfers before a kernel; MTIA has about six
  for (WorkIndex at = copy; at < std::min(stream.last, copy + kFarthest); ++at) {
    if (execution_.works()[at].is_launched()) return execution_.works()[at].launched_by;
  }
  return main_;
}

IdleTimes::HostSums& IdleTimes::sums_of(TrackId thread) const {
  const auto [entry, is_new] = sums_.try_emplace(thread);
  HostSums& sums = entry->second;
  if (!is_new) return sums;
  constexpr std::uint64_t kSlicesInCell = 64, kMostCells = 65'536;
  std::uint64_t slices = 0;
  for (const TrackId track : {thread, main_}) {
    if (track == kNoTrack) continue;
    for (const trace::Lane& lane : execution_.trace().track(track).lanes) slices += lane.size();
  }
  const TimeRange all = execution_.trace().extent();
  const std::uint64_t cells = std::clamp<std::uint64_t>(slices / kSlicesInCell, 1, kMostCells);
  sums.begin = all.begin;
  sums.cell = std::max(Duration{1}, all.duration() / static_cast<Duration::rep>(cells));
  return sums;
}

void IdleTimes::fill(TrackId thread, HostSums& sums) const {
  const Timestamp end = execution_.trace().extent().end;
  sums.before.emplace_back();
  for (std::size_t i = 0; sums.begin_of(i + 1) <= end; ++i) {
    IdleParts parts = sums.before.back();
    read_host_time(thread, {sums.begin_of(i), sums.begin_of(i + 1)}, parts);
    sums.before.push_back(parts);
  }
}

void IdleTimes::add_host_time(TrackId thread, TimeRange range, IdleParts& parts) const {
  HostSums& sums = sums_of(thread);
  // the cells that are within the range
  const auto first =
      static_cast<std::size_t>((range.begin - sums.begin + sums.cell - Duration{1}) / sums.cell);
  const auto last = static_cast<std::size_t>((range.end - sums.begin) / sums.cell);
  if (range.begin < sums.begin || last < first + 2) return read_host_time(thread, range, parts);
  if (sums.before.empty()) fill(thread, sums);
  if (last >= sums.before.size()) return read_host_time(thread, range, parts);
  read_host_time(thread, {range.begin, sums.begin_of(first)}, parts);
  for (std::size_t cause = 0; cause < kIdleCauseCount; ++cause)
    parts.times[cause] += sums.before[last].times[cause] - sums.before[first].times[cause];
  read_host_time(thread, {sums.begin_of(last), range.end}, parts);
}

// Time in which the launching thread shows nothing is looked up on the main thread: a thread that works for
// it (such as autograd's) was not started yet.
void IdleTimes::read_host_time(TrackId thread, TimeRange range, IdleParts& parts) const {
  const trace::Track& track = execution_.trace().track(thread);
  if (thread == main_ || main_ == kNoTrack || track.lanes.empty())
    return read_host_time(thread, range, 0, IdleCause::kHost, parts);
  const trace::Lane& top = track.lanes[0];
  trace::LaneReader reader(top);
  Timestamp known = range.begin;
  for (std::uint64_t row = top.first_row_ending_after(range.begin); row < top.end_row(); ++row) {
    const TimeRange times = reader.times(row);
    if (times.begin >= range.end) break;
    if (times.begin > known) read_host_time(main_, {known, times.begin}, 0, IdleCause::kHost, parts);
    read_host_time(thread, overlap(range, times), 0, IdleCause::kHost, parts);
    known = std::max(known, times.end);
  }
  if (known < range.end) read_host_time(main_, {known, range.end}, 0, IdleCause::kHost, parts);
}

void IdleTimes::read_host_time(TrackId thread, TimeRange range, std::uint32_t depth, IdleCause inherited,
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
      read_host_time(thread, covered, depth + 1, cause, parts);
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
