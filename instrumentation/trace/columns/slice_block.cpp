#include "instrumentation/trace/columns/slice_block.h"

#include <algorithm>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

// Sums of durations wrap around instead of overflowing: a damaged import may contain any times.
std::int64_t add_wrapping(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

SliceBlock::SliceBlock(std::span<const SliceRow> rows) : packed_(rows, &SliceRow::slice) {
  RUNAHEAD_CHECK_OP(rows.size(), ==, kBlockRows);
  Longest longest;
  std::int64_t busy_ns = 0;
  for (std::size_t group = 0; group < kGroups; ++group) {
    const std::size_t first = group * kGroupRows;
    group_busy_before_ns_[group] = busy_ns;
    Longest in_group;
    widen(in_group, first, first + kGroupRows);
    group_longest_[group] = static_cast<std::uint16_t>(in_group.index);
    if (in_group.duration_ns > longest.duration_ns) longest = in_group;
    for (std::size_t i = first; i < first + kGroupRows; ++i) busy_ns = add_wrapping(busy_ns, duration_ns(i));
  }
  summary_ = {.begin = rows.front().slice.begin,
              .last_begin = rows.back().slice.begin,
              .end = rows.back().slice.end,
              .busy_before_ns = rows.front().busy_before_ns,
              .longest_ns = longest.duration_ns,
              .longest_index = static_cast<std::uint32_t>(longest.index),
              .longest = look_of(rows[longest.index].slice)};
  for (const SliceRow& row : rows) summary_.kinds |= kinds_of(row.slice.kind);
}

std::size_t SliceBlock::next_of_kinds(SliceKinds kinds, std::size_t first, std::size_t last) const {
  if ((summary_.kinds & ~kinds) == 0) return first;
  std::size_t i = first;
  while (i < last && (kinds_of(kind(i)) & kinds) == 0) ++i;
  return i;
}

Slice SliceBlock::slice(std::size_t i) const { return packed_.row(i); }

SliceLook SliceBlock::look(std::size_t i) const {
  const auto [kind, flags] = packed_.packed_pair<&Slice::kind, &Slice::flags>(i);
  return {.name = StringId(static_cast<std::uint32_t>(packed_.packed<&Slice::name>(i))),
          .kind = static_cast<SliceKind>(kind),
          .flags = static_cast<std::uint8_t>(flags),
          .op = OpId(static_cast<std::uint64_t>(packed_.packed<&Slice::op>(i)))};
}

std::int64_t SliceBlock::busy_before_ns(std::size_t i) const {
  const std::size_t group = std::min(i / kGroupRows, kGroups - 1);
  std::int64_t busy_ns = group_busy_before_ns_[group];
  for (std::size_t j = group * kGroupRows; j < i; ++j) busy_ns = add_wrapping(busy_ns, duration_ns(j));
  return busy_ns;
}

void SliceBlock::widen(Longest& out, std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) {
    const std::int64_t duration = duration_ns(i);
    if (duration > out.duration_ns) out = {duration, i};
  }
}

SliceBlock::Longest SliceBlock::longest(std::size_t first, std::size_t last) const {
  Longest out;
  const std::size_t first_group = (first + kGroupRows - 1) / kGroupRows, last_group = last / kGroupRows;
  if (first_group >= last_group) {
    widen(out, first, last);
    return out;
  }
  widen(out, first, first_group * kGroupRows);
  for (std::size_t group = first_group; group < last_group; ++group) {
    widen(out, group_longest_[group], group_longest_[group] + std::size_t{1});
  }
  widen(out, last_group * kGroupRows, last);
  return out;
}

}  // namespace runahead::trace
