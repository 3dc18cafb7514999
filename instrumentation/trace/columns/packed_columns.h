// Packed columns: 64-bit integers by frame of reference, each column in 0, 1, 2, 4 or 8 bytes a row, as its
// values need. One value of a column may be its null (no op, never), which then costs no range.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace runahead::trace {

inline constexpr std::size_t kBlockRows = 1024;  // of every sealed block, so that a row's block is a division

struct PackedColumn {
  std::uint64_t base = 0;        // what code 0 (or, with a null, code 1) stands for
  std::uint64_t null_value = 0;  // what code 0 stands for, with a null
  std::uint32_t offset = 0;      // of its bytes in the block's
  std::uint8_t width = 0;        // bytes a row
  bool nullable = false;
};

class ColumnPacker {
 public:
  // At most kBlockRows values.
  PackedColumn add(std::span<const std::int64_t> values, std::optional<std::int64_t> null = std::nullopt);
  [[nodiscard]] std::vector<std::byte> finish();  // exactly as large as it needs to be

 private:
  std::vector<std::byte> bytes_;
};

// O(1). REQUIRES: `bytes` are those that `column` was packed with, row is one of them.
[[nodiscard]] inline std::int64_t unpack(const PackedColumn& column, const std::byte* bytes,
                                         std::size_t row) {
  const std::byte* from = bytes + column.offset + row * column.width;
  std::uint64_t code = 0;
  // Little endian, as everywhere this program runs: the low bytes come first.
  switch (column.width) {
    case 1:
      code = static_cast<std::uint8_t>(*from);
      break;
    case 2: {
      std::uint16_t narrow = 0;
      std::memcpy(&narrow, from, sizeof narrow);
      code = narrow;
      break;
    }
    case 4: {
      std::uint32_t narrow = 0;
      std::memcpy(&narrow, from, sizeof narrow);
      code = narrow;
      break;
    }
    case 8:
      std::memcpy(&code, from, sizeof code);
      break;
    default:
      break;
  }
  if (column.nullable) {
    if (code == 0) return static_cast<std::int64_t>(column.null_value);
    --code;
  }
  return static_cast<std::int64_t>(column.base + code);  // modulo 2^64 on purpose: any range packs
}

// Rows of one type, packed. Codec says how a row is a fixed number of integers:
//   kColumns, Row, static int64_t value(const Row&, int column), static optional<int64_t> null_of(int
//   column), static Row row(at) with at(column) giving the integer.
template <typename Codec>
class PackedBlock {
 public:
  using Row = typename Codec::Row;
  static constexpr int kColumns = Codec::kColumns;

  explicit PackedBlock(std::span<const Row> rows) : size_(rows.size()) {
    ColumnPacker packer;
    std::array<std::int64_t, kBlockRows> values;
    for (int c = 0; c < kColumns; ++c) {
      for (std::size_t i = 0; i < size_; ++i) values[i] = Codec::value(rows[i], c);
      columns_[static_cast<std::size_t>(c)] = packer.add({values.data(), size_}, Codec::null_of(c));
    }
    bytes_ = packer.finish();
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::int64_t value(std::size_t i, int column) const {
    return unpack(columns_[static_cast<std::size_t>(column)], bytes_.data(), i);
  }
  [[nodiscard]] Row row(std::size_t i) const {
    return Codec::row([this, i](int column) { return value(i, column); });
  }
  [[nodiscard]] std::size_t packed_bytes() const { return bytes_.size(); }

 private:
  std::array<PackedColumn, static_cast<std::size_t>(kColumns)> columns_;
  std::vector<std::byte> bytes_;
  std::size_t size_;
};

}  // namespace runahead::trace
