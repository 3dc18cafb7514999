// What was found in the trace, as the window shows it. Values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/analysis/duration_histogram.h"
#include "instrumentation/analysis/slice_search.h"
#include "instrumentation/analysis/statistics.h"

namespace runahead::gui {

struct FindWords {
  std::string words;      // as typed (analysis/slice_search.h); empty: the statistics of all names
  bool in_range = false;  // of the measured range alone
  analysis::FoundOrder order = analysis::FoundOrder::kLongestFirst;
  friend bool operator==(const FindWords&, const FindWords&) = default;
};

struct FindAnswer {
  FindWords asked;
  std::string error;                // one line; empty: the words were read
  analysis::FoundSlices found;      // its durations are in the histogram
  std::vector<std::int64_t> steps;  // of the slices found; -1: of none
  analysis::DurationHistogram histogram;
  std::vector<analysis::NameStatistics> names;  // where nothing was searched for
  double cost_ms = 0;
  std::uint64_t number = 0;  // of the answer
};

// For the panel, each frame.
struct FindFacts {
  bool running = false;
  const FindAnswer* answer = nullptr;  // the last one, of the trace on the screen; null: none yet
};

}  // namespace runahead::gui
