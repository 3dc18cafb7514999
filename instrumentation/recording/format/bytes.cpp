#include "instrumentation/recording/format/bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace runahead::recordings {
namespace {

// A column with fewer values than this is stored as varints: planes (ColumnMode::kPlanes) need many values
// for useful statistics.
constexpr std::size_t kFewValues = 256;
// A cut costs the header and table of a compressed block. If fewer bytes than this follow the previous cut, a
// new cut is not worth this cost.
constexpr std::size_t kLeastCut = 256;
// To compare codings, only this number of values of a column is examined.
constexpr std::size_t kSampled = 2048;

// Returns the size in bits of n bytes after an order-0 entropy coder, which only uses how often each byte
// occurs (`counts`).
double entropy_bits(const std::array<std::uint32_t, 256>& counts, std::size_t n) {
  double bits = 0;
  for (const std::uint32_t count : counts) {
    if (count != 0) bits += count * std::log2(static_cast<double>(n) / count);
  }
  return bits;
}

// The two codings of a column (planes or varints), and the estimated size in bits of the sampled values in
// each coding.
struct Plan {
  std::int64_t base = 0;
  int planes = 0;
  double planes_bits = 0, varint_bits = 0;
  [[nodiscard]] double bits() const { return std::min(planes_bits, varint_bits); }
};

// Estimates the size in bits of the values as varints. Varints are better than planes for values of very
// different sizes, because each varint is only as long as its value needs.
double varint_bits_of(std::span<const std::int64_t> values) {
  std::array<std::uint32_t, 256> counts{};
  std::size_t n = 0;
  for (const std::int64_t value : values) {
    for (std::uint64_t rest = zigzag(value); ++n, rest >= 0x80; rest >>= 7) ++counts[(rest & 0x7f) | 0x80];
    ++counts[zigzag(value) >> (7 * (varint_size(zigzag(value)) - 1))];
  }
  return entropy_bits(counts, n);
}

Plan plan_of(std::span<const std::int64_t> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  Plan plan{.base = *least};
  const auto range = static_cast<std::uint64_t>(wrapping_difference(*most, *least));
  plan.planes = (static_cast<int>(std::bit_width(range)) + 7) / 8;
  const std::span<const std::int64_t> sample = values.first(std::min(values.size(), kSampled));
  for (int plane = 0; plane < plan.planes; ++plane) {
    std::array<std::uint32_t, 256> counts{};
    for (const std::int64_t value : sample) {
      ++counts[static_cast<std::uint64_t>(wrapping_difference(value, plan.base)) >> (8 * plane) & 0xff];
    }
    plan.planes_bits += entropy_bits(counts, sample.size());
  }
  plan.varint_bits = varint_bits_of(sample);
  return plan;
}

}  // namespace

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

void ByteWriter::put_column(std::span<const std::int64_t> values, bool dense) {
  if (values.size() < kFewValues) return put_varints(values, dense);
  const Plan plain = plan_of(values);
  if (plain.planes == 0 && !dense) {
    u8(static_cast<std::uint8_t>(ColumnMode::kSame));
    return svarint(values.front());
  }
  std::vector<std::int64_t> steps(values.size() - 1);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = wrapping_difference(values[i + 1], values[i]);
  const Plan delta = plan_of(steps);
  const Plan& better = delta.bits() < plain.bits() ? delta : plain;
  if (better.varint_bits < better.planes_bits) return put_varints(values, dense);
  if (&better == &delta) {
    u8(static_cast<std::uint8_t>(ColumnMode::kDeltaPlanes));
    svarint(values.front());
    return put_planes(steps, delta.base, std::max(delta.planes, dense ? 1 : 0));
  }
  u8(static_cast<std::uint8_t>(ColumnMode::kPlanes));
  put_planes(values, plain.base, std::max(plain.planes, dense ? 1 : 0));
}

void ByteWriter::put_varints(std::span<const std::int64_t> values, bool dense) {
  std::size_t plain_bytes = 0, delta_bytes = 0;
  bool same = !dense;
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

void ByteWriter::put_planes(std::span<const std::int64_t> values, std::int64_t base, int planes) {
  svarint(base);
  u8(static_cast<std::uint8_t>(planes));
  for (int plane = 0; plane < planes; ++plane) {
    cut();
    const std::size_t at = bytes_.size();
    bytes_.resize(at + values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto code = static_cast<std::uint64_t>(wrapping_difference(values[i], base));
      bytes_[at + i] = static_cast<char>(code >> (8 * plane));
    }
    cut();
  }
}

void ByteWriter::cut() {
  const std::size_t since = bytes_.size() - (cuts_.empty() ? 0 : cuts_.back());
  if (since >= kLeastCut) cuts_.push_back(bytes_.size());
}

Payload ByteWriter::take_payload() {
  Payload payload;
  payload.cuts = std::exchange(cuts_, {});
  payload.bytes = take();
  return payload;
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

bool ByteReader::read_column(std::size_t n, std::vector<std::int64_t>& out) {
  out.clear();
  const auto mode = static_cast<ColumnMode>(u8());
  if (mode == ColumnMode::kSame) {
    out.assign(n, svarint());
    return n == 0;
  }
  out.assign(n, 0);
  if (mode == ColumnMode::kPlanes) return read_planes(out);
  if (mode == ColumnMode::kDeltaPlanes && n > 0) {
    out.front() = svarint();
    const bool dense = read_planes(std::span(out).subspan(1));
    for (std::size_t i = 1; i < n; ++i) out[i] = wrapping_sum(out[i - 1], out[i]);
    return dense;
  }
  if ((mode != ColumnMode::kPlain && mode != ColumnMode::kDelta) || n > left()) {
    fail();
    return false;
  }
  std::int64_t before = 0;
  for (std::int64_t& value : out) {
    value = mode == ColumnMode::kDelta ? wrapping_sum(before, svarint()) : svarint();
    before = value;
  }
  return true;
}

bool ByteReader::read_planes(std::span<std::int64_t> out) {
  const std::int64_t base = svarint();
  const std::uint8_t planes = u8();
  if (planes > sizeof(std::int64_t) || (planes > 0 && out.size() > left() / planes)) {
    fail();
    return false;
  }
  std::fill(out.begin(), out.end(), base);
  for (int plane = 0; plane < planes; ++plane) {
    const std::string_view bytes = raw(out.size());
    if (!ok()) return false;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto code = std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * plane);
      out[i] = wrapping_sum(out[i], static_cast<std::int64_t>(code));
    }
  }
  return planes > 0;
}

void ByteReader::dense_column(std::size_t n, std::vector<std::int64_t>& out) {
  out.clear();
  if (n > 0 && !read_column(n, out)) fail();
}

std::size_t ByteReader::count(std::size_t least_bytes) {
  const std::uint64_t n = varint();
  if (n > left() / std::max<std::size_t>(least_bytes, 1)) {
    fail();
    return 0;
  }
  return static_cast<std::size_t>(n);
}

}  // namespace runahead::recordings
