#include "instrumentation/record/batch_queue.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace runahead::record {
namespace {

template <typename T>
void append(std::vector<T>& from, std::vector<T>& to) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }
}

std::uint64_t key_of(const trace::LaneRows& lane) {
  return std::uint64_t{raw(lane.track)} << 32 | lane.depth;
}
std::uint64_t key_of(const trace::CounterRows& counter) { return raw(counter.track); }

// Appends the rows of `from` to `to`. A batch has one entry for each lane (or counter). If `to` already has
// an entry for the lane, the rows are appended to it. Otherwise the entry of `from` moves to `to`.
template <typename Rows>
void append_by_key(std::vector<Rows>& from, std::vector<Rows>& to) {
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (std::size_t i = 0; i < to.size(); ++i) places.emplace(key_of(to[i]), i);
  for (Rows& rows : from) {
    const auto [place, is_new] = places.try_emplace(key_of(rows), to.size());
    if (is_new) {
      to.push_back(std::move(rows));
    } else {
      append(rows.rows, to[place->second].rows);
    }
  }
}

void merge_definitions(trace::Batch& from, trace::Batch& to) {
  append(from.strings, to.strings);
  append(from.tracks, to.tracks);
  append(from.args, to.args);
  to.open_slices = std::move(from.open_slices);
  to.open_ops = std::move(from.open_ops);
  to.losses.add(from.losses);
  to.watermark = std::max(to.watermark, from.watermark);
}

}  // namespace

void merge_batch(trace::Batch from, trace::Batch& to) {
  append_by_key(from.lanes, to.lanes);
  append_by_key(from.counters, to.counters);
  const auto middle = static_cast<std::ptrdiff_t>(to.instants.size());
  append(from.instants, to.instants);
  std::inplace_merge(to.instants.begin(), to.instants.begin() + middle, to.instants.end(),
                     [](const trace::Instant& a, const trace::Instant& b) { return a.at < b.at; });
  append(from.ops, to.ops);
  append(from.flows, to.flows);
  append(from.dependencies, to.dependencies);
  append(from.allocations, to.allocations);
  merge_definitions(from, to);
}

std::size_t count_rows(const trace::Batch& batch) {
  std::size_t rows = batch.instants.size() + batch.ops.size() + batch.flows.size() +
                     batch.dependencies.size() + batch.allocations.size();
  for (const trace::LaneRows& lane : batch.lanes) rows += lane.rows.size();
  for (const trace::CounterRows& counter : batch.counters) rows += counter.rows.size();
  return rows;
}

std::size_t size_bytes(const trace::Batch& batch) {
  std::size_t bytes =
      sizeof batch + batch.instants.size() * sizeof(trace::Instant) +
      (batch.ops.size() + batch.open_ops.size()) * sizeof(trace::OpRow) +
      batch.flows.size() * sizeof(trace::Flow) + batch.dependencies.size() * sizeof(trace::Dependency) +
      batch.allocations.size() * sizeof(trace::Allocation) +
      batch.open_slices.size() * sizeof(trace::OpenSlice) + batch.tracks.size() * sizeof(trace::TrackInfo);
  for (const trace::LaneRows& lane : batch.lanes)
    bytes += sizeof lane + lane.rows.size() * sizeof(trace::Slice);
  for (const trace::CounterRows& counter : batch.counters) {
    bytes += sizeof counter + counter.rows.size() * sizeof(trace::CounterSample);
  }
  for (const std::string& text : batch.strings) bytes += sizeof text + text.size();
  return bytes;
}

std::size_t BatchQueue::push(trace::Batch batch) {
  const std::size_t bytes = size_bytes(batch);
  const MutexLock lock(mutex_);
  const bool fits = bytes_ + bytes <= max_bytes_;
  if (waiting_.empty() || (fits && waiting_.size() < max_batches_)) {
    bytes_ += bytes;
    waiting_.push_back({std::move(batch), bytes});
    return 0;
  }
  Waiting& last = waiting_.back();
  if (fits) {
    merge_batch(std::move(batch), last.batch);
    last.bytes += bytes;
    bytes_ += bytes;
    return 0;
  }
  const std::size_t dropped = count_rows(batch);
  merge_definitions(batch, last.batch);
  last.batch.losses.add(trace::LossCause::kCollectorBehind, dropped);
  return dropped;
}

std::optional<trace::Batch> BatchQueue::take() {
  const MutexLock lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  std::optional<trace::Batch> first(std::move(waiting_.front().batch));
  bytes_ -= waiting_.front().bytes;
  waiting_.pop_front();
  return first;
}

std::size_t BatchQueue::size() const {
  const MutexLock lock(mutex_);
  return waiting_.size();
}

}  // namespace runahead::record
