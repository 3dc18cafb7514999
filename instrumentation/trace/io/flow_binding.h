// Flows of a Trace bind to slices by time; those of a Chrome trace too, but only strictly inside a slice, and
// an end may not come before its start. bind_flow() finds the slices and moves the times to where both hold.
#pragma once

#include <optional>

#include "instrumentation/trace/io/chrome_layout.h"

namespace runahead::trace::io {

struct FlowEnd {
  int pid = 0, tid = 0;
  Timestamp at{};
};
struct BoundFlow {
  FlowEnd from, to;
};

// nullopt where an end has no slice that could hold it.
[[nodiscard]] std::optional<BoundFlow> bind_flow(const ChromeLayout& layout, const Flow& flow);

}  // namespace runahead::trace::io
