// ByteWriter and ByteReader: the primitive values of a recording's payloads: little-endian words, LEB128
// varints, zigzag varints (svarint), and columns of int64.
// Method: for a column of 256 values or more, a writer estimates the compressed size as planes and as
// varints, and takes the smaller size. Shorter columns are always varints. A reader never reads past its
// bytes: after the first failure every read gives 0, and ok() reports the failure at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/base/wrapping.h"

namespace runahead::recordings {

// How a column of n int64 is stored. The mode byte precedes the values.
enum class ColumnMode : std::uint8_t {
  kSame = 0,   // one svarint, the value of all n
  kPlain = 1,  // n svarints
  kDelta = 2,  // n svarints: the first value, then the differences (modulo 2^64) of consecutive values
  // A svarint b, a u8 k, then k planes of n bytes. b (the smallest value) is subtracted from each value,
  // modulo 2^64. The first plane has the lowest byte of each difference, the second plane has the next higher
  // byte, and so on. Bytes of similar meaning are adjacent, so an entropy coder sees their distribution.
  kPlanes = 3,
  kDeltaPlanes = 4,  // the first value as a svarint, then the n - 1 differences as in kPlanes
};

// Bytes to be compressed, and the cuts: positions where bytes of another kind begin, such as the next plane
// of a column. Bytes between two cuts compress better with their own statistics.
struct Payload {
  std::string bytes;
  std::vector<std::size_t> cuts;

  Payload() = default;
  Payload(std::string the_bytes) : bytes(std::move(the_bytes)) {}  // NOLINT(google-explicit-constructor)
};

// Maps signed values to small unsigned ones: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t coded) {
  return static_cast<std::int64_t>((coded >> 1) ^ (~(coded & 1) + 1));
}
[[nodiscard]] std::size_t varint_size(std::uint64_t value);

class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);
  void f64(double value);
  void varint(std::uint64_t value);
  void svarint(std::int64_t value) { varint(zigzag(value)); }
  void text(std::string_view value);  // varint length, bytes
  void raw(std::string_view value) { bytes_.append(value); }
  void column(std::span<const std::int64_t> values) { put_column(values, false); }
  // Writes a column that takes at least one byte per value. Therefore a reader can refuse a number of rows
  // that is larger than the number of bytes. If there are no values, nothing is written.
  void dense_column(std::span<const std::int64_t> values) {
    if (!values.empty()) put_column(values, true);
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::string_view view() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }
  [[nodiscard]] Payload take_payload();

 private:
  void put_column(std::span<const std::int64_t> values, bool dense);
  void put_varints(std::span<const std::int64_t> values, bool dense);
  void put_planes(std::span<const std::int64_t> values, std::int64_t base, int planes);
  void cut();  // adds a cut at this position, unless the previous cut is too near to be worth its cost

  std::string bytes_;
  std::vector<std::size_t> cuts_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::uint8_t u8();
  [[nodiscard]] std::uint32_t u32();
  [[nodiscard]] std::uint64_t u64();
  [[nodiscard]] double f64();
  [[nodiscard]] std::uint64_t varint();
  [[nodiscard]] std::int64_t svarint() { return unzigzag(varint()); }
  [[nodiscard]] std::string_view text();
  [[nodiscard]] std::string_view raw(std::uint64_t size);
  // Fills `out` with n values. REQUIRES: the caller has limited n, because a kSame column gives n values for
  // a few bytes.
  void column(std::size_t n, std::vector<std::int64_t>& out) { (void)read_column(n, out); }
  // Fails unless the column has at least one byte for each of n values.
  void dense_column(std::size_t n, std::vector<std::int64_t>& out);
  // Reads the number of items that follow. Fails if the remaining bytes cannot contain that many items of at
  // least `least_bytes` each.
  [[nodiscard]] std::size_t count(std::size_t least_bytes = 1);

  void fail() {
    ok_ = false;
    rest_ = {};
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  // Returns whether the column took at least one byte per value.
  bool read_column(std::size_t n, std::vector<std::int64_t>& out);
  bool read_planes(std::span<std::int64_t> out);

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace runahead::recordings
