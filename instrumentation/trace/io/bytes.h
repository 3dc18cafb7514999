// ByteWriter and ByteReader: the primitive values of a recording's payloads: little-endian words, LEB128
// varints, zigzag varints, and columns of int64 in the smallest of three codings. A reader never reads past
// its bytes: the first failure sticks, every later read gives 0, and ok() says so at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runahead::trace::io {

// How a column of n int64 is stored; the mode byte precedes the values.
enum class ColumnMode : std::uint8_t {
  kSame = 0,   // one svarint that holds for all n
  kPlain = 1,  // n svarints
  kDelta = 2,  // n svarints: each the difference (modulo 2^64) to the one before, the first to 0
};

// Signed values as small unsigned ones: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t coded) {
  return static_cast<std::int64_t>((coded >> 1) ^ (~(coded & 1) + 1));
}
// Differences and sums modulo 2^64, so that any two int64 have one (kNever among times, say).
[[nodiscard]] constexpr std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
[[nodiscard]] constexpr std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
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
  void column(std::span<const std::int64_t> values);  // in the coding that takes the fewest bytes

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::string_view view() const { return bytes_; }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
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
  // Fills `out`. The caller has bounded n: a kSame column gives n values for a few bytes.
  void column(std::size_t n, std::vector<std::int64_t>& out);
  // A count of things that each take at least `least_bytes` here; fails when so many cannot be left.
  [[nodiscard]] std::size_t count(std::size_t least_bytes = 1);

  void fail() {
    ok_ = false;
    rest_ = {};
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace runahead::trace::io
