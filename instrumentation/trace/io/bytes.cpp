#include "instrumentation/trace/io/bytes.h"

#include <algorithm>
#include <bit>

namespace runahead::trace::io {

std::size_t varint_size(std::uint64_t value) {
  return value == 0 ? 1 : (static_cast<std::size_t>(std::bit_width(value)) + 6) / 7;
}

void ByteWriter::u32(std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) u8(static_cast<std::uint8_t>(value >> shift));
}

void ByteWriter::u64(std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) u8(static_cast<std::uint8_t>(value >> shift));
}

void ByteWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::varint(std::uint64_t value) {
  while (value >= 0x80) {
    u8(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  u8(static_cast<std::uint8_t>(value));
}

void ByteWriter::text(std::string_view value) {
  varint(value.size());
  raw(value);
}

void ByteWriter::column(std::span<const std::int64_t> values) {
  std::size_t plain_bytes = 0, delta_bytes = 0;
  bool same = true;
  std::int64_t before = 0;
  for (const std::int64_t value : values) {
    plain_bytes += varint_size(zigzag(value));
    delta_bytes += varint_size(zigzag(wrapping_difference(value, before)));
    same = same && value == values.front();
    before = value;
  }
  if (same) {
    u8(static_cast<std::uint8_t>(ColumnMode::kSame));
    svarint(values.empty() ? 0 : values.front());
    return;
  }
  const bool delta = delta_bytes < plain_bytes;
  u8(static_cast<std::uint8_t>(delta ? ColumnMode::kDelta : ColumnMode::kPlain));
  before = 0;
  for (const std::int64_t value : values) {
    svarint(delta ? wrapping_difference(value, before) : value);
    before = value;
  }
}

std::uint8_t ByteReader::u8() {
  const std::string_view byte = raw(1);
  return byte.empty() ? 0 : static_cast<std::uint8_t>(byte[0]);
}

std::uint32_t ByteReader::u32() {
  std::uint32_t value = 0;
  for (int shift = 0; shift < 32; shift += 8) value |= static_cast<std::uint32_t>(u8()) << shift;
  return value;
}

std::uint64_t ByteReader::u64() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 8) value |= static_cast<std::uint64_t>(u8()) << shift;
  return value;
}

double ByteReader::f64() { return std::bit_cast<double>(u64()); }

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    if (shift == 63 && byte > 1) break;  // a 65th bit
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  fail();
  return 0;
}

std::string_view ByteReader::text() { return raw(varint()); }

std::string_view ByteReader::raw(std::uint64_t size) {
  if (!ok_ || size > rest_.size()) {
    fail();
    return {};
  }
  const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(bytes.size());
  return bytes;
}

void ByteReader::column(std::size_t n, std::vector<std::int64_t>& out) {
  out.clear();
  const auto mode = static_cast<ColumnMode>(u8());
  if (mode == ColumnMode::kSame) {
    out.assign(n, svarint());
    return;
  }
  if (mode > ColumnMode::kDelta || n > left()) {
    fail();
    out.assign(n, 0);
    return;
  }
  out.resize(n);
  std::int64_t before = 0;
  for (std::int64_t& value : out) {
    value = mode == ColumnMode::kDelta ? wrapping_sum(before, svarint()) : svarint();
    before = value;
  }
}

std::size_t ByteReader::count(std::size_t least_bytes) {
  const std::uint64_t n = varint();
  if (n > left() / std::max<std::size_t>(least_bytes, 1)) {
    fail();
    return 0;
  }
  return static_cast<std::size_t>(n);
}

}  // namespace runahead::trace::io
