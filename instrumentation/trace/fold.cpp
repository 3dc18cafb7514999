#include "instrumentation/trace/fold.h"

#include <algorithm>
#include <cmath>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/fold_from_file.h"

namespace runahead::trace {

namespace {

// The duration of min_px pixels; at least 1 ns.
std::int64_t span_of(TimeRange range, int width_px, int min_px) {
  const double ns = static_cast<double>(ns_from(range.duration())) * min_px / width_px;
  // The limit of 2^62 ns avoids an overflow in fold_lane(). A span of 2^62 ns contains all times anyway.
  return static_cast<std::int64_t>(std::clamp(std::ceil(ns), 1.0, 4.6e18));
}

SliceLook look_at(const Lane& lane, std::uint64_t row) {
  const BlockSequence<SliceBlock>& rows = lane.sequence();
  if (rows.in_tail(row)) return look_of(rows.tail_at(row).slice);
  const SliceBlock::Summary& summary = rows.entry_of(row).summary;
  const std::size_t i = rows.index_in_block(row);
  // Usually the row is the longest slice of its block. The block's summary has the colour and text of the
  // longest slice, so the block is not read.
  return i == summary.longest_index ? summary.longest : rows.block_with(row)->look(i);
}

}  // namespace

std::int64_t floor_to(std::int64_t value, std::int64_t step) {
  const std::int64_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

void fold_lane(const Lane& lane, TimeRange range, int width_px, int min_px, std::vector<Run>& out) {
  RUNAHEAD_CHECK(!range.empty() && width_px > 0 && min_px > 0);
  out.clear();
  const std::int64_t span_ns = span_of(range, width_px, min_px);
  if (lane.in_file()) return fold_from_file(lane, range, span_ns, out);
  // A slice of length zero exactly at the start of the range is in the range, although it also ends there.
  std::uint64_t row =
      std::min(lane.first_row_ending_after(range.begin), lane.first_row_beginning_from(range.begin));
  while (row < lane.end_row()) {
    const Timestamp begin = lane.begin(row);
    if (begin >= range.end) break;
    const Timestamp end = lane.end(row);
    if (ns_from(end - begin) >= span_ns) {
      out.push_back({begin, end, row, 1, end - begin, row, look_at(lane, row)});
      ++row;
      continue;
    }
    // Narrow slices merge if they begin within the same span of time. The spans are fixed and do not depend
    // on the begin of the view. Therefore runs stay the same while the view slides.
    const Timestamp stop = timestamp_from_ns(floor_to(ns_from(begin), span_ns) + span_ns);
    std::uint64_t next = lane.first_row_beginning_from(std::min(stop, range.end), row + 1);
    // Only the last slice can be wide, because only it can reach beyond the end of the span. If it is wide,
    // it becomes a separate run.
    if (next - row > 1 && ns_from(lane.end(next - 1) - lane.begin(next - 1)) >= span_ns) --next;
    if (next - row == 1) {
      out.push_back({begin, end, row, 1, end - begin, row, look_at(lane, row)});
    } else {
      const std::uint64_t longest = lane.longest_row(row, next);
      out.push_back({begin, lane.end(next - 1), row, next - row, lane.busy(row, next), longest,
                     look_at(lane, longest)});
    }
    row = next;
  }
}

}  // namespace runahead::trace
