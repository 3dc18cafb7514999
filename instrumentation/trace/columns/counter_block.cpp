#include "instrumentation/trace/columns/counter_block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

// True for a whole number that converts to an integer and back without a change. False for -0.0, because an
// integer has no negative zero.
bool is_whole(double value) {
  constexpr double kLargest = 9007199254740992.0;  // 2^53
  return std::fabs(value) <= kLargest && value == std::floor(value) && !(value == 0 && std::signbit(value));
}

void prefetch(const void* begin, std::size_t bytes) {
  constexpr std::size_t kLineBytes = 64;
  for (std::size_t i = 0; i < bytes; i += kLineBytes)
    __builtin_prefetch(static_cast<const std::byte*>(begin) + i);
}

template <typename Code>
Code code_at(const std::byte* codes, std::size_t i) {
  Code code;
  std::memcpy(&code, codes + i * sizeof code, sizeof code);
  return code;
}

// The first of `count` sorted codes that is at least `wanted`. The search has no branches, because half of
// the branches would be mispredicted.
template <typename Code>
std::size_t first_code_from(const std::byte* codes, std::size_t count, Code wanted) {
  std::size_t first = 0;
  while (count > 1) {
    const std::size_t half = count / 2;
    first += code_at<Code>(codes, first + half - 1) < wanted ? half : 0;
    count -= half;
  }
  return first + (count == 1 && code_at<Code>(codes, first) < wanted ? 1 : 0);
}

template <typename Code>
struct CodeRange {
  Code min, max;
};

// REQUIRES: first < last.
template <typename Code>
CodeRange<Code> range_of(const std::byte* codes, std::size_t first, std::size_t last) {
  CodeRange<Code> out{code_at<Code>(codes, first), code_at<Code>(codes, first)};
  for (std::size_t i = first + 1; i < last; ++i) {
    const Code code = code_at<Code>(codes, i);
    out.min = std::min(out.min, code);
    out.max = std::max(out.max, code);
  }
  return out;
}

// Adds the extremes of rows [first, last) of a block of whole numbers. A code is a value minus `base`.
// Therefore the smallest code belongs to the smallest value, and the largest code to the largest value. Only
// these two codes must be converted to values.
template <typename Code>
void add_whole(const std::byte* codes, std::size_t first, std::size_t last, std::uint64_t base,
               GrowingExtremes& out) {
  const CodeRange<Code> range = range_of<Code>(codes, first, last);
  out.add({static_cast<double>(static_cast<std::int64_t>(base + static_cast<std::uint64_t>(range.min))),
           static_cast<double>(static_cast<std::int64_t>(base + static_cast<std::uint64_t>(range.max)))});
}

}  // namespace

CounterBlock::CounterBlock(std::span<const CounterSample> rows) {
  RUNAHEAD_CHECK_OP(rows.size(), ==, kBlockRows);
  whole_ = std::all_of(rows.begin(), rows.end(), [](const CounterSample& s) { return is_whole(s.value); });
  ColumnPacker packer;
  std::array<std::int64_t, kBlockRows> values;
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = ns_from(rows[i].at);
  at_ = packer.add(values);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    values[i] =
        whole_ ? static_cast<std::int64_t>(rows[i].value) : std::bit_cast<std::int64_t>(rows[i].value);
  }
  value_ = packer.add(values);
  for_each_column_index<CounterSample>([&]<std::size_t kIndex>() {
    if constexpr (kIndex >= kOwnColumns) {
      others_[kIndex - kOwnColumns] =
          pack_column<KindAt<CounterSample, kIndex>>(packer, rows, std::identity{});
    }
  });
  bytes_ = packer.finish();
  for (std::size_t i = 0; i < rows.size(); ++i) groups_[i / kGroupRows].add(rows[i].value);
  for (std::size_t g = 0; g < kGroups; ++g) group_begins_[g] = rows[g * kGroupRows].at;
  summary_ = summary_of(rows);
}

bool operator==(const CounterBlock::Summary& a, const CounterBlock::Summary& b) {
  const auto bits = [](const CounterBlock::Summary& s) {
    return std::array{std::bit_cast<std::uint64_t>(s.first_value), std::bit_cast<std::uint64_t>(s.last_value),
                      std::bit_cast<std::uint64_t>(s.extremes.min),
                      std::bit_cast<std::uint64_t>(s.extremes.max)};
  };
  return a.first == b.first && a.last == b.last && bits(a) == bits(b);
}

CounterBlock::Summary CounterBlock::summary_of(std::span<const CounterSample> rows) {
  Summary out{rows.front().at, rows.back().at, rows.front().value, rows.back().value, {}};
  for (const CounterSample& row : rows) out.extremes.add(row.value);
  return out;
}

double CounterBlock::value(std::size_t i) const {
  const std::int64_t code = unpack(value_, bytes_.data(), i);
  return whole_ ? static_cast<double>(code) : std::bit_cast<double>(code);
}

std::size_t CounterBlock::first_from(Timestamp t, std::size_t first, std::size_t last) const {
  if (t <= summary_.first) return first;
  if (t > summary_.last) return last;
  // `t` is between the first and the last time of the block. Therefore `t` minus the base (the smallest time
  // of the block) fits the width of the codes.
  const std::byte* const codes = bytes_.data() + at_.offset + first * at_.width;
  const std::size_t count = last - first;
  const std::uint64_t wanted = static_cast<std::uint64_t>(ns_from(t)) - at_.base;
  switch (at_.width) {
    case 8:  // 8-byte codes have no base: they are the times themselves
      return first + first_code_from(codes, count, ns_from(t));
    case 4:
      return first + first_code_from(codes, count, static_cast<std::uint32_t>(wanted));
    case 2:
      return first + first_code_from(codes, count, static_cast<std::uint16_t>(wanted));
    default:
      return first + first_code_from(codes, count, static_cast<std::uint8_t>(wanted));
  }
}

void CounterBlock::prefetch_groups() const {
  prefetch(group_begins_.data(), sizeof group_begins_);
  prefetch(groups_.data(), sizeof groups_);
}

void CounterBlock::prefetch_group(std::size_t group) const {
  for (const PackedColumn* column : {&at_, &value_}) {
    const std::size_t bytes = kGroupRows * column->width;
    prefetch(bytes_.data() + column->offset + group * bytes, bytes);
  }
}

void CounterBlock::add_values(std::size_t first, std::size_t last, GrowingExtremes& out) const {
  if (first >= last) return;
  const std::byte* const codes = bytes_.data() + value_.offset;
  if (whole_ && value_.width == 8) return add_whole<std::int64_t>(codes, first, last, 0, out);
  if (whole_ && value_.width == 4) return add_whole<std::uint32_t>(codes, first, last, value_.base, out);
  if (whole_ && value_.width == 2) return add_whole<std::uint16_t>(codes, first, last, value_.base, out);
  for (std::size_t i = first; i < last; ++i) out.add(value(i));
}

GrowingExtremes CounterBlock::extremes(std::size_t first, std::size_t last) const {
  GrowingExtremes out;
  const std::size_t group = (first + kGroupRows - 1) / kGroupRows, end_group = last / kGroupRows;
  if (group >= end_group) {
    add_values(first, last, out);
    return out;
  }
  add_values(first, group * kGroupRows, out);
  for (std::size_t g = group; g < end_group; ++g) out.add(groups_[g]);
  add_values(end_group * kGroupRows, last, out);
  return out;
}

}  // namespace runahead::trace
