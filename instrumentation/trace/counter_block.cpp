#include "instrumentation/trace/counter_block.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

// True for what a double holds exactly as an integer and gives back bit for bit (-0.0 would not).
bool is_whole(double value) {
  constexpr double kLargest = 9007199254740992.0;  // 2^53
  return std::fabs(value) <= kLargest && value == std::floor(value) && !(value == 0 && std::signbit(value));
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
  bytes_ = packer.finish();
  for (std::size_t i = 0; i < rows.size(); ++i) groups_[i / kGroupRows].add(rows[i].value);
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

GrowingExtremes CounterBlock::extremes(std::size_t first, std::size_t last) const {
  GrowingExtremes out;
  std::size_t i = first;
  while (i < last) {
    if (i % kGroupRows == 0 && i + kGroupRows <= last) {
      out.add(groups_[i / kGroupRows]);
      i += kGroupRows;
    } else {
      out.add(value(i++));
    }
  }
  return out;
}

}  // namespace runahead::trace
