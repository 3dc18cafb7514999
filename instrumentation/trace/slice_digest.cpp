#include "instrumentation/trace/slice_digest.h"

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

std::int64_t sum(std::int64_t a, std::int64_t b) {  // wraps rather than overflows
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

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
