#include "gui/panels/memory/memory_reporter.h"

#include <algorithm>

namespace runahead::gui {

std::optional<MemoryAnswer> report_memory(const MemoryReporter::Question& question,
                                          const std::atomic<bool>&) {
  const trace::Trace& trace = question.snapshot;
  const TimeRange extent = trace.extent();
  // Half-open: what was counted last is in it.
  const TimeRange range{std::max(question.range.begin, extent.begin),
                        std::min(question.range.end, extent.end + Duration{1})};
  MemoryAnswer answer{.asked = question.asked, .trace = trace.identity()};
  for (const TrackId counter : analysis::memory_counters(trace)) {
    const trace::Track& track = trace.track(counter);
    const auto peak = analysis::memory_peak(track.counter, range);
    if (peak)
      answer.devices.push_back(
          {counter, track.info.device.empty() ? track.info.name : track.info.device, *peak});
  }
  if (answer.devices.empty()) return answer;
  const auto chosen = std::ranges::find(answer.devices, question.asked.counter, &MemoryDevice::counter);
  const auto fullest = std::ranges::max_element(answer.devices, {},
                                                [](const MemoryDevice& device) { return device.peak.bytes; });
  const MemoryDevice& device = chosen != answer.devices.end() ? *chosen : *fullest;
  answer.peak = device.peak;
  answer.report = analysis::memory_report(trace, device.counter, question.asked.at.value_or(device.peak.at));
  return answer;
}

}  // namespace runahead::gui
