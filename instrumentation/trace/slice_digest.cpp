#include "instrumentation/trace/slice_digest.h"

#include <algorithm>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

std::int64_t sum(std::int64_t a, std::int64_t b) {  // wraps rather than overflows
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

SliceDigest::SliceDigest(std::span<const SliceCell> cells) {
  cells_.reserve(cells.size() + 1);
  for (const SliceCell& cell : cells) {
    Cell& added = cells_.back();
    const std::int64_t busy_ns = sum(added.busy_before_ns, cell.busy_ns);
    added = {ns_from(cell.begin),
             ns_from(cell.end),
             cell.longest_ns,
             added.busy_before_ns,
             {cell.longest_index, cell.longest}};
    cells_.push_back({.busy_before_ns = busy_ns, .longest = {}});
  }
}

SliceDigest digest_of(std::span<const SliceBlock::Summary> blocks, std::int64_t busy_ns) {
  std::vector<SliceCell> cells;
  for (std::size_t first = 0; first < blocks.size(); first += kDigestBlocks) {
    const std::size_t last = std::min(blocks.size(), first + kDigestBlocks);
    const std::int64_t busy_until_ns = last < blocks.size() ? blocks[last].busy_before_ns : busy_ns;
    SliceCell cell{.begin = blocks[first].begin,
                   .end = blocks[last - 1].end,
                   .busy_ns = sum(busy_until_ns, -blocks[first].busy_before_ns),
                   .longest_ns = -1};
    for (std::size_t i = first; i < last; ++i) {
      if (blocks[i].longest_ns <= cell.longest_ns) continue;
      cell.longest_ns = blocks[i].longest_ns;
      cell.longest_index = static_cast<std::uint32_t>((i - first) * kBlockRows + blocks[i].longest_index);
      cell.longest = blocks[i].longest;
    }
    cells.push_back(cell);
  }
  return SliceDigest(cells);
}

SliceCell cell_of(std::span<const Slice> rows) {
  SliceCell cell{.begin = rows.front().begin, .end = rows.back().end, .longest_ns = -1};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t duration_ns = ns_from(rows[i].duration());
    cell.busy_ns = sum(cell.busy_ns, duration_ns);
    if (duration_ns <= cell.longest_ns) continue;
    cell.longest_ns = duration_ns;
    cell.longest_index = static_cast<std::uint32_t>(i);
  }
  cell.longest = look_of(rows[cell.longest_index]);
  return cell;
}

FineDigest::FineDigest(std::span<const Slice> rows) {
  RUNAHEAD_CHECK_OP(rows.size(), ==, kBlockRows);
  const Duration cut = (rows.back().end - rows.front().begin) / kCut + Duration{1};
  std::vector<SliceCell> cells;
  std::size_t first = 0;
  for (std::size_t i = 1; i <= rows.size(); ++i) {
    const bool ends = i % kRows == 0 || rows[i].begin - rows[i - 1].end >= cut ||
                      rows[i - 1].duration() >= cut || rows[i].duration() >= cut;
    if (!ends) continue;
    first_rows_.push_back(static_cast<std::uint16_t>(first));
    cells.push_back(cell_of(rows.subspan(first, i - first)));
    first = i;
  }
  first_rows_.push_back(kBlockRows);
  first_rows_.shrink_to_fit();
  cells_ = SliceDigest(cells);
}

SliceBlock::Summary summary_of(std::span<const Slice> rows) {
  RUNAHEAD_CHECK_OP(rows.size(), ==, kBlockRows);
  const SliceCell cell = cell_of(rows);
  SliceBlock::Summary summary{.begin = cell.begin,
                              .last_begin = rows.back().begin,
                              .end = cell.end,
                              .longest_ns = cell.longest_ns,
                              .longest_index = cell.longest_index,
                              .longest = cell.longest};
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
