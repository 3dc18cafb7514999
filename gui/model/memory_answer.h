// The report of memory, as the window shows it. Values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/analysis/memory_report.h"

namespace runahead::gui {

struct MemoryWanted {
  TrackId counter = kNoTrack;   // of the device; kNoTrack: the one that had most
  std::optional<Timestamp> at;  // nullopt: at its peak
  bool in_range = false;        // the peak of the measured range alone
  friend bool operator==(const MemoryWanted&, const MemoryWanted&) = default;
};

struct MemoryDevice {
  TrackId counter = kNoTrack;
  std::string name;
  analysis::MemoryPeak peak;
};

struct MemoryAnswer {
  MemoryWanted asked;
  std::uint64_t trace = 0;            // Trace::identity() of whose it is
  std::vector<MemoryDevice> devices;  // whose memory is counted
  std::optional<analysis::MemoryPeak> peak;
  analysis::MemoryReport report;  // of no counter where there are no devices
  double cost_ms = 0;
  std::uint64_t number = 0;  // of the answer
};

// For the panel, each frame.
struct MemoryFacts {
  bool running = false;
  const MemoryAnswer* answer = nullptr;  // the last one, of the trace on the screen; null: none yet
};

}  // namespace runahead::gui
