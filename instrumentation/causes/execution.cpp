#include "instrumentation/causes/execution.h"

#include <algorithm>

#include "instrumentation/causes/execution_builder.h"

namespace runahead::causes {

using trace::kNever;

Execution::Execution(const trace::Trace& trace) : trace_(&trace) { ExecutionBuilder(*this).run(); }

std::span<const HostCall> Execution::calls_of(TrackId thread) const {
  const auto [first, last] = std::ranges::equal_range(calls_, thread, {}, &HostCall::thread);
  return {first, last};
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
  const auto works = std::span(works_).subspan(stream.first, stream.last - stream.first);
  const auto found =
      std::ranges::partition_point(works, [t](const Work& work) { return work.launched_before(t); });
  return found == works.end() ? kNone : stream.first + static_cast<WorkIndex>(found - works.begin());
}

WorkIndex Execution::last_on_stream_launched_before(StreamIndex index, Timestamp t) const {
  const Stream& stream = streams_[index];
  const WorkIndex after = std::min(first_on_stream_launched_from(index, t), stream.last);
  return after == stream.first ? kNone : after - 1;
}

WorkIndex Execution::last_ended(StreamIndex index, Timestamp launched_before, Timestamp ended_by) const {
  const Stream& stream = streams_[index];
  const auto works = std::span(works_).subspan(stream.first, stream.last - stream.first);
  const auto after = std::ranges::upper_bound(works, ended_by, {}, &Work::end);
  if (after == works.begin()) return kNone;
  const WorkIndex ended = stream.first + static_cast<WorkIndex>(after - works.begin()) - 1;
  const WorkIndex launched = last_on_stream_launched_before(index, launched_before);
  return launched == kNone ? kNone : std::min(ended, launched);
}

std::size_t Execution::pending_at(StreamIndex index, Timestamp t) const {
  const Stream& stream = streams_[index];
  const WorkIndex launched = std::min(first_on_stream_launched_from(index, t), stream.last);
  const WorkIndex last = last_ended(index, Timestamp::max(), t);
  const WorkIndex ended = last == kNone ? stream.first : last + 1;
  if (launched <= ended) return 0;
  const auto pending = std::span(works_).subspan(ended, launched - ended);
  const auto first_known = std::ranges::find_if(pending, &Work::is_launched);
  const auto known = std::ranges::count_if(first_known, pending.end(), &Work::is_launched);
  const bool all_known = known == pending.end() - first_known;
  return static_cast<std::size_t>(all_known ? std::ssize(pending) : known);
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

StreamIndex Execution::find_stream(std::int64_t number, std::int64_t pid) const {
  const auto found = std::ranges::find_if(streams_, [&](const Stream& stream) {
    return stream.number == number && (stream.pid == 0 || stream.pid == pid) && stream.first != stream.last;
  });
  return found == streams_.end() ? kNone : static_cast<StreamIndex>(found - streams_.begin());
}

const HostCall* Execution::record_call(std::int64_t correlation) const {
  const auto found =
      std::ranges::lower_bound(record_calls_, correlation, {}, [](const auto& entry) { return entry.first; });
  return found == record_calls_.end() || found->first != correlation ? nullptr : &calls_[found->second];
}

WorkIndex Execution::before_on_stream(WorkIndex work) const {
  return work > streams_[works_[work].stream].first ? work - 1 : kNone;
}

std::span<const StreamEdge> Execution::stream_edges_to(WorkIndex work) const {
  const auto [first, last] = std::ranges::equal_range(stream_edges_, work, {}, &StreamEdge::after);
  return {first, last};
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
