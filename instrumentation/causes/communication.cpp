#include "instrumentation/causes/communication.h"

#include <algorithm>

#include "instrumentation/base/contains_text.h"

namespace runahead::causes {
namespace {

// `all` without `other`.
analysis::Ranges without(const analysis::Ranges& all, const analysis::Ranges& other) {
  analysis::Ranges out;
  auto cut = other.begin();
  for (TimeRange rest : all) {
    while (cut != other.end() && cut->end <= rest.begin) ++cut;
    for (auto at = cut; at != other.end() && at->begin < rest.end; ++at) {
      if (at->begin > rest.begin) out.push_back({rest.begin, at->begin});
      rest.begin = std::max(rest.begin, at->end);
    }
    if (rest.begin < rest.end) out.push_back(rest);
  }
  return out;
}

// The stream of a collective that ran at `t`.
TrackId communicating_at(const Execution& execution, const Device& device, Timestamp t,
                         CommunicationNames& names) {
  for (const StreamIndex at : device.streams) {
    const std::span<const Work> works = execution.works_of(at);
    const auto found = std::ranges::upper_bound(works, t, {}, &Work::end);
    if (found != works.end() && found->begin <= t && names.has(found->name))
      return execution.streams()[at].track;
  }
  return kNoTrack;
}

}  // namespace

bool is_communication(std::string_view name) {
  for (const std::string_view word :
       {"nccl", "rccl", "hccl", "oneccl", "msccl", "deep_ep", "allreduce", "all_reduce", "allgather",
        "all_gather", "reduce_scatter", "all_to_all", "alltoall"}) {
    if (contains_ignoring_case(name, word)) return true;
  }
  return false;
}

CommunicationNames::CommunicationNames(const trace::Trace& trace)
    : trace_(&trace), states_(trace.string_count(), State::kUnknown) {}

CommunicationTimes communication_times(const Execution& execution, DeviceIndex index, TimeRange range) {
  const Device& device = execution.devices()[index];
  CommunicationNames names(execution.trace());
  CommunicationTimes out;
  std::vector<TimeRange> collectives, kernels, others;
  const auto each_work = [&](auto found) {
    for (const StreamIndex stream : device.streams) {
      for (const Work& work : execution.works_of(stream)) {
        const TimeRange part{std::max(work.begin, range.begin), std::min(work.end, range.end)};
        if (!part.empty()) found(work, part);
      }
    }
  };
  each_work([&](const Work& work, TimeRange part) {
    if (trace::is_copy(work.kind) || !names.has(work.name)) return;
    ++out.count;
    collectives.push_back(part);
  });
  if (out.count == 0) return out;
  each_work([&](const Work& work, TimeRange part) {
    if (trace::is_copy(work.kind)) return others.push_back(part);
    if (!names.has(work.name)) kernels.push_back(part);
  });
  const analysis::Ranges all = analysis::union_of(std::move(collectives));
  const analysis::Ranges computing = analysis::union_of(kernels);
  others.insert(others.end(), kernels.begin(), kernels.end());
  out.total = analysis::total(all);
  out.hidden = analysis::total_overlap(all, computing);
  for (const TimeRange& alone : without(all, analysis::union_of(std::move(others)))) {
    out.exposed += alone.duration();
    if (alone.duration() > out.longest.duration()) out.longest = alone;
  }
  if (!out.longest.empty()) out.track = communicating_at(execution, device, out.longest.begin, names);
  return out;
}

}  // namespace runahead::causes
