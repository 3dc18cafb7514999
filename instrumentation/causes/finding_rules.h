// What the rules of findings share, and the groups of rules that have a source of their own. Private to
// findings*.cpp.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "instrumentation/causes/findings.h"

namespace runahead::causes {

// A smaller share of the run is not worth a sentence.
inline constexpr double kMuchTime = 0.05;
inline constexpr std::size_t kFewestSteps = 3;

// findings_streams.cpp: work that waits only for the order of its stream
[[nodiscard]] std::vector<Finding> find_stream_findings(const FindingInput& input);
// findings_run_ahead.cpp: the host could be ahead of the device, and waits
[[nodiscard]] std::vector<Finding> find_run_ahead_findings(const FindingInput& input);
// findings_nsys.cpp: the rules of `nsys analyze`
[[nodiscard]] std::vector<Finding> find_nsys_findings(const FindingInput& input);

[[nodiscard]] inline std::string times(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " time" : " times");
}
[[nodiscard]] inline std::string at_place(const std::string& place) {
  return place.empty() ? "" : " in " + place;
}
[[nodiscard]] inline double share_of(Duration part, TimeRange range) {
  return range.empty() ? 0
                       : static_cast<double>(part.count()) / static_cast<double>(range.duration().count());
}

[[nodiscard]] inline bool begins_in(TimeRange range, const HostCall& call) {
  return call.begin >= range.begin && call.begin < range.end;
}
// Calls found(call) for each call in the range that is not within another one: a call of the runtime contains
// one of the driver.
template <typename Found>
void each_call(const FindingInput& in, Found found) {
  TrackId thread = kNoTrack;
  Timestamp until{};
  for (const HostCall& call : in.execution->calls()) {
    if (call.thread == thread && call.begin < until) continue;
    thread = call.thread;
    until = call.end;
    if (begins_in(in.range, call)) found(call);
  }
}

// Counts a case. The finding's range is the longest case.
inline void add_case(Finding& finding, TrackId track, TimeRange range, Duration cost) {
  ++finding.count;
  finding.cost += cost;
  if (finding.range.duration() > range.duration()) return;
  finding.range = range;
  finding.track = track;
}
inline void add_case(Finding& finding, const HostCall& call, Duration cost) {
  add_case(finding, call.thread, call.range(), cost);
}

// True for the workers of our engine on a CPU: what helps a GPU does not help them.
[[nodiscard]] inline bool runs_on_host(const Execution& execution, DeviceIndex device) {
  return std::ranges::any_of(execution.devices()[device].streams, [&](StreamIndex at) {
    return execution.trace().track(execution.streams()[at].track).info.kind == trace::TrackKind::kWorker;
  });
}

}  // namespace runahead::causes
