#include "instrumentation/recording/gathered_rows.h"

#include <algorithm>
#include <utility>

namespace runahead::recordings {
using namespace trace;
namespace {

// Estimated size of a packed row: enough to decide when to write a block.
constexpr std::size_t kRowBytes = 8;

template <typename T>
void extend(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void GatheredRows::add(const Batch& batch) {
  anything_new_ = anything_new_ || batch.has_rows() || batch.watermark > rows_.watermark;
  for (const std::string& text : batch.strings) size_bytes_ += text.size() + 1;
  extend(rows_.strings, batch.strings);
  extend(rows_.tracks, batch.tracks);
  extend(rows_.args, batch.args);
  for (const LaneRows& lane : batch.lanes) add_lane(lane);
  for (const CounterRows& counter : batch.counters) add_counter(counter);
  extend(rows_.instants, batch.instants);
  extend(rows_.ops, batch.ops);
  extend(rows_.flows, batch.flows);
  extend(rows_.dependencies, batch.dependencies);
  extend(rows_.allocations, batch.allocations);
  const std::size_t single =
      batch.instants.size() + batch.flows.size() + batch.dependencies.size() + batch.allocations.size();
  const std::size_t others = single + 2 * batch.ops.size();
  row_count_ += single + batch.ops.size();
  size_bytes_ += (others + batch.args.size() + 4 * batch.tracks.size()) * kRowBytes;
  rows_.open_slices = batch.open_slices;
  rows_.open_ops = batch.open_ops;
  rows_.losses.add(batch.losses);
  rows_.watermark = std::max(rows_.watermark, batch.watermark);
}

void GatheredRows::add(Batch&& batch) {
  anything_new_ = anything_new_ || batch.has_rows();
  for (LaneRows& lane : batch.lanes) add_lane(std::move(lane));
  batch.lanes.clear();
  add(std::as_const(batch));
}

template <typename Lane>
void GatheredRows::add_lane(Lane&& lane) {
  if (lane.rows.empty()) return;
  row_count_ += lane.rows.size();
  size_bytes_ += lane.rows.size() * kRowBytes;
  const std::uint64_t key = static_cast<std::uint64_t>(raw(lane.track)) << 32 | lane.depth;
  const auto [place, is_new] = lane_index_.try_emplace(key, rows_.lanes.size());
  if (is_new)
    rows_.lanes.push_back(std::forward<Lane>(lane));
  else
    extend(rows_.lanes[place->second].rows, lane.rows);
}

void GatheredRows::add_counter(const CounterRows& counter) {
  if (counter.rows.empty()) return;
  const auto [place, is_new] = counter_index_.try_emplace(raw(counter.track), rows_.counters.size());
  if (is_new) rows_.counters.push_back({counter.track, {}});
  extend(rows_.counters[place->second].rows, counter.rows);
  row_count_ += counter.rows.size();
  size_bytes_ += counter.rows.size() * kRowBytes;
}

void GatheredRows::close_open_slices() {
  for (const OpenSlice& open : rows_.open_slices) {
    LaneRows lane{open.track, open.depth, {open.slice}};
    lane.rows[0].end = std::max(open.slice.begin, rows_.watermark);
    lane.rows[0].flags |= kSliceUnfinished;
    add_lane(std::move(lane));
    anything_new_ = true;
  }
  rows_.open_slices.clear();
}

void GatheredRows::sort_instants() {
  std::stable_sort(rows_.instants.begin(), rows_.instants.end(),
                   [](const Instant& a, const Instant& b) { return a.at < b.at; });
}

void GatheredRows::hold_young_instants() {
  // Few instants are later than the watermark: those that were recorded while the collector drained one
  // thread after another. A source without watermarks may have more such instants. But such a source delivers
  // sorted rows, so the limit does no harm.
  constexpr std::ptrdiff_t kMostHeld = 8192;
  std::vector<Instant>& all = rows_.instants;
  const auto young = std::lower_bound(all.begin(), all.end(), rows_.watermark,
                                      [](const Instant& instant, Timestamp t) { return instant.at < t; });
  const auto first = std::max(young, all.end() - std::min(kMostHeld, std::ssize(all)));
  held_.assign(first, all.end());
  all.erase(first, all.end());
}

Batch GatheredRows::take() {
  Batch taken = std::exchange(rows_, Batch{});
  rows_.open_slices = taken.open_slices;
  rows_.open_ops = taken.open_ops;
  rows_.watermark = taken.watermark;
  clear();
  return taken;
}

void GatheredRows::clear() {
  Batch kept;
  kept.open_slices = std::move(rows_.open_slices);
  kept.open_ops = std::move(rows_.open_ops);
  kept.watermark = rows_.watermark;
  rows_ = std::move(kept);
  lane_index_.clear();
  counter_index_.clear();
  rows_.instants = std::exchange(held_, {});
  row_count_ = rows_.instants.size();
  size_bytes_ = row_count_ * kRowBytes;
  anything_new_ = !rows_.instants.empty();
}

}  // namespace runahead::recordings
