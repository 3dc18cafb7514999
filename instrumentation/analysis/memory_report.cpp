#include "instrumentation/analysis/memory_report.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "instrumentation/trace/allocation_table.h"

namespace runahead::analysis {
namespace {

using trace::Allocation;
using trace::CounterRole;

// Collects the blocks that are live at a given time. A block with a long life has two rows: a row without an
// end, written soon after the allocation, and a complete row, written after the free (see trace::Allocation).
// The complete row replaces the row without an end.
class LiveBlocks {
 public:
  LiveBlocks(TrackId counter, Timestamp at) : counter_(counter), at_(at) {}

  void add(const Allocation& row) {
    if (row.counter != counter_) return;
    any_ = true;
    if (row.begin > at_) return;
    if (row.end == trace::kNever) {
      open_[row.block] = row;
      return;
    }
    if (!open_.empty()) open_.erase(row.block);
    if (row.end > at_) live_.push_back(row);
  }
  [[nodiscard]] bool any() const { return any_; }
  // Returns the allocations of the live blocks, in the order in which the blocks were allocated.
  [[nodiscard]] std::vector<Allocation> take() {
    for (const auto& [number, row] : open_) live_.push_back(row);
    open_.clear();
    std::ranges::sort(live_, [](const Allocation& a, const Allocation& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.block < b.block;
    });
    return std::move(live_);
  }

 private:
  const TrackId counter_;
  const Timestamp at_;
  bool any_ = false;
  std::vector<Allocation> live_;
  std::unordered_map<std::uint64_t, Allocation> open_;  // key: block number
};

// The sum may overflow if the file is damaged, so it wraps around.
void add_bytes(std::int64_t& to, std::int64_t bytes) {
  to = static_cast<std::int64_t>(static_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(bytes));
}

void add_holders(const trace::Trace& trace, const std::vector<Allocation>& held, MemoryReport& out) {
  struct Group {
    MemoryHolder holder;
    std::int64_t largest_bytes = -1;
  };
  std::map<std::pair<StringId, StringId>, Group> groups;
  std::map<StringId, MemoryShare> shares;
  for (const Allocation& row : held) {
    auto& [holder, largest_bytes] = groups[{row.name, row.category}];
    if (holder.blocks == 0) {
      holder.op = trace.string(row.name);
      holder.category = trace.string(row.category);
      holder.since = row.begin;
      holder.oldest = row.op;
    }
    if (row.size_bytes > largest_bytes) {
      largest_bytes = row.size_bytes;
      holder.largest = row.op;
      holder.largest_since = row.begin;
    }
    add_bytes(holder.bytes, row.size_bytes);
    ++holder.blocks;
    MemoryShare& share = shares[row.category];
    share.category = trace.string(row.category);
    add_bytes(share.bytes, row.size_bytes);
    ++share.blocks;
    add_bytes(out.named_bytes, row.size_bytes);
  }
  out.blocks = held.size();
  for (auto& [key, group] : groups) out.holders.push_back(std::move(group.holder));
  for (auto& [category, share] : shares) out.by_category.push_back(std::move(share));
}

// Returns the category whose bytes a counter shows: "activations" for the counter "activations virtual:0" of
// device virtual:0.
std::string category_of(const trace::TrackInfo& counter) {
  const std::string suffix = " " + counter.device;
  std::string name = counter.name;
  if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  return name;
}

void add_counted_shares(const trace::Trace& trace, const std::string& device, MemoryReport& out) {
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.role != CounterRole::kCategoryBytes || track.info.device != device) continue;
    const std::optional<double> bytes = track.counter.value_at(out.at);
    if (!bytes || *bytes <= 0) continue;
    out.by_category.push_back(
        {.category = category_of(track.info), .bytes = static_cast<std::int64_t>(*bytes)});
  }
}

template <typename Row>
void most_bytes_first(std::vector<Row>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater{}, &Row::bytes);
}

}  // namespace

std::vector<TrackId> memory_counters(const trace::Trace& trace) {
  std::vector<TrackId> counters;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.role == CounterRole::kLiveBytes && !track.counter.empty())
      counters.push_back(track.info.id);
  }
  return counters;
}

std::optional<MemoryPeak> memory_peak(const trace::CounterSeries& counter, TimeRange range) {
  const auto extremes = counter.extremes(range);
  if (!extremes) return std::nullopt;
  MemoryPeak peak{range.begin, extremes->max};
  if (counter.value_at(range.begin) == peak.bytes) return peak;
  std::uint64_t first = counter.first_row_from(range.begin);
  std::uint64_t last = counter.first_row_from(range.end, first);
  const auto reached = [&](std::uint64_t from, std::uint64_t to) {
    const auto part = counter.extremes_of_rows(from, to);
    return part && part->max == peak.bytes;
  };
  while (last - first > 1) {
    const std::uint64_t middle = first + (last - first) / 2;
    (reached(first, middle) ? last : first) = middle;
  }
  if (first < last) peak.at = counter.sample(first).at;
  return peak;
}

MemoryReport memory_report(const trace::Trace& trace, TrackId counter, Timestamp at) {
  const trace::Track& track = trace.track(counter);
  MemoryReport out{.counter = counter, .at = at, .counted = track.counter.value_at(at)};
  LiveBlocks blocks(counter, at);
  trace.allocations().each(at, [&](const Allocation& row) { blocks.add(row); });
  out.lifetimes = blocks.any();
  std::vector<Allocation> held = blocks.take();
  add_holders(trace, held, out);
  if (!out.lifetimes) add_counted_shares(trace, track.info.device, out);
  most_bytes_first(out.holders);
  most_bytes_first(out.by_category);
  std::ranges::stable_sort(held, std::ranges::greater{}, &Allocation::size_bytes);
  held.resize(std::min(held.size(), kLargestBlocks));
  out.largest = std::move(held);
  return out;
}

}  // namespace runahead::analysis
