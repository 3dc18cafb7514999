// The counters that matter for a workload, for the viewer of pages: it shows them as the window does, and
// cannot contain the workloads, which use the engine. A test compares them with WorkloadSpec::counters.
#pragma once

#include <optional>
#include <string_view>

#include "instrumentation/trace/rows/track.h"

namespace runahead::gui {

// Returns the counter of the workload with this name. nullopt: the workload has none, or is not known.
[[nodiscard]] constexpr std::optional<trace::CounterRole> counter_of_workload(std::string_view name) {
  using trace::CounterRole;
  for (const std::string_view copies : {"data_parallel", "memory_hierarchy", "overlap"}) {
    if (name == copies) return CounterRole::kCopyBandwidth;
  }
  for (const std::string_view runs_ahead : {"barriers", "hidden_waits", "increment", "queue_vs_finish"}) {
    if (name == runs_ahead) return CounterRole::kRunAheadOps;
  }
  return std::nullopt;
}

}  // namespace runahead::gui
