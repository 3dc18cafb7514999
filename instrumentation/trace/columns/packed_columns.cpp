#include "instrumentation/trace/columns/packed_columns.h"

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

struct Bounds {
  std::int64_t min = INT64_MAX, max = INT64_MIN;
  bool any = false, nulls = false;
};

Bounds bounds_of(std::span<const std::int64_t> values, std::optional<std::int64_t> null) {
  Bounds out;
  for (const std::int64_t value : values) {
    if (null && value == *null) {
      out.nulls = true;
      continue;
    }
    out.any = true;
    if (value < out.min) out.min = value;
    if (value > out.max) out.max = value;
  }
  return out;
}

std::uint8_t width_of(std::uint64_t largest_code) {
  if (largest_code == 0) return 0;
  if (largest_code <= 0xff) return 1;
  if (largest_code <= 0xffff) return 2;
  return largest_code <= 0xffff'ffff ? 4 : 8;
}

template <typename Code>
void write_codes(std::span<const std::int64_t> values, const PackedColumn& column, std::byte* to) {
  for (const std::int64_t value : values) {
    std::uint64_t code = static_cast<std::uint64_t>(value) - column.base;
    if (column.nullable) code = static_cast<std::uint64_t>(value) == column.null_value ? 0 : code + 1;
    const auto narrow = static_cast<Code>(code);
    std::memcpy(to, &narrow, sizeof narrow);
    to += sizeof narrow;
  }
}

}  // namespace

PackedColumn ColumnPacker::add(std::span<const std::int64_t> values, std::optional<std::int64_t> null) {
  RUNAHEAD_CHECK_OP(values.size(), <=, kBlockRows);
  const Bounds bounds = bounds_of(values, null);
  PackedColumn column{.offset = static_cast<std::uint32_t>(bytes_.size())};
  if (!bounds.any) {  // all values are null, or there are no rows
    column.base = static_cast<std::uint64_t>(null.value_or(0));
    return column;
  }
  const std::uint64_t range = static_cast<std::uint64_t>(bounds.max) - static_cast<std::uint64_t>(bounds.min);
  if (range >= 0xffff'ffff) {
    column.width = 8;  // values are stored unchanged, so the null is stored as itself too
  } else {
    column.base = static_cast<std::uint64_t>(bounds.min);
    column.nullable = bounds.nulls;
    column.null_value = static_cast<std::uint64_t>(null.value_or(0));
    column.width = width_of(range + (bounds.nulls ? 1 : 0));
  }
  if (column.width == 0) return column;
  bytes_.resize(bytes_.size() + values.size() * column.width);
  std::byte* const to = bytes_.data() + column.offset;
  switch (column.width) {
    case 1:
      write_codes<std::uint8_t>(values, column, to);
      break;
    case 2:
      write_codes<std::uint16_t>(values, column, to);
      break;
    case 4:
      write_codes<std::uint32_t>(values, column, to);
      break;
    default:
      write_codes<std::uint64_t>(values, column, to);
      break;
  }
  return column;
}

std::vector<std::byte> ColumnPacker::finish() { return {bytes_.begin(), bytes_.end()}; }

}  // namespace runahead::trace
