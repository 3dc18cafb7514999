// SideSummary: what one side of a comparison says of itself: the figures of a range, how busy each device
// was, and how long the slices of every name took. Pure; any thread on a snapshot.
//
// Worked out piece by piece of the range, some hundred thousand rows each, so that a trace whose rows are in
// its file needs no more memory than its store allows and what the names need (duration_counts.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/analysis/duration_histogram.h"
#include "instrumentation/analysis/segment.h"
#include "instrumentation/trace/trace.h"

namespace runahead::analysis {

// Called after each piece: `done` in 0..1. Returning false cancels.
using SideProgress = std::function<bool(double done)>;

struct DeviceBusy {
  std::string device;  // "cpu", "virtual:0"; of tracks without one the name of their topmost group
  bool simulated = false;
  Duration busy{};  // time in which anything was executed or copied on it
};

// Slices of one name and kind that begin in the range, whatever their track; lives of ops left out.
struct NameSummary {
  std::string name;
  trace::SliceKind kind{};
  std::int64_t size_bytes = 0;
  DurationHistogram durations;
};

struct SideSummary {
  SegmentFigures figures;  // equal to segment_figures() of the range
  // Weighted by time: run-ahead was at most this for half of the time in which it is known.
  std::optional<double> median_run_ahead_steps, median_run_ahead_ops;
  std::vector<DeviceBusy> devices;  // by device
  std::vector<NameSummary> names;   // by name, then kind
  trace::LossCounts losses;         // of the whole trace
  bool cancelled = false;           // the rest says nothing
};

// A piece of so many rows is some tens of milliseconds of work, and its blocks fit into any store's bound.
inline constexpr std::uint64_t kChunkRows = 1u << 18;

// O(rows in range). `chunk_rows` changes how it is worked out, not what comes out.
[[nodiscard]] SideSummary summarize_side(const trace::Trace& trace, TimeRange range,
                                         const SideProgress& progress = {},
                                         std::uint64_t chunk_rows = kChunkRows);

}  // namespace runahead::analysis
