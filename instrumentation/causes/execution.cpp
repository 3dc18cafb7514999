#include "instrumentation/causes/execution.h"

#include <algorithm>

#include "instrumentation/causes/execution_builder.h"
#include "instrumentation/trace/find_slice.h"

namespace runahead::causes {

using trace::kNever;

namespace {

// The first index in [first, last) for which is_before() is false; `last`: there is none. is_before() is true
// up to this index. O(log of the distance from `near`).
template <typename IsBefore>
WorkIndex partition_near(WorkIndex first, WorkIndex last, WorkIndex near, IsBefore is_before) {
  near = std::clamp(near, first, last);
  WorkIndex low = first, high = last, step = 1;
  if (near > first && !is_before(near - 1)) {
    high = near - 1;
    for (; high - low >= step && !is_before(high - step); step *= 2) high -= step;
    if (high - low >= step) low = high - step + 1;
  } else {
    low = near;
    for (; last - low >= step && is_before(low + step - 1); step *= 2) low += step;
    if (last - low >= step) high = low + step - 1;
  }
  while (low < high) {
    const WorkIndex middle = low + (high - low) / 2;
    is_before(middle) ? low = middle + 1 : high = middle;
  }
  return low;
}

}  // namespace

Execution::Execution(const trace::Trace& trace, TrackId group) : trace_(&trace) {
  ExecutionBuilder(*this, group).run();
}

analysis::Ranges Execution::busy_times(std::span<const StreamIndex> streams) const {
  std::vector<TimeRange> works;
  for (const StreamIndex stream : streams) {
    for (const Work& work : works_of(stream)) works.push_back({work.begin, work.end});
  }
  return analysis::union_of(std::move(works));
}

std::span<const WorkIndex> Execution::launched_during(TrackId thread, TimeRange range) const {
  using Launch = std::pair<TrackId, Timestamp>;
  const auto launch = [this](WorkIndex at) { return Launch{works_[at].launched_by, works_[at].launched}; };
  const auto first = std::ranges::lower_bound(by_launch_, Launch{thread, range.begin}, {}, launch);
  const auto last = std::ranges::lower_bound(first, by_launch_.end(), Launch{thread, range.end}, {}, launch);
  return {first, last};
}

WorkIndex Execution::last_launched_before(TrackId thread, Timestamp t) const {
  const auto launched = launched_during(thread, {Timestamp::min(), t});
  return launched.empty() ? kNone : launched.back();
}

WorkIndex Execution::first_launched_from(TrackId thread, Timestamp t) const {
  const auto launched = launched_during(thread, {t, Timestamp::max()});
  return launched.empty() ? kNone : launched.front();
}

WorkIndex Execution::first_on_stream_launched_from(StreamIndex index, Timestamp t) const {
  const Stream& stream = streams_[index];
  const auto launches = std::span(latest_launch_).subspan(stream.first, stream.last - stream.first);
  const auto found = std::ranges::lower_bound(launches, t);
  return found == launches.end() ? kNone : stream.first + static_cast<WorkIndex>(found - launches.begin());
}

WorkIndex Execution::last_on_stream_launched_before(StreamIndex index, Timestamp t) const {
  const Stream& stream = streams_[index];
  const WorkIndex after = std::min(first_on_stream_launched_from(index, t), stream.last);
  return after == stream.first ? kNone : after - 1;
}

WorkIndex Execution::last_ended(StreamIndex index, Timestamp launched_before, Timestamp ended_by) const {
  const Stream& stream = streams_[index];
  const std::span<const Work> works = works_of(index);
  const auto after = std::ranges::upper_bound(works, ended_by, {}, &Work::end);
  if (after == works.begin()) return kNone;
  const WorkIndex ended = stream.first + static_cast<WorkIndex>(after - works.begin()) - 1;
  const WorkIndex launched = last_on_stream_launched_before(index, launched_before);
  return launched == kNone ? kNone : std::min(ended, launched);
}

WorkIndex Execution::last_launched_before(StreamIndex index, Timestamp t, WorkIndex& near) const {
  const Stream& stream = streams_[index];
  near =
      partition_near(stream.first, stream.last, near, [&](WorkIndex at) { return latest_launch_[at] < t; });
  return near == stream.first ? kNone : near - 1;
}

WorkIndex Execution::last_ended_by(StreamIndex index, Timestamp t, WorkIndex& near) const {
  const Stream& stream = streams_[index];
  near = partition_near(stream.first, stream.last, near, [&](WorkIndex at) { return works_[at].end <= t; });
  return near == stream.first ? kNone : near - 1;
}

std::size_t Execution::pending_at(StreamIndex index, Timestamp t, std::size_t most) const {
  const Stream& stream = streams_[index];
  if (!knows_launches(index)) return 0;
  const WorkIndex launched = std::min(first_on_stream_launched_from(index, t), stream.last);
  const WorkIndex ended = last_ended(index, Timestamp::max(), t);
  std::size_t count = 0;
  Timestamp before = kNever;  // the nodes of a graph have one launch
  for (WorkIndex at = ended == kNone ? stream.first : ended + 1; at < launched && count < most; ++at) {
    const bool at_beginning = latest_launch_[at] == Timestamp::min();
    if (at_beginning || (works_[at].is_launched() && works_[at].launched != before)) ++count;
    if (works_[at].is_launched()) before = works_[at].launched;
  }
  return count;
}

bool Execution::knows_launches(StreamIndex index) const {
  const Stream& stream = streams_[index];
  return stream.first != stream.last && latest_launch_[stream.last - 1] != Timestamp::min();
}

std::optional<trace::Slice> Execution::slice_of(const Work& work) const {
  const TrackId track = streams_[work.stream].track;
  const auto place = trace::find_slice_beginning_at(
      *trace_, track, work.begin,
      [&](const trace::Slice& slice) { return slice.end == work.end && slice.name == work.name; });
  return place ? std::optional(trace_->track(track).lanes[place->depth].slice(place->row)) : std::nullopt;
}

WorkIndex Execution::work_of_op(OpId op) const {
  const auto [first, last] =
      std::ranges::equal_range(by_op_, op, {}, [](const auto& entry) { return entry.first; });
  WorkIndex latest = kNone;
  for (const auto& [id, work] : std::span(first, last)) {
    if (latest == kNone || works_[work].end > works_[latest].end) latest = work;
  }
  return latest;
}

StreamIndex Execution::find_stream(std::int64_t number, const HostCall& call, DeviceIndex only) const {
  const std::int64_t pid = pid_of(call.thread);
  const auto matches = [&](const Stream& stream) {
    return stream.number == number && (stream.pid == 0 || stream.pid == pid) && stream.first != stream.last &&
           (only == kNone || stream.device == only);
  };
  const WorkIndex just_launched = last_launched_before(call.thread, call.begin);
  if (just_launched != kNone && matches(streams_[works_[just_launched].stream]))
    return works_[just_launched].stream;
  StreamIndex best = kNone;
  Timestamp latest = Timestamp::min();
  for (StreamIndex at = 0; at < streams_.size(); ++at) {
    if (!matches(streams_[at])) continue;
    const WorkIndex work = last_on_stream_launched_before(at, call.begin);
    const Timestamp launched = work == kNone ? Timestamp::min() : latest_launch_[work];
    if (best != kNone && launched <= latest) continue;
    best = at;
    latest = launched;
  }
  return best;
}

const HostCall* Execution::record_call(std::int64_t correlation, const HostCall& call) const {
  const RecordCall wanted{pid_of(call.thread), correlation, 0};
  const auto found = std::ranges::lower_bound(record_calls_, wanted);
  const bool same =
      found != record_calls_.end() && found->pid == wanted.pid && found->correlation == correlation;
  return same ? &calls_[found->call] : nullptr;
}

WorkIndex Execution::last_before_event(const HostCall& record, StreamIndex stream) const {
  const WorkIndex on_stream = last_on_stream_launched_before(stream, record.begin);
  const WorkIndex of_thread = last_launched_before(record.thread, record.begin);
  if (of_thread == kNone || works_[of_thread].stream != stream) return on_stream;
  // They differ if another thread launched later, or if the stream does not keep the order of launches.
  const bool later = on_stream == kNone || works_[of_thread].launched > works_[on_stream].launched;
  return later ? of_thread : on_stream;
}

WorkIndex Execution::before_on_stream(WorkIndex work) const {
  return work > streams_[works_[work].stream].first ? work - 1 : kNone;
}

std::span<const StreamEdge> Execution::stream_edges_to(WorkIndex work) const {
  const auto [first, last] = std::ranges::equal_range(stream_edges_, work, {}, &StreamEdge::after);
  return {first, last};
}

std::span<const ThreadEdge> Execution::thread_edges_to(TrackId thread, TimeRange range) const {
  const auto key = [](const ThreadEdge& edge) { return std::pair(edge.to, edge.to_time); };
  const auto first = std::ranges::lower_bound(thread_edges_, std::pair(thread, range.begin), {}, key);
  const auto last =
      std::ranges::lower_bound(first, thread_edges_.end(), std::pair(thread, range.end), {}, key);
  return {first, last};
}

TrackId Execution::parent_of(TrackId thread) const {
  const auto found =
      std::ranges::lower_bound(parents_, thread, {}, [](const auto& entry) { return entry.first; });
  return found == parents_.end() || found->first != thread ? kNoTrack : found->second;
}

Execution::Predecessor Execution::predecessor(WorkIndex work) const {
  Predecessor latest{before_on_stream(work), Evidence::kRecorded};
  for (const StreamEdge& edge : stream_edges_to(work)) {
    if (latest.work == kNone || works_[edge.before].end > works_[latest.work].end)
      latest = {edge.before, edge.evidence};
  }
  return latest;
}

}  // namespace runahead::causes
