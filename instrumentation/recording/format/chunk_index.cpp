#include "instrumentation/recording/format/chunk_index.h"

#include <algorithm>

#include "instrumentation/recording/format/bytes.h"
#include "instrumentation/recording/format/payload.h"

namespace runahead::recordings {
using namespace trace;
namespace {

constexpr std::int64_t kMaxId = 0xfffffffe;
constexpr std::size_t kMostLodBins = kLodBlocks * kLodBinsPerBlock;
constexpr std::size_t kMostOffsets = 1u << 20;
constexpr std::uint8_t kCountersBit = 1, kInstantsBit = 2;  // bits of the flags of an Opening

template <typename Item, typename Field>
void put(ByteWriter& out, std::span<const Item> items, Field field) {
  std::vector<std::int64_t> values(items.size());
  std::transform(items.begin(), items.end(), values.begin(),
                 [&](const Item& item) { return static_cast<std::int64_t>(field(item)); });
  out.column(values);
}

// Writes for each item the time since the end of the previous item; for the first item the time since 0.
template <typename Item, typename Begin, typename End>
void put_gaps(ByteWriter& out, std::span<const Item> items, Begin begin, End end) {
  std::vector<std::int64_t> values;
  values.reserve(items.size());
  Timestamp before{};
  for (const Item& item : items) {
    values.push_back(ns_from(begin(item) - before));
    before = end(item);
  }
  out.column(values);
}

template <typename Item, typename Look>
void put_looks(ByteWriter& out, std::span<const Item> items, Look look) {
  put(out, items, [&](const Item& item) { return raw(look(item).name); });
  put(out, items, [&](const Item& item) {
    return static_cast<std::int64_t>(look(item).flags) << 8 | static_cast<std::int64_t>(look(item).kind);
  });
  put(out, items, [&](const Item& item) { return raw(look(item).op); });
}

// Reads columns of `n` items and checks the bounds of each value. Remembers the first failure.
class ColumnReader {
 public:
  explicit ColumnReader(ByteReader& in) : in_(in) {}

  template <typename Item, typename Set>
  void get(std::span<Item> items, std::int64_t low, std::int64_t high, Set set) {
    in_.column(items.size(), values_);
    for (std::size_t i = 0; i < items.size() && in_.ok(); ++i) {
      if (values_[i] < low || values_[i] > high) return in_.fail();
      set(items[i], values_[i]);
    }
  }
  // Reads the gaps that put_gaps() wrote, and then the durations of the items. Fails if an item begins before
  // the previous item ends.
  template <typename Item, typename Set>
  void get_times(std::span<Item> items, Set set) {
    std::vector<std::int64_t> gaps;
    in_.column(items.size(), gaps);
    in_.column(items.size(), values_);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < items.size() && in_.ok(); ++i) {
      const bool fits = gaps[i] >= (i == 0 ? -kMaxTimeNs : 0) && gaps[i] <= kMaxTimeNs - before;
      if (!fits || values_[i] < 0 || values_[i] > kMaxTimeNs - (before + gaps[i])) return in_.fail();
      const std::int64_t begin = before + gaps[i];
      before = begin + values_[i];
      set(items[i], timestamp_from_ns(begin), timestamp_from_ns(before));
    }
  }
  template <typename Item, typename Look>
  void get_looks(std::span<Item> items, Look look) {
    get(items, 0, kMaxId,
        [&](Item& item, std::int64_t v) { look(item).name = StringId{static_cast<std::uint32_t>(v)}; });
    get(items, 0, 0xffff, [&](Item& item, std::int64_t v) {
      if ((v & 0xff) >= kSliceKindCount) return in_.fail();
      look(item).kind = static_cast<SliceKind>(v & 0xff);
      look(item).flags = static_cast<std::uint8_t>(v >> 8);
    });
    get(items, INT64_MIN, INT64_MAX,
        [&](Item& item, std::int64_t v) { look(item).op = OpId{static_cast<std::uint64_t>(v)}; });
  }

 private:
  ByteReader& in_;
  std::vector<std::int64_t> values_;
};

void put_lane(ByteWriter& out, const LaneChunks& lane) {
  out.varint(raw(lane.track));
  out.varint(lane.depth);
  out.varint(lane.chunks.size());
  const std::span<const SliceChunk> chunks(lane.chunks);
  put(out, chunks, [](const SliceChunk& p) { return p.block_offset; });
  put(out, chunks, [](const SliceChunk& p) { return p.first_row / kBlockRows; });
  put_gaps(
      out, chunks, [](const SliceChunk& p) { return p.summary.begin; },
      [](const SliceChunk& p) { return p.summary.end; });
  put(out, chunks, [](const SliceChunk& p) { return ns_from(p.summary.end - p.summary.begin); });
  put(out, chunks, [](const SliceChunk& p) { return ns_from(p.summary.end - p.summary.last_begin); });
  put(out, chunks, [](const SliceChunk& p) { return p.busy_ns; });
  put(out, chunks, [](const SliceChunk& p) { return p.summary.longest_ns; });
  put(out, chunks, [](const SliceChunk& p) { return p.summary.longest_index; });
  put(out, chunks, [](const SliceChunk& p) { return p.summary.kinds; });
  put_looks(out, chunks, [](const SliceChunk& p) { return p.summary.longest; });
  out.varint(lane.lods.size());
  put(out, std::span(lane.lods), [](std::uint64_t offset) { return offset; });
}

void get_lane(ByteReader& in, std::size_t most, LaneChunks& lane) {
  const std::uint64_t track = in.varint(), depth = in.varint(), n = in.varint();
  // Without the check of n, a column of equal values would make many chunks from a few bytes.
  if (track > static_cast<std::uint64_t>(kMaxId) || depth >= kMaxDepth || n > most) return in.fail();
  lane.track = TrackId{static_cast<std::uint32_t>(track)};
  lane.depth = static_cast<std::uint32_t>(depth);
  lane.chunks.assign(static_cast<std::size_t>(n), {});
  const std::span<SliceChunk> chunks(lane.chunks);
  ColumnReader columns(in);
  columns.get(chunks, 0, INT64_MAX,
              [](SliceChunk& p, std::int64_t v) { p.block_offset = static_cast<std::uint64_t>(v); });
  columns.get(chunks, 0, kMaxBlockRows / kBlockRows, [](SliceChunk& p, std::int64_t v) {
    p.first_row = static_cast<std::uint64_t>(v) * kBlockRows;
  });
  columns.get_times(chunks, [](SliceChunk& p, Timestamp begin, Timestamp end) {
    p.summary.begin = begin;
    p.summary.end = end;
  });
  columns.get(chunks, 0, kMaxTimeNs * 2, [&in](SliceChunk& p, std::int64_t v) {
    p.summary.last_begin = p.summary.end - Duration{v};
    if (p.summary.last_begin < p.summary.begin) in.fail();
  });
  columns.get(chunks, 0, kMaxTimeNs * 2, [](SliceChunk& p, std::int64_t v) { p.busy_ns = v; });
  columns.get(chunks, 0, kMaxTimeNs * 2, [](SliceChunk& p, std::int64_t v) { p.summary.longest_ns = v; });
  columns.get(chunks, 0, kBlockRows - 1,
              [](SliceChunk& p, std::int64_t v) { p.summary.longest_index = static_cast<std::uint32_t>(v); });
  columns.get(chunks, 0, 0xffffffff,
              [](SliceChunk& p, std::int64_t v) { p.summary.kinds = static_cast<SliceKinds>(v); });
  columns.get_looks(chunks, [](SliceChunk& p) -> SliceLook& { return p.summary.longest; });
  const std::uint64_t lods = in.varint();
  if (lods > most + 1) return in.fail();
  lane.lods.assign(static_cast<std::size_t>(lods), 0);
  columns.get(std::span(lane.lods), 0, INT64_MAX,
              [](std::uint64_t& offset, std::int64_t v) { offset = static_cast<std::uint64_t>(v); });
}

void put_offsets(ByteWriter& out, const std::vector<std::uint64_t>& offsets) {
  out.varint(offsets.size());
  put(out, std::span(offsets), [](std::uint64_t offset) { return offset; });
}

void get_offsets(ByteReader& in, std::vector<std::uint64_t>& out) {
  const std::uint64_t n = in.varint();
  if (n > kMostOffsets) return in.fail();
  out.assign(static_cast<std::size_t>(n), 0);
  ColumnReader(in).get(std::span(out), 0, INT64_MAX,
                       [](std::uint64_t& offset, std::int64_t v) { offset = static_cast<std::uint64_t>(v); });
}

}  // namespace

std::string encode_chunks(std::span<const LaneChunks> lanes) {
  ByteWriter out;
  out.varint(lanes.size());
  for (const LaneChunks& lane : lanes) put_lane(out, lane);
  return out.take();
}

bool decode_chunks(std::string_view payload, std::vector<LaneChunks>& out) {
  ByteReader in(payload);
  out.assign(in.count(15), {});
  std::size_t left = kMostPiecesInBlock;
  for (LaneChunks& lane : out) {
    get_lane(in, left, lane);
    if (!in.ok()) return false;
    left -= lane.chunks.size();
  }
  return in.ok() && in.at_end();
}

std::string encode_lod(std::span<const LodBin> bins) {
  ByteWriter out;
  out.varint(bins.size());
  put_gaps(
      out, bins, [](const LodBin& c) { return c.begin; }, [](const LodBin& c) { return c.end; });
  put(out, bins, [](const LodBin& c) { return ns_from(c.end - c.begin); });
  put(out, bins, [](const LodBin& c) { return c.busy_ns; });
  put(out, bins, [](const LodBin& c) { return c.longest_ns; });
  put(out, bins, [](const LodBin& c) { return c.longest_index; });
  put_looks(out, bins, [](const LodBin& c) { return c.longest; });
  return out.take();
}

bool decode_lod(std::string_view payload, std::vector<LodBin>& out) {
  ByteReader in(payload);
  const std::uint64_t n = in.varint();
  if (!in.ok() || n > kMostLodBins) return false;
  out.assign(static_cast<std::size_t>(n), {});
  const std::span<LodBin> bins(out);
  ColumnReader columns(in);
  columns.get_times(bins, [](LodBin& c, Timestamp begin, Timestamp end) {
    c.begin = begin;
    c.end = end;
  });
  columns.get(bins, 0, kMaxTimeNs * 2, [](LodBin& c, std::int64_t v) { c.busy_ns = v; });
  columns.get(bins, 0, kMaxTimeNs * 2, [](LodBin& c, std::int64_t v) { c.longest_ns = v; });
  columns.get(bins, 0, kLodBinRows - 1,
              [](LodBin& c, std::int64_t v) { c.longest_index = static_cast<std::uint32_t>(v); });
  columns.get_looks(bins, [](LodBin& c) -> SliceLook& { return c.longest; });
  return in.ok() && in.at_end();
}

std::string encode_opening(const Opening& opening) {
  ByteWriter out;
  put_offsets(out, opening.chunks);
  put_offsets(out, opening.tails);
  put_offsets(out, opening.tables);
  out.u8(static_cast<std::uint8_t>((opening.has_counters ? kCountersBit : 0) |
                                   (opening.has_instants ? kInstantsBit : 0)));
  return out.take();
}

bool decode_opening(std::string_view payload, Opening& out) {
  ByteReader in(payload);
  get_offsets(in, out.chunks);
  get_offsets(in, out.tails);
  get_offsets(in, out.tables);
  const std::uint8_t also = in.at_end() ? 0 : in.u8();
  out.has_counters = (also & kCountersBit) != 0;
  out.has_instants = (also & kInstantsBit) != 0;
  return in.ok() && in.at_end();
}

}  // namespace runahead::recordings
