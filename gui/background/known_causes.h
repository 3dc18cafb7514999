// KnownCauses: the graph of a trace, and what its calls waited for. Several panels ask about it on their own
// threads. It reads the whole trace, so they share it.
#pragma once

#include <memory>
#include <utility>

#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

struct KnownCauses {
  explicit KnownCauses(trace::Trace snapshot) : trace(std::move(snapshot)), synchronisations(trace) {}
  const trace::Trace trace;
  const causes::Synchronisations synchronisations;
};

// Returns the causes of this version of the trace. If a caller still holds them, no others are made. Any
// thread may call it; a second caller waits until the first one has made them.
[[nodiscard]] std::shared_ptr<const KnownCauses> known_causes(const trace::Trace& trace);

}  // namespace runahead::gui
