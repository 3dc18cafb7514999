// WaitCause: what the selected call waited for, in a trace of another tool. Such a trace has no ops, so the
// layer `causes` finds it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gui/timeline/scene/scene.h"
#include "gui/timeline/selection_facts.h"
#include "instrumentation/analysis/waits/wait_reason.h"
#include "instrumentation/causes/synchronisation.h"

namespace runahead::gui {

struct WaitCause {
  SliceRef asked;       // the selected slice
  bool waited = false;  // false: the slice is no call that waited; the other members have no meaning
  analysis::WaitSplit split;
  std::string place;             // "aten::item in train.py(33): step"; empty: unknown
  std::optional<SliceRef> work;  // what it waited for; nullopt: nothing, or unknown
  bool inferred = false;         // `work` was inferred, and is not stated by the trace
  Duration idle_after{};         // how long the device was idle around the return of the call
  double cost_ms = 0;
  std::uint64_t number = 0;  // each new answer has a new number
};

// Returns what the call `ref` waited for. `synchronisations`: those of `trace`.
[[nodiscard]] WaitCause wait_cause_of(const trace::Trace& trace,
                                      const causes::Synchronisations& synchronisations, const SliceRef& ref);

// False: the slice is certainly no call that waited, so there is nothing to ask.
[[nodiscard]] bool may_wait(const trace::Trace& trace, const SliceRef& ref);

// Returns the name of the work that the call waited for; or a text that everything had ended before, or that
// it is not known.
[[nodiscard]] std::string awaited_name(const trace::Trace& trace, const WaitCause& cause);

// Returns what the call waited for, whether this was recorded, and the parts of its time, for a tooltip.
[[nodiscard]] Facts cause_facts(const trace::Trace& trace, const WaitCause& cause);

}  // namespace runahead::gui
