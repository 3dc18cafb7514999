#include "gui/panels/memory/memory_panel.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace runahead::gui {

using Json = nlohmann::json;

std::optional<MemoryAnswer> report_memory(const MemoryReporter::Question& question,
                                          const std::atomic<bool>&) {
  const trace::Trace& trace = question.snapshot;
  const TimeRange extent = trace.extent();
  // The end of a range is exclusive, so 1 ns is added to include the last sample.
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

bool MemoryPanel::poll(const PanelContext& context) {
  std::optional<MemoryWanted> wanted;
  if (shown()) wanted = MemoryWanted{view.counter, context.timeline.pinned_time, view.in_range};
  const bool changed = reporter_.poll(context.trace, context.serial, wanted, context.range(view.in_range));
  mark(context.timeline);
  return changed;
}

void MemoryPanel::mark(TimelineState& timeline) {
  const MemoryAnswer* const told = shown() ? answer() : nullptr;
  timeline.asks_for_time = shown();
  timeline.moment.reset();
  timeline.peak.reset();
  if (told == nullptr || told->report.counter == kNoTrack) {
    revealed_ = kNoTrack;
    return;
  }
  // When the panel first shows a counter, the timeline scrolls to the row of this counter, once. After that,
  // only the user scrolls.
  if (std::exchange(revealed_, told->report.counter) != told->report.counter)
    timeline.to_reveal = told->report.counter;
  timeline.moment = told->report.at;
  if (told->peak) timeline.peak = TimelineState::Peak{told->report.counter, told->peak->at};
}

void MemoryPanel::add_to_report(nlohmann::json& json, const PanelModel&) const {
  Json& part = json["memory"] = nullptr;
  if (!shown()) return;
  Json holders = Json::array(), categories = Json::object(), devices = Json::array();
  if (answer() == nullptr) {
    part = {{"answered", false}, {"holders", holders}};
    return;
  }
  for (const MemoryDevice& device : answer()->devices) devices.push_back(device.name);
  for (const analysis::MemoryHolder& holder : answer()->report.holders) {
    holders.push_back({{"op", holder.op},
                       {"category", holder.category},
                       {"bytes", holder.bytes},
                       {"blocks", holder.blocks},
                       {"largest_op", op_number(holder.largest)}});
  }
  for (const analysis::MemoryShare& of : answer()->report.by_category) categories[of.category] = of.bytes;
  part = {{"answered", true},
          {"devices", devices},
          {"at_ns", ns_from(answer()->report.at)},
          {"peak_ns", answer()->peak ? Json(ns_from(answer()->peak->at)) : Json()},
          {"counted", answer()->report.counted.value_or(-1)},
          {"named", answer()->report.named_bytes},
          {"lifetimes", answer()->report.lifetimes},
          {"holders", holders},
          {"categories", categories}};
}

}  // namespace runahead::gui
