#include "instrumentation/trace/columns/slice_lod.h"

#include <algorithm>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

std::int64_t sum(std::int64_t a, std::int64_t b) {  // modulo 2^64: wraps around
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

SliceLod::SliceLod(std::span<const LodBin> bins) {
  bins_.reserve(bins.size() + 1);
  for (const LodBin& bin : bins) {
    Bin& added = bins_.back();
    const std::int64_t busy_ns = sum(added.busy_before_ns, bin.busy_ns);
    added = {ns_from(bin.begin),
             ns_from(bin.end),
             bin.longest_ns,
             added.busy_before_ns,
             {bin.longest_index, bin.longest}};
    bins_.push_back({.busy_before_ns = busy_ns, .longest = {}});
  }
}

SliceLod lod_of(std::span<const SliceBlock::Summary> blocks, std::int64_t busy_ns) {
  std::vector<LodBin> bins;
  for (std::size_t first = 0; first < blocks.size(); first += kLodBlocks) {
    const std::size_t last = std::min(blocks.size(), first + kLodBlocks);
    const std::int64_t busy_until_ns = last < blocks.size() ? blocks[last].busy_before_ns : busy_ns;
    LodBin bin{.begin = blocks[first].begin,
               .end = blocks[last - 1].end,
               .busy_ns = sum(busy_until_ns, -blocks[first].busy_before_ns),
               .longest_ns = -1};
    for (std::size_t i = first; i < last; ++i) {
      if (blocks[i].longest_ns <= bin.longest_ns) continue;
      bin.longest_ns = blocks[i].longest_ns;
      bin.longest_index = static_cast<std::uint32_t>((i - first) * kBlockRows + blocks[i].longest_index);
      bin.longest = blocks[i].longest;
    }
    bins.push_back(bin);
  }
  return SliceLod(bins);
}

LodBin bin_of(std::span<const Slice> rows) {
  LodBin bin{.begin = rows.front().begin, .end = rows.back().end, .longest_ns = -1};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t duration_ns = ns_from(rows[i].duration());
    bin.busy_ns = sum(bin.busy_ns, duration_ns);
    if (duration_ns <= bin.longest_ns) continue;
    bin.longest_ns = duration_ns;
    bin.longest_index = static_cast<std::uint32_t>(i);
  }
  bin.longest = look_of(rows[bin.longest_index]);
  return bin;
}

FineLod::FineLod(std::span<const Slice> rows) {
  RUNAHEAD_CHECK_OP(rows.size(), ==, kBlockRows);
  const Duration cut = (rows.back().end - rows.front().begin) / kCut + Duration{1};
  std::vector<LodBin> bins;
  std::size_t first = 0;
  for (std::size_t i = 1; i <= rows.size(); ++i) {
    const bool ends = i % kRows == 0 || rows[i].begin - rows[i - 1].end >= cut ||
                      rows[i - 1].duration() >= cut || rows[i].duration() >= cut;
    if (!ends) continue;
    first_rows_.push_back(static_cast<std::uint16_t>(first));
    bins.push_back(bin_of(rows.subspan(first, i - first)));
    first = i;
  }
  first_rows_.push_back(kBlockRows);
  first_rows_.shrink_to_fit();
  bins_ = SliceLod(bins);
}

SliceBlock::Summary summary_of(std::span<const Slice> rows) {
  RUNAHEAD_CHECK_OP(rows.size(), ==, kBlockRows);
  const LodBin bin = bin_of(rows);
  SliceBlock::Summary summary{.begin = bin.begin,
                              .last_begin = rows.back().begin,
                              .end = bin.end,
                              .longest_ns = bin.longest_ns,
                              .longest_index = bin.longest_index,
                              .longest = bin.longest};
  for (const Slice& row : rows) summary.kinds |= kinds_of(row.kind);
  return summary;
}

std::shared_ptr<const SliceBlock> pack(std::span<const Slice> rows, std::int64_t busy_before_ns) {
  std::vector<SliceRow> packable;
  packable.reserve(rows.size());
  for (const Slice& slice : rows) {
    packable.push_back({slice, busy_before_ns});
    busy_before_ns = sum(busy_before_ns, ns_from(slice.duration()));
  }
  return std::make_shared<const SliceBlock>(packable);
}

}  // namespace runahead::trace
