// PackedRows: up to kBlockRows rows of one type, packed column by column as the RowDescription of the type
// says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "instrumentation/trace/columns/packed_columns.h"
#include "instrumentation/trace/rows/row_description.h"

namespace runahead::trace {

// True if column `index` is packed together with the column before it. This is so if the column has flags and
// the column before it has an enum. In the packed value the enum takes bits 0 to 7, and the flags take the
// bits from 8 on. Most rows have no flags, so both columns together usually take one byte per row. They take
// no byte if all rows have the same enum value and the same flags.
template <typename Row>
[[nodiscard]] consteval bool is_packed_with_before(std::size_t index) {
  const auto& all = RowDescription<Row>::kColumns;
  if (index == 0 || index >= all.kCount) return false;
  return all.kMeanings[index] == columns::Meaning::kFlags &&
         all.kMeanings[index - 1] == columns::Meaning::kEnum && all.kAdded[index] == all.kAdded[index - 1];
}
template <typename Row, std::size_t kIndex>
inline constexpr bool kPackedWithBefore = is_packed_with_before<Row>(kIndex);
// Index of the packed column that contains column `index`.
template <typename Row>
[[nodiscard]] consteval std::size_t packed_place(std::size_t index) {
  std::size_t place = 0;
  for (std::size_t before = 0; before < index; ++before) {
    if (!is_packed_with_before<Row>(before + 1)) ++place;
  }
  return place;
}
template <typename Row, std::size_t kIndex>
inline constexpr std::size_t kPackedPlace = packed_place<Row>(kIndex);

template <typename Kind, typename Rows, typename RowOfSource>
[[nodiscard]] PackedColumn pack_column(ColumnPacker& packer, const Rows& rows, RowOfSource row_of) {
  std::array<std::int64_t, kBlockRows> values;
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = Kind::packed(std::invoke(row_of, rows[i]));
  return packer.add({values.data(), rows.size()}, Kind::kNull);
}

// Immutable, so any thread may read it.
template <typename RowType>
class PackedRows {
 public:
  using Row = RowType;

  explicit PackedRows(std::span<const Row> rows) : PackedRows(rows, std::identity{}) {}
  // Packs one row for each source: the row that row_of(source) returns. REQUIRES: at most kBlockRows sources.
  template <typename Source, typename RowOfSource>
  PackedRows(std::span<const Source> sources, RowOfSource row_of) : size_(sources.size()) {
    ColumnPacker packer;
    for_each_column_index<Row>([&]<std::size_t kIndex>() {
      if constexpr (kPackedWithBefore<Row, kIndex + 1>) {
        columns_[kPackedPlace<Row, kIndex>] = pack_column<Pair<kIndex>>(packer, sources, row_of);
      } else if constexpr (!kPackedWithBefore<Row, kIndex>) {
        columns_[kPackedPlace<Row, kIndex>] = pack_column<KindAt<Row, kIndex>>(packer, sources, row_of);
      }
    });
    bytes_ = packer.finish();
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  // The value of column kMember in row i, in the packed form that the kind of the column defines (column.h).
  // O(1).
  template <auto kMember>
  [[nodiscard]] std::int64_t packed(std::size_t i) const {
    return packed_at<kColumnIndex<kMember>>(i);
  }
  // The values of an enum and of the flags column after it, which are packed together.
  struct PackedPair {
    std::int64_t value, flags;
  };
  template <auto kEnum, auto kFlags>
  [[nodiscard]] PackedPair packed_pair(std::size_t i) const {
    constexpr std::size_t kIndex = kColumnIndex<kEnum>;
    static_assert(kPackedWithBefore<Row, kIndex + 1> && kColumnIndex<kFlags> == kIndex + 1);
    const std::int64_t both = unpack(columns_[kPackedPlace<Row, kIndex>], bytes_.data(), i);
    return {both & 0xff, both >> 8};
  }
  [[nodiscard]] Row row(std::size_t i) const {
    Row out;
    for_each_column_index<Row>([&]<std::size_t kIndex>() {
      if constexpr (kPackedWithBefore<Row, kIndex + 1>) {
        Pair<kIndex>::unpack(out, unpack(columns_[kPackedPlace<Row, kIndex>], bytes_.data(), i));
      } else if constexpr (!kPackedWithBefore<Row, kIndex>) {
        KindAt<Row, kIndex>::unpack(out, packed_at<kIndex>(i));
      }
    });
    return out;
  }
  [[nodiscard]] std::size_t packed_bytes() const { return bytes_.size(); }

 private:
  // Packs an enum and the flags after it into one integer.
  template <std::size_t kIndex>
  struct Pair {
    using First = KindAt<Row, kIndex>;
    using Second = KindAt<Row, kIndex + 1>;
    static constexpr std::optional<std::int64_t> kNull = std::nullopt;
    static std::int64_t packed(const Row& row) { return Second::packed(row) << 8 | First::packed(row); }
    static void unpack(Row& row, std::int64_t packed) {
      First::unpack(row, packed & 0xff);
      Second::unpack(row, packed >> 8);
    }
  };
  template <std::size_t kIndex>
  [[nodiscard]] std::int64_t packed_at(std::size_t i) const {
    const std::int64_t value = unpack(columns_[kPackedPlace<Row, kIndex>], bytes_.data(), i);
    if constexpr (kPackedWithBefore<Row, kIndex>) return value >> 8;
    if constexpr (kPackedWithBefore<Row, kIndex + 1>) return value & 0xff;
    return value;
  }

  std::array<PackedColumn, kPackedPlace<Row, kColumnCount<Row> - 1> + 1> columns_;
  std::vector<std::byte> bytes_;
  std::size_t size_;
};

}  // namespace runahead::trace
