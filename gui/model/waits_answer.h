// The report of waits, as the window shows it. Values.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/analysis/wait_report.h"

namespace runahead::gui {

struct WaitsWanted {
  bool in_range = false;  // of the measured range alone
  friend bool operator==(const WaitsWanted&, const WaitsWanted&) = default;
};

struct WaitsAnswer {
  std::vector<analysis::WaitGroup> groups;  // the largest total first
  std::uint64_t count = 0;                  // of all waits
  analysis::WaitSplit split;                // of all of them
  double cost_ms = 0;
  std::uint64_t number = 0;  // of the answer
};

// For the panel, each frame.
struct WaitsFacts {
  bool running = false;
  const WaitsAnswer* answer = nullptr;  // the last one, of the trace on the screen; null: none yet
};

}  // namespace runahead::gui
