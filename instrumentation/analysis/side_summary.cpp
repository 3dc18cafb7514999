#include "instrumentation/analysis/side_summary.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "instrumentation/analysis/busy_time.h"
#include "instrumentation/analysis/duration_counts.h"
#include "instrumentation/analysis/parts/last_steps.h"
#include "instrumentation/analysis/parts/parts_of_run.h"
#include "instrumentation/analysis/slices_of_kinds.h"
#include "instrumentation/trace/lane_reader.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::analysis {
namespace {

using trace::CounterRole;
using trace::kinds_of;
using trace::Lane;
using trace::OpenSlice;
using trace::Slice;
using trace::SliceKind;
using trace::Trace;
using trace::Track;
using trace::TrackKind;

// ---- chunks -----------------------------------------------------------------------------------------------

std::uint64_t rows_beginning_in(const Trace& trace, TimeRange range) {
  std::uint64_t rows = 0;
  for (const Track& track : trace.tracks()) {
    if (track.info.kind == TrackKind::kQueue) continue;
    for (const Lane& lane : track.lanes) {
      const std::uint64_t first = lane.first_row_beginning_from(range.begin);
      rows += lane.first_row_beginning_from(range.end, first) - first;
    }
  }
  return rows;
}

// Splits `range` into chunks (consecutive ranges) of at most `most_rows` rows, and calls `see` for each
// chunk. Only a chunk of 1 ns may have more rows. Stops and returns false if `see` returns false.
bool each_chunk(const Trace& trace, TimeRange range, std::uint64_t most_rows,
                const std::function<bool(TimeRange, std::uint64_t rows)>& see) {
  const std::uint64_t rows = rows_beginning_in(trace, range);
  if (rows <= most_rows || range.duration() <= Duration{1}) return see(range, rows);
  const Timestamp middle = range.begin + range.duration() / 2;
  return each_chunk(trace, {range.begin, middle}, most_rows, see) &&
         each_chunk(trace, {middle, range.end}, most_rows, see);
}

// Calls `add` with each chunk of `range`. Calls `progress` after each chunk. Returns false if `progress`
// cancelled the work.
bool add_chunks(const Trace& trace, TimeRange range, std::uint64_t chunk_rows, const SideProgress& progress,
                const std::function<void(TimeRange)>& add) {
  const double rows = static_cast<double>(std::max<std::uint64_t>(1, rows_beginning_in(trace, range)));
  std::uint64_t done = 0;
  return each_chunk(trace, range, chunk_rows, [&](TimeRange chunk, std::uint64_t rows_here) {
    add(chunk);
    done += rows_here;
    return !progress || progress(static_cast<double>(done) / rows);
  });
}

// ---- devices ----------------------------------------------------------------------------------------------

struct Device {
  DeviceBusy busy;
  std::vector<TrackId> tracks;
  std::vector<const Lane*> lanes;
};

std::string device_of(const Trace& trace, const Track& track) {
  if (!track.info.device.empty()) return track.info.device;
  const Track* root = &track;
  while (root->info.parent != kNoTrack) root = &trace.track(root->info.parent);
  return root->info.name;
}

// Returns the devices on which ops run, with their worker and stream tracks.
std::vector<Device> devices_of(const Trace& trace) {
  std::map<std::string, Device> by_name;
  for (const Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kWorker && track.info.kind != TrackKind::kStream) continue;
    const std::string name = device_of(trace, track);
    Device& device = by_name[name];
    device.busy.device = name;
    device.busy.simulated = device.busy.simulated || track.info.simulated;
    device.tracks.push_back(track.info.id);
    for (const Lane& lane : track.lanes) device.lanes.push_back(&lane);
  }
  std::vector<Device> devices;
  for (auto& [name, device] : by_name) devices.push_back(std::move(device));
  return devices;
}

void add_busy(const Trace& trace, Device& device, TimeRange range) {
  Ranges busy = busy_ranges(device.lanes, kDeviceWork, range);
  for (const OpenSlice& open : trace.open_slices()) {
    if (std::ranges::find(device.tracks, open.track) == device.tracks.end()) continue;
    if ((kinds_of(open.slice.kind) & kDeviceWork) == 0) continue;
    add_range(busy, {std::max(open.slice.begin, range.begin), std::min(trace.watermark(), range.end)});
  }
  device.busy.busy += total(busy);
}

std::vector<DeviceBusy> busy_of(const std::vector<Device>& devices) {
  std::vector<DeviceBusy> out;
  for (const Device& device : devices) out.push_back(device.busy);
  return out;
}

// ---- names ------------------------------------------------------------------------------------------------

class Names {
 public:
  explicit Names(const Trace& trace) : trace_(trace) {}

  void gather(const Lane& lane, TimeRange range) {
    std::uint64_t row = lane.first_row_beginning_from(range.begin);
    const std::uint64_t last = lane.first_row_beginning_from(range.end, row);
    trace::LaneReader reader(lane);
    for (; row < last; ++row) {
      const Slice slice = reader.slice(row);
      Gathered& gathered = of(slice.name, slice.kind);
      gathered.durations.add(slice.duration());
      gathered.size_bytes += slice.size_bytes;
    }
  }

  [[nodiscard]] std::vector<NameSummary> summaries() const {
    std::vector<NameSummary> out;
    for (const auto& [key, index] : by_text_) {
      const Gathered& gathered = gathered_[index];
      out.push_back(
          {std::string(key.first), key.second, gathered.size_bytes, gathered.durations.histogram()});
    }
    return out;
  }

 private:
  struct Gathered {
    DurationCounts durations;
    std::int64_t size_bytes = 0;
  };

  // Returns the entry for a name. In a merged trace, two StringIds may have the same text; they share one
  // entry.
  Gathered& of(StringId name, SliceKind kind) {
    const std::uint64_t key = std::uint64_t{raw(name)} << 8 | static_cast<std::uint64_t>(kind);
    if (const auto known = by_id_.find(key); known != by_id_.end()) return gathered_[known->second];
    const auto [at, fresh] = by_text_.try_emplace({trace_.string(name), kind}, gathered_.size());
    if (fresh) gathered_.emplace_back();
    by_id_.emplace(key, at->second);
    return gathered_[at->second];
  }

  const Trace& trace_;
  std::vector<Gathered> gathered_;
  std::map<std::pair<std::string_view, SliceKind>, std::size_t> by_text_;
  std::unordered_map<std::uint64_t, std::size_t> by_id_;
};

// ---- run-ahead --------------------------------------------------------------------------------------------

// Reads the samples of one counter in time order. `value` is the current value; `upcoming` is the next
// sample.
struct Steps {
  trace::CounterReader reader;
  std::uint64_t next = 0, end = 0;
  std::optional<double> value;
  std::optional<trace::CounterSample> upcoming;

  Steps(const trace::CounterSeries& series, TimeRange range)
      : reader(series),
        next(series.first_row_from(range.begin)),
        end(series.first_row_from(range.end, next)),
        value(series.value_at(range.begin - Duration{1})) {
    look();
  }
  void look() { upcoming = next < end ? std::optional(reader.sample(next)) : std::nullopt; }
  void take() {
    value = upcoming->value;
    ++next;
    look();
  }
};

// Adds up all counters with this role, and returns the median over time of the sum. nullopt: none of these
// counters has a value in the range.
std::optional<double> median_over_time(const Trace& trace, CounterRole role, TimeRange range) {
  std::vector<Steps> all;
  for (const Track& track : trace.tracks()) {
    const bool counts = track.info.kind == TrackKind::kCounter && track.info.role == role;
    if (counts && !track.counter.empty()) all.emplace_back(track.counter, range);
  }
  std::unordered_map<double, std::int64_t> ns_at;  // key: value
  Timestamp at = range.begin;
  while (at < range.end) {
    Timestamp until = range.end;
    for (const Steps& steps : all) {
      if (steps.upcoming) until = std::min(until, steps.upcoming->at);
    }
    double sum = 0;
    bool known = false;
    for (const Steps& steps : all) {
      known = known || steps.value;
      sum += steps.value.value_or(0);
    }
    if (known && until > at) ns_at[sum] += ns_from(until - at);
    at = std::max(at, until);
    for (Steps& steps : all) {
      while (steps.upcoming && steps.upcoming->at <= at) steps.take();
    }
  }
  std::vector<std::pair<double, std::int64_t>> values(ns_at.begin(), ns_at.end());
  std::ranges::sort(values);
  std::int64_t whole_ns = 0, so_far_ns = 0;
  for (const auto& [value, ns] : values) whole_ns += ns;
  for (const auto& [value, ns] : values) {
    so_far_ns += ns;
    if (2 * so_far_ns >= whole_ns) return value;
  }
  return std::nullopt;
}

// Counts the frontends of the whole range, because the figures of each chunk count only the frontends that
// have a slice in this chunk.
void set_frontends(const Trace& trace, SegmentFigures& figures) {
  figures.frontends = frontends_in(trace, figures.range);
  set_ratios(figures);
}

// The counter of finished steps also counts those that a stop cancelled.
void leave_out_cancelled(const CancelledSteps& cancelled, SegmentFigures& figures) {
  figures.steps = std::max(0.0, figures.steps - static_cast<double>(cancelled.steps));
}

// None if the stop is not in the range.
CancelledSteps cancelled_within(const Trace& trace, TimeRange range) {
  const CancelledSteps out = cancelled_steps(trace, range);
  return out.at < range.end ? out : CancelledSteps{};
}

bool is_predicted(const Trace& trace) { return trace.metadata().contains("prediction"); }

}  // namespace

SideSummary summarize_side(const Trace& trace, TimeRange range, const SideProgress& progress,
                           std::uint64_t chunk_rows) {
  SideSummary out;
  out.losses = trace.losses();
  out.figures.range = range;
  if (range.empty()) return out;
  out.figures.range.end = range.begin;
  std::vector<Device> devices = devices_of(trace);
  Names names(trace);
  const CancelledSteps cancelled = cancelled_within(trace, range);
  out.cancelled = !add_chunks(trace, range, chunk_rows, progress, [&](TimeRange chunk) {
    add_segment(out.figures, segment_figures(trace, chunk));
    for (Device& device : devices) add_busy(trace, device, chunk);
    for (const Track& track : trace.tracks()) {
      if (track.info.kind == TrackKind::kQueue) continue;
      TimeRange counted = chunk;
      if (track.info.kind == TrackKind::kFrontend) counted.end = std::min(chunk.end, cancelled.begin);
      if (counted.empty()) continue;
      for (const Lane& lane : track.lanes) names.gather(lane, counted);
    }
  });
  if (out.cancelled) return out;
  leave_out_cancelled(cancelled, out.figures);
  set_frontends(trace, out.figures);
  out.median_run_ahead_steps = median_over_time(trace, CounterRole::kRunAheadSteps, range);
  out.median_run_ahead_ops = median_over_time(trace, CounterRole::kRunAheadOps, range);
  out.devices = busy_of(devices);
  out.names = names.summaries();
  out.losses = trace.losses();  // read again, because damaged blocks may have been found meanwhile
  return out;
}

TimeRange whole_side(const Trace& trace, const Trace& other) {
  TimeRange out = trace.extent();
  if (out.empty()) return out;
  out.end += Duration{1};
  if (!is_predicted(other) || is_predicted(trace)) return out;
  for (const BarrierChange& change : barrier_changes(trace)) {
    if (is_start(change)) out.begin = change.at;
  }
  for (const PartOfRun& part : parts_of_run(trace)) {
    if (part.name == trace::kResultsPart && part.range.begin > out.begin)
      out.end = std::min(out.end, part.range.begin);
  }
  return out;
}

std::optional<std::vector<DeviceBusy>> busy_devices(const Trace& trace, TimeRange range,
                                                    const SideProgress& progress, std::uint64_t chunk_rows) {
  std::vector<Device> devices = devices_of(trace);
  if (range.empty()) return busy_of(devices);
  const bool complete = add_chunks(trace, range, chunk_rows, progress, [&](TimeRange chunk) {
    for (Device& device : devices) add_busy(trace, device, chunk);
  });
  if (!complete) return std::nullopt;
  return busy_of(devices);
}

}  // namespace runahead::analysis
