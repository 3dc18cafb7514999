// SideSummary: one side of a comparison. It has the figures of a range, the busy time of each device, and the
// durations of the slices of each name. The functions are pure; any thread may call them on a snapshot.
//
// The range is processed in chunks of a few hundred thousand rows. Therefore the rows of a file need not be
// in memory at the same time. The summary needs only the memory of the loaded blocks, which the trace's store
// limits, and the memory of the durations of each name (duration_counts.h).
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

// Called after each chunk with `done` in 0..1. Return false to cancel.
using SideProgress = std::function<bool(double done)>;

struct DeviceBusy {
  std::string device;  // "cpu", "virtual:0"; for tracks without a device the name of their top-level group
  bool simulated = false;
  Duration busy{};  // total time in which the device executed or copied something
};

// The slices with the same name and kind that begin in the range. Slices on queue tracks do not count,
// because they show how long ops exist, from enqueue to end. What a frontend did in steps that a stop
// cancelled does not count either (cancelled_steps()), if the stop is in the range.
struct NameSummary {
  std::string name;
  trace::SliceKind kind{};
  std::int64_t size_bytes = 0;
  DurationHistogram durations;
};

struct SideSummary {
  SegmentFigures figures;  // equal to segment_figures() of the range
  // The medians of the run-ahead over time: in at least half of the time in which the run-ahead is known, it
  // was at most this value.
  std::optional<double> median_run_ahead_steps, median_run_ahead_ops;
  std::vector<DeviceBusy> devices;  // sorted by device
  std::vector<NameSummary> names;   // sorted by name, then kind
  trace::LossCounts losses;         // losses of the whole trace, not only of the range
  bool cancelled = false;           // true: `progress` cancelled the work; the other members are invalid
};

// A chunk of this many rows is processed in tens of milliseconds, so that progress is reported often. Its
// blocks fit into memory, even with the smallest memory limit of the trace's store.
inline constexpr std::uint64_t kChunkRows = 1u << 18;

// O(rows in range). `chunk_rows` does not change the result.
[[nodiscard]] SideSummary summarize_side(const trace::Trace& trace, TimeRange range,
                                         const SideProgress& progress = {},
                                         std::uint64_t chunk_rows = kChunkRows);

// Returns the range of a trace that is compared as a whole with `other`. It is the whole trace. If `other` is
// a predicted timeline, it is what such a timeline shows: from the start of the run to its results. The end
// is exclusive: 1 ns is added, so that a slice of length zero at the end is in the range.
[[nodiscard]] TimeRange whole_side(const trace::Trace& trace, const trace::Trace& other);

// Returns only SideSummary::devices. nullopt: `progress` cancelled the work.
[[nodiscard]] std::optional<std::vector<DeviceBusy>> busy_devices(const trace::Trace& trace, TimeRange range,
                                                                  const SideProgress& progress = {},
                                                                  std::uint64_t chunk_rows = kChunkRows);

}  // namespace runahead::analysis
