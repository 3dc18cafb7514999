#include "instrumentation/analysis/timeline/found_rows.h"

#include <algorithm>
#include <bit>

#include "instrumentation/base/check.h"

namespace runahead::analysis {
namespace {

constexpr std::uint64_t kBitsOfCount = 9, kCountMask = (1u << kBitsOfCount) - 1;
constexpr std::uint64_t kOneInEachCount = 1 | 1ull << 9 | 1ull << 18 | 1ull << 27 | 1ull << 36;

}  // namespace

void RowSet::add(std::uint64_t row) {
  if (size_ == 0) first_ = row;
  const std::uint64_t line = (row - first_) / kLineRows, bit = (row - first_) % kLineRows;
  while (lines_.size() <= line) lines_.push_back({.before = size_});
  lines_[line].words[bit / 64] |= std::uint64_t{1} << bit % 64;
  // The row counts for each word after its own.
  const std::uint64_t skipped = kBitsOfCount * (bit / 64);
  lines_[line].before_words += kOneInEachCount >> skipped << skipped;
  ++size_;
}

std::uint64_t RowSet::before(std::uint64_t row) const {
  if (row <= first_) return 0;
  const std::uint64_t index = (row - first_) / kLineRows, bit = (row - first_) % kLineRows;
  if (index >= lines_.size()) return size_;
  const Line& line = lines_[index];
  const std::uint64_t word = bit / 64;
  const std::uint64_t in_words = word == 0 ? 0 : line.before_words >> kBitsOfCount * (word - 1) & kCountMask;
  const std::uint64_t below = (std::uint64_t{1} << bit % 64) - 1;
  return line.before + in_words + static_cast<std::uint64_t>(std::popcount(line.words[word] & below));
}

FoundRows::FoundRows(const trace::Trace& trace) {
  for (const trace::Track& track : trace.tracks()) {
    std::vector<LaneRows>& lanes = lanes_.emplace_back();
    for (const trace::Lane& lane : track.lanes) lanes.push_back({.end = lane.end_row()});
  }
}

void FoundRows::add(TrackId track, std::uint32_t depth, std::uint64_t row) {
  LaneRows& lane = lanes_[raw(track)][depth];
  RUNAHEAD_CHECK(row < lane.end);
  lane.found.add(row);
}

std::optional<std::uint64_t> FoundRows::count(TrackId track, std::uint32_t depth, std::uint64_t first,
                                              std::uint64_t last) const {
  if (raw(track) >= lanes_.size() || depth >= lanes_[raw(track)].size()) return std::nullopt;
  const LaneRows& lane = lanes_[raw(track)][depth];
  if (last > lane.end) return std::nullopt;
  return lane.found.count(first, last);
}

std::size_t FoundRows::size_bytes() const {
  std::size_t bytes = 0;
  for (const auto& lanes : lanes_) {
    for (const LaneRows& lane : lanes) bytes += sizeof(LaneRows) + lane.found.size_bytes();
  }
  return bytes;
}

}  // namespace runahead::analysis
