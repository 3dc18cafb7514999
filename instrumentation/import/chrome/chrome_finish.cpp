// ChromeImporter::finish(): turns the collected events into the rows of a Trace.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "instrumentation/import/chrome/begin_end.h"
#include "instrumentation/import/chrome/chrome_importer.h"
#include "instrumentation/import/common/nesting.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/trace/rows/cuda_calls.h"

namespace runahead::importers {
using namespace trace;
namespace {

// An asynchronous event has a category and an id. If a category has at most this number of ids, each id has
// its own track. Otherwise all ids of the category share one track.
constexpr std::size_t kMostIdTracks = 32;

template <typename Row>
void sort_by_time(std::vector<Row>& rows) {
  const auto earlier = [](const Row& a, const Row& b) { return a.at < b.at; };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) std::stable_sort(rows.begin(), rows.end(), earlier);
}

std::string device_name(std::int64_t type, std::int64_t id) {
  if (type == 0) return "host";  // numbers of PyTorch's c10::DeviceType: 0 CPU, 1 CUDA
  const std::string kind = type == 1 ? "gpu" : "device type " + std::to_string(type) + ",";
  return kind + " " + std::to_string(id);
}

Timestamp end_or(const Slice& slice, Timestamp last) { return slice.end == kNeverClosed ? last : slice.end; }

}  // namespace

std::uint32_t ChromeImporter::append_slices(TrackId track, std::vector<Slice> slices,
                                            std::uint32_t first_depth) {
  for (Slice& slice : slices) {
    slice.begin -= base_;
    if (slice.end != kNeverClosed) slice.end -= base_;
  }
  NestedSlices nested = nest_slices(track, std::move(slices), last_ - base_);
  losses_.add(LossCause::kUnfinishedSlice, nested.unfinished);
  losses_.add(LossCause::kClockWentBack, nested.backwards);
  skip("row", "slice_too_deep", nested.too_deep);
  const auto depths = static_cast<std::uint32_t>(nested.lanes.size());
  for (LaneRows& lane : nested.lanes) {
    lane.depth += first_depth;
    if (lane.depth >= kMostNestedLanes) {
      skip("row", "slice_too_deep", lane.rows.size());
      continue;
    }
    Batch batch;
    batch.lanes.push_back(std::move(lane));
    trace_.append(std::move(batch));
  }
  return depths;
}

void ChromeImporter::finish_threads() {
  for (ImportedThread& thread : tracks_.threads) {
    if (!thread.used) continue;
    pair_edges(thread.edges, names_, thread.slices, losses_);
    thread.edges = {};
    if (thread.place.does != PlaceMeaning::Does::kUnknown) {
      for (Slice& slice : thread.slices) {
        if (slice.kind == SliceKind::kZone) slice.kind = kind_at(thread.place, names_.text(slice.name));
      }
    }
    for (Slice& slice : thread.slices) {
      const bool call = !own_export_ && slice.kind == SliceKind::kEnqueue && slice.end != kNeverClosed;
      if (call && copy_call_waits(names_.text(slice.name), slice.end - slice.begin))
        slice.kind = SliceKind::kWait;
    }
    append_slices(thread.track, std::exchange(thread.slices, {}), 0);
  }
}

// ---- asynchronous ids -------------------------------------------------------------------------------------

void ChromeImporter::finish_asyncs() {
  std::map<std::pair<std::uint32_t, StringId>, std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < tracks_.asyncs.size(); ++i) {
    groups[{tracks_.asyncs[i].process, tracks_.asyncs[i].category}].push_back(i);
  }
  for (const auto& [of, ids] : groups) finish_async_group(ids);
}

std::vector<Slice> ChromeImporter::slices_of(ImportedAsync& async) {
  std::vector<Slice> slices;
  pair_edges(async.edges, names_, slices, losses_);
  async.edges = {};
  return slices;
}

TrackId ChromeImporter::add_async_track(std::uint32_t process, std::string name) {
  Batch batch;
  batch.tracks.push_back(tracks_.make_async_track(process, std::move(name)));
  const TrackId track = batch.tracks[0].id;
  trace_.append(std::move(batch));
  return track;
}

void ChromeImporter::finish_async_group(const std::vector<std::uint32_t>& ids) {
  const std::string category(names_.text(tracks_.asyncs[ids[0]].category));
  if (ids.size() > kMostIdTracks) {
    const TrackId track = add_async_track(tracks_.asyncs[ids[0]].process, category);
    return lay_side_by_side(ids, track);
  }
  for (const std::uint32_t i : ids) {
    ImportedAsync& async = tracks_.asyncs[i];
    // If the category has only one id, the track's name is the category without the id.
    const std::string id = ids.size() == 1 ? "" : (category.empty() ? "" : " ") + tracks_.key_text(async.id);
    async.track = add_async_track(async.process, category + id);
    append_slices(async.track, slices_of(async), 0);
  }
}

// Puts many ids on one track. Ids that do not overlap in time form a strand and use the same lanes. Each
// strand has its own lanes.
void ChromeImporter::lay_side_by_side(const std::vector<std::uint32_t>& ids, TrackId track) {
  struct Span {
    Timestamp begin = Timestamp::max(), end = Timestamp::min();
    std::vector<Slice> slices;
  };
  std::vector<Span> spans;
  for (const std::uint32_t i : ids) {
    tracks_.asyncs[i].track = track;
    Span span;
    span.slices = slices_of(tracks_.asyncs[i]);
    for (const Slice& slice : span.slices) {
      span.begin = std::min(span.begin, slice.begin);
      span.end = std::max(span.end, std::max(slice.begin, end_or(slice, last_)));
    }
    if (!span.slices.empty()) spans.push_back(std::move(span));
  }
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<std::vector<Slice>> strands;
  // For each strand: the time at which its last slice ends, and its index. Sorted by time, then by index.
  std::set<std::pair<Timestamp, std::size_t>> free_at;
  for (Span& span : spans) {
    std::size_t strand = strands.size();
    if (!free_at.empty() && free_at.begin()->first <= span.begin) {
      strand = free_at.begin()->second;
      free_at.erase(free_at.begin());
    } else {
      strands.emplace_back();
    }
    free_at.insert({span.end, strand});
    strands[strand].insert(strands[strand].end(), span.slices.begin(), span.slices.end());
  }
  std::uint32_t depth = 0;
  for (std::vector<Slice>& strand : strands) depth += append_slices(track, std::move(strand), depth);
}

// ---- the rest ---------------------------------------------------------------------------------------------

// Makes the allocator's counters: allocated and reserved bytes over time. Older files do not state these
// totals: an event states only how many bytes one call allocated or freed. For such a file, the counter is
// the sum of these bytes since the start of the file.
void ChromeImporter::finish_memory() {
  if (own_export_) memory_.clear();
  for (auto& [key, samples] : memory_) {
    const auto& [process, type, id] = key;
    sort_by_time(samples);
    const std::string device = device_name(type, id);
    const bool totals = std::any_of(samples.begin(), samples.end(), [](const MemorySample& sample) {
      return sample.memory.live_bytes.has_value();
    });
    ImportedCounter live{process, device + (totals ? " allocated" : " allocated since the start"),
                         Unit::kBytes, CounterRole::kLiveBytes};
    ImportedCounter reserved{process, device + " reserved", Unit::kBytes, CounterRole::kReservedBytes};
    double sum = 0;
    for (const MemorySample& sample : samples) {
      sum = sample.memory.live_bytes.value_or(totals ? sum
                                                     : sum + static_cast<double>(sample.memory.size_bytes));
      live.samples.push_back({sample.at, sum});
      if (sample.memory.reserved_bytes)
        reserved.samples.push_back({sample.at, *sample.memory.reserved_bytes});
    }
    pair_blocks(samples, tracks_.add_counter(std::move(live)));
    if (!reserved.samples.empty()) tracks_.add_counter(std::move(reserved));
  }
  memory_.clear();
}

// A free at an address ends the last allocation at that address.
void ChromeImporter::pair_blocks(const std::vector<MemorySample>& samples, std::uint32_t counter) {
  std::unordered_map<std::int64_t, std::size_t> held;  // key: address; value: index in allocations_
  for (const MemorySample& sample : samples) {
    const std::int64_t size_bytes = sample.memory.size_bytes;
    if (!sample.memory.address || size_bytes == 0 || size_bytes > recordings::kMaxSizeBytes ||
        size_bytes < -recordings::kMaxSizeBytes)
      continue;
    const auto found = held.find(*sample.memory.address);
    if (found != held.end()) {
      allocations_[found->second].row.end = sample.at;
      if (size_bytes > 0) allocations_[found->second].row.flags |= kAllocationEndUnseen;
      held.erase(found);
      if (size_bytes < 0) continue;
    }
    LateAllocation late{.counter = counter, .thread = sample.thread};
    late.row = {.block = allocations_.size() + 1, .size_bytes = size_bytes, .begin = sample.at};
    if (size_bytes > 0) {
      held.emplace(*sample.memory.address, allocations_.size());
    } else {
      late.row.size_bytes = -size_bytes;
      late.row.begin = first_;
      late.row.end = sample.at;
      late.row.flags = kAllocationBeganBefore;
    }
    allocations_.push_back(late);
  }
}

// Returns the name of the op that caused an allocation. This is the innermost slice of the thread at the time
// `at` that does more than allocate memory. If all slices there only allocate memory, returns the name of the
// innermost slice.
StringId ChromeImporter::allocating_op(TrackId thread, Timestamp at) const {
  constexpr std::string_view kTaking[] = {"aten::empty", "aten::new_empty", "aten::resize", "cudaMalloc"};
  const Track& track = trace_.track(thread);
  StringId innermost{};
  for (std::size_t depth = track.lanes.size(); depth-- > 0;) {
    const Lane& lane = track.lanes[depth];
    const std::uint64_t row = lane.first_row_ending_after(at);
    if (row == lane.end_row() || lane.begin(row) > at) continue;
    const StringId name = lane.slice(row).name;
    if (innermost == StringId{}) innermost = name;
    const std::string_view words = trace_.string(name);
    if (std::ranges::none_of(kTaking, [&](std::string_view word) { return words.starts_with(word); }))
      return name;
  }
  return innermost;
}

void ChromeImporter::finish_allocations() {
  Batch batch;
  batch.allocations.reserve(allocations_.size());
  for (LateAllocation& late : allocations_) {
    Allocation& row = late.row;
    row.counter = tracks_.counters[late.counter].track;
    row.begin -= base_;
    if (row.end != kNever) row.end -= base_;
    if ((row.flags & kAllocationBeganBefore) == 0)
      row.name = allocating_op(tracks_.threads[late.thread].track, row.begin);
    batch.allocations.push_back(row);
  }
  allocations_ = {};
  trace_.append(std::move(batch));
}

void ChromeImporter::finish_counters() {
  for (ImportedCounter& counter : tracks_.counters) {
    sort_by_time(counter.samples);
    for (CounterSample& sample : counter.samples) sample.at -= base_;
    Batch batch;
    batch.counters.push_back({counter.track, std::exchange(counter.samples, {})});
    trace_.append(std::move(batch));
  }
}

void ChromeImporter::finish_instants() {
  Batch batch;
  batch.instants.reserve(points_.size());
  for (const Point& point : points_) {
    Instant instant = point.instant;
    instant.at -= base_;
    instant.track = point.of == Point::Of::kThread ? tracks_.threads[point.index].track
                                                   : tracks_.asyncs[point.index].track;
    batch.instants.push_back(instant);
  }
  points_ = {};
  sort_by_time(batch.instants);
  trace_.append(std::move(batch));
}

void ChromeImporter::finish_flows() {
  std::vector<FlowPoint> points;
  points.reserve(flows_.size());
  for (LateFlow& flow : flows_) {
    flow.point.track = tracks_.threads[flow.thread].track;
    flow.point.at -= base_;
    points.push_back(flow.point);
  }
  flows_ = {};
  Batch batch;
  batch.flows = match_flows(trace_, std::move(points), losses_);
  trace_.append(std::move(batch));
}

// ---- times ------------------------------------------------------------------------------------------------

template <typename Visit>
void ChromeImporter::each_list(Visit visit) {
  const auto at = [](const auto& row) { return row.at; };
  for (ImportedThread& thread : tracks_.threads) {
    visit(thread.slices, [](const Slice& slice) { return slice.begin; });
    visit(thread.edges, at);
  }
  for (ImportedAsync& async : tracks_.asyncs) visit(async.edges, at);
  for (ImportedCounter& counter : tracks_.counters) visit(counter.samples, at);
  visit(points_, [](const Point& point) { return point.instant.at; });
  visit(flows_, [](const LateFlow& flow) { return flow.point.at; });
}

// The time range of a recording has a limit (kMaxTimeNs). There are two candidates: the range that starts at
// the first row, and the range that ends at the last row. Returns the candidate that contains more rows.
TimeRange ChromeImporter::nearest_times() {
  constexpr Duration kReach{recordings::kMaxTimeNs};
  Timestamp last = first_;  // the latest begin of a row; slices may end later
  each_list([&](const auto& rows, auto time) {
    for (const auto& row : rows) last = std::max(last, time(row));
  });
  std::uint64_t near_first = 0, near_last = 0;
  each_list([&](const auto& rows, auto time) {
    for (const auto& row : rows) {
      near_first += time(row) - first_ <= kReach ? 1 : 0;
      near_last += last - time(row) <= kReach ? 1 : 0;
    }
  });
  return near_first >= near_last ? TimeRange{first_, first_ + kReach} : TimeRange{last - kReach, last};
}

void ChromeImporter::drop_distant() {
  if (last_ - first_ <= Duration{recordings::kMaxTimeNs}) return;
  const TimeRange kept = nearest_times();
  const auto is_distant = [&kept](Timestamp t) { return t < kept.begin || t > kept.end; };
  first_ = Timestamp::max();
  last_ = Timestamp::min();
  each_list([&](auto& rows, auto time) {
    const auto gone = std::erase_if(rows, [&](const auto& row) { return is_distant(time(row)); });
    losses_.add(LossCause::kImportBroken, gone);
    for (const auto& row : rows) see(time(row), time(row));
  });
  // These samples are dropped without counting: each sample is also an instant, and the code above already
  // counted this instant.
  for (auto& [key, samples] : memory_)
    std::erase_if(samples, [&](const MemorySample& sample) { return is_distant(sample.at); });
  for (ImportedThread& thread : tracks_.threads) {
    for (Slice& slice : thread.slices) {
      if (slice.end > kept.begin + Duration{recordings::kMaxTimeNs}) slice.end = kNeverClosed;
      if (slice.end != kNeverClosed) see(slice.begin, std::max(slice.begin, slice.end));
    }
  }
}

void ChromeImporter::finish() {
  if (first_ > last_) first_ = last_ = Timestamp{};
  drop_distant();
  base_ = first_.time_since_epoch();
  finish_memory();
  names_.flush();
  if (!own_export_) tracks_.find_places();
  Batch tracks;
  tracks.tracks = tracks_.make_tracks();
  trace_.append(std::move(tracks));
  finish_threads();
  finish_asyncs();
  // Pairing made new argument sets: each contains the arguments of a begin and of its end.
  names_.flush();
  finish_counters();
  finish_allocations();
  finish_instants();
  finish_flows();
  skipped_.add_to(trace_);
  Batch end;
  end.losses = losses_;
  end.watermark = last_ - base_;
  trace_.append(std::move(end));
}

}  // namespace runahead::importers
