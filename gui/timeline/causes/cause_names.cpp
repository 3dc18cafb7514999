#include "gui/timeline/causes/cause_names.h"

#include <algorithm>
#include <array>

#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

template <typename Kind, std::size_t kCount>
std::vector<CausePart<Kind>> parts_of(const std::array<Duration, kCount>& times) {
  Duration total{};
  for (const Duration time : times) total += time;
  std::vector<CausePart<Kind>> out;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (times[i] <= Duration{}) continue;
    const double share = static_cast<double>(times[i].count()) / static_cast<double>(total.count());
    out.push_back({static_cast<Kind>(i), times[i], share});
  }
  return out;
}

}  // namespace

const char* idle_cause_name(causes::IdleCause cause) {
  constexpr std::array kNames{Text::kIdleSynchronisation, Text::kIdleDataLoading,   Text::kIdleOperator,
                              Text::kIdlePython,          Text::kIdleAllocation,    Text::kIdleHost,
                              Text::kIdleLaunchCall,      Text::kIdleLaunchLatency, Text::kIdleQueued,
                              Text::kIdleOtherStream,     Text::kIdleCopy,          Text::kIdleShort,
                              Text::kIdleNoMoreWork,      Text::kIdleUnknown};
  static_assert(kNames.size() == causes::kIdleCauseCount);
  return text(kNames[static_cast<std::size_t>(cause)]);
}

std::string idle_cause_sentence(causes::IdleCause cause) { return translated(causes::sentence_of(cause)); }

const char* path_class_name(causes::PathClass path_class) {
  constexpr std::array kNames{Text::kPathHost,   Text::kPathLaunch,        Text::kPathKernel,
                              Text::kPathCopy,   Text::kPathCommunication, Text::kPathWaiting,
                              Text::kPathUnknown};
  static_assert(kNames.size() == causes::kPathClassCount);
  return text(kNames[static_cast<std::size_t>(path_class)]);
}

std::string idle_label(const IdleMark& gap) {
  return filled(Text::kIdleLabel, {format_duration(gap.range.duration()), idle_cause_name(gap.cause)});
}

std::vector<CausePart<causes::IdleCause>> idle_parts(const causes::IdleParts& parts) {
  auto out = parts_of<causes::IdleCause>(parts.times);
  std::ranges::stable_sort(out, std::ranges::greater{}, &CausePart<causes::IdleCause>::time);
  return out;
}

std::vector<CausePart<causes::PathClass>> path_parts(const causes::CriticalPath& path) {
  return parts_of<causes::PathClass>(path.times);
}

}  // namespace runahead::gui
