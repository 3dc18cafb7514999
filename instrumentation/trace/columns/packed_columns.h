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

}  // namespace runahead::trace
