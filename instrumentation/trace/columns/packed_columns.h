// Packed columns: compress columns of 64-bit integers by frame of reference: the code of a value is the value
// minus the column's smallest value. Each column takes 0, 1, 2, 4 or 8 bytes per row, as its largest code
// needs; with 8 bytes the values are stored unchanged. A column may have a null: one common value that may be
// far from the other values (for example no op, or kNever). The null has code 0, and all other codes are then
// larger by one. Therefore the null does not make the codes wider.
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

// The number of rows of every sealed block. It is fixed, so that a division finds the block of a row.
inline constexpr std::size_t kBlockRows = 1024;

struct PackedColumn {
  std::uint64_t base = 0;        // value of code 0; if nullable: value of code 1
  std::uint64_t null_value = 0;  // if nullable: value of code 0
  std::uint32_t offset = 0;      // offset of the column in the block's bytes
  std::uint8_t width = 0;        // bytes per row
  bool nullable = false;
};

class ColumnPacker {
 public:
  // Packs at most kBlockRows values.
  PackedColumn add(std::span<const std::int64_t> values, std::optional<std::int64_t> null = std::nullopt);
  [[nodiscard]] std::vector<std::byte> finish();  // the bytes of all columns, without spare capacity

 private:
  std::vector<std::byte> bytes_;
};

// Returns the value of row `row`. O(1). REQUIRES: `column` was packed into `bytes`, and contains `row`.
[[nodiscard]] inline std::int64_t unpack(const PackedColumn& column, const std::byte* bytes,
                                         std::size_t row) {
  const std::byte* from = bytes + column.offset + row * column.width;
  std::uint64_t code = 0;
  // Little endian, like all platforms of this program: the low bytes come first.
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
  // Wraps modulo 2^64 on purpose, so that any range of values can be packed.
  return static_cast<std::int64_t>(column.base + code);
}

}  // namespace runahead::trace
