#include "instrumentation/recording/format/table_chunks.h"

#include <algorithm>
#include <bit>

#include "instrumentation/recording/format/bytes.h"
#include "instrumentation/recording/format/chunk_index.h"
#include "instrumentation/recording/format/payload.h"

namespace runahead::recordings {
using namespace trace;
namespace {

using Facts = std::array<std::int64_t, TableChunk::kMostFacts>;

std::int64_t fact(std::uint64_t id) { return static_cast<std::int64_t>(id); }
std::int64_t fact(Timestamp t) { return ns_from(t); }
std::int64_t fact(double value) { return std::bit_cast<std::int64_t>(value); }
std::uint64_t id_from(std::int64_t fact) { return static_cast<std::uint64_t>(fact); }
double value_from(std::int64_t fact) { return std::bit_cast<double>(fact); }

}  // namespace

std::size_t fact_count(BlockKind kind) {
  switch (kind) {
    case BlockKind::kOps:
    case BlockKind::kCounters:
      return 6;
    case BlockKind::kFlows:
      return 4;
    case BlockKind::kDependencies:
      return 5;
    case BlockKind::kInstants:
      return 3;
    case BlockKind::kAllocations:
      return 2;
    default:
      return 0;
  }
}

std::string encode_table_chunks(const TableChunks& table) {
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(table.kind));
  if (table.kind == BlockKind::kCounters) out.varint(raw(table.counter));
  out.varint(table.chunks.size());
  std::vector<std::int64_t> values(table.chunks.size());
  const auto column = [&](auto field) {
    std::transform(table.chunks.begin(), table.chunks.end(), values.begin(), field);
    out.column(values);
  };
  column([](const TableChunk& p) { return fact(p.block_offset); });
  column([](const TableChunk& p) { return fact(p.part); });
  for (std::size_t f = 0; f < fact_count(table.kind); ++f) {
    column([f](const TableChunk& p) { return p.facts[f]; });
  }
  return out.take();
}

bool decode_table_chunks(std::string_view payload, TableChunks& out) {
  ByteReader in(payload);
  out.kind = static_cast<BlockKind>(in.u8());
  const std::uint64_t counter = out.kind == BlockKind::kCounters ? in.varint() : raw(kNoTrack);
  out.counter = TrackId{static_cast<std::uint32_t>(counter)};
  const std::uint64_t n = in.varint();
  if (!in.ok() || counter > raw(kNoTrack) || fact_count(out.kind) == 0 || n > kMostPiecesInBlock)
    return false;
  out.chunks.assign(static_cast<std::size_t>(n), {});
  std::vector<std::int64_t> values;
  const auto column = [&](auto set) {
    in.column(out.chunks.size(), values);
    for (std::size_t i = 0; i < out.chunks.size() && in.ok(); ++i) set(out.chunks[i], values[i]);
  };
  column([](TableChunk& p, std::int64_t v) { p.block_offset = id_from(v); });
  column([&in](TableChunk& p, std::int64_t v) {
    if (v < 0 || v > static_cast<std::int64_t>(kMaxBlockRows / kBlockRows)) in.fail();
    p.part = id_from(v);
  });
  for (std::size_t f = 0; f < fact_count(out.kind); ++f) {
    column([f](TableChunk& p, std::int64_t v) { p.facts[f] = v; });
  }
  return in.ok() && in.at_end();
}

Facts TableFormat<OpBlock>::facts(const OpBlock::Summary& s) {
  return {fact(s.min_id),    fact(s.max_id),   fact(s.last),
          fact(s.first_end), fact(s.last_end), fact(s.first_enqueue)};
}
OpBlock::Summary TableFormat<OpBlock>::summary(const Facts& facts) {
  return {.min_id = id_from(facts[0]),
          .max_id = id_from(facts[1]),
          .last = timestamp_from_ns(facts[2]),
          .first_end = timestamp_from_ns(facts[3]),
          .last_end = timestamp_from_ns(facts[4]),
          .first_enqueue = timestamp_from_ns(facts[5])};
}
Payload TableFormat<OpBlock>::encode(TrackId, std::span<const OpRow> rows) { return encode_ops(rows); }
bool TableFormat<OpBlock>::decode(std::string_view payload, TrackId, std::vector<OpRow>& out) {
  return decode_ops(payload, out);
}
std::vector<OpRow> TableFormat<OpBlock>::stand_in(const OpBlock::Summary&) {
  return std::vector<OpRow>(kBlockRows);
}

Facts TableFormat<FlowBlock>::facts(const FlowBlock::Summary& s) {
  return {fact(s.min_op), fact(s.max_op), fact(s.first), fact(s.last)};
}
FlowBlock::Summary TableFormat<FlowBlock>::summary(const Facts& facts) {
  return {.min_op = id_from(facts[0]),
          .max_op = id_from(facts[1]),
          .first = timestamp_from_ns(facts[2]),
          .last = timestamp_from_ns(facts[3])};
}
Payload TableFormat<FlowBlock>::encode(TrackId, std::span<const Flow> rows) { return encode_flows(rows); }
bool TableFormat<FlowBlock>::decode(std::string_view payload, TrackId, std::vector<Flow>& out) {
  return decode_flows(payload, out);
}
std::vector<Flow> TableFormat<FlowBlock>::stand_in(const FlowBlock::Summary&) {
  return std::vector<Flow>(kBlockRows);
}

Facts TableFormat<DependencyBlock>::facts(const DependencyBlock::Summary& s) {
  return {fact(s.min_op), fact(s.max_op), fact(s.min_on), fact(s.max_on), fact(s.last)};
}
DependencyBlock::Summary TableFormat<DependencyBlock>::summary(const Facts& facts) {
  return {.min_op = id_from(facts[0]),
          .max_op = id_from(facts[1]),
          .min_on = id_from(facts[2]),
          .max_on = id_from(facts[3]),
          .last = timestamp_from_ns(facts[4])};
}
Payload TableFormat<DependencyBlock>::encode(TrackId, std::span<const Dependency> rows) {
  return encode_dependencies(rows);
}
bool TableFormat<DependencyBlock>::decode(std::string_view payload, TrackId, std::vector<Dependency>& out) {
  return decode_dependencies(payload, out);
}
std::vector<Dependency> TableFormat<DependencyBlock>::stand_in(const DependencyBlock::Summary&) {
  return std::vector<Dependency>(kBlockRows);
}

Facts TableFormat<AllocationBlock>::facts(const AllocationBlock::Summary& s) {
  return {fact(s.first), fact(s.last)};
}
AllocationBlock::Summary TableFormat<AllocationBlock>::summary(const Facts& facts) {
  return {timestamp_from_ns(facts[0]), timestamp_from_ns(facts[1])};
}
Payload TableFormat<AllocationBlock>::encode(TrackId, std::span<const Allocation> rows) {
  return encode_allocations(rows);
}
bool TableFormat<AllocationBlock>::decode(std::string_view payload, TrackId, std::vector<Allocation>& out) {
  return decode_allocations(payload, out);
}
std::vector<Allocation> TableFormat<AllocationBlock>::stand_in(const AllocationBlock::Summary& summary) {
  // The stand-in rows have size 0 and zero length, so they add no memory use to the trace.
  const Allocation nothing{.counter = TrackId{0}, .begin = summary.first, .end = summary.first};
  return std::vector<Allocation>(kBlockRows, nothing);
}

Facts TableFormat<InstantBlock>::facts(const InstantBlock::Summary& s) {
  return {fact(s.first), fact(s.last), fact(s.tracks)};
}
InstantBlock::Summary TableFormat<InstantBlock>::summary(const Facts& facts) {
  return {timestamp_from_ns(facts[0]), timestamp_from_ns(facts[1]), id_from(facts[2])};
}
Payload TableFormat<InstantBlock>::encode(TrackId, std::span<const Instant> rows) {
  return encode_instants(rows);
}
bool TableFormat<InstantBlock>::decode(std::string_view payload, TrackId, std::vector<Instant>& out) {
  return decode_instants(payload, out);
}
std::vector<Instant> TableFormat<InstantBlock>::stand_in(const InstantBlock::Summary& summary) {
  // The stand-in instants have no name and are on the first track. The first track exists. This is necessary,
  // because a caller that reads all instants looks up the track of each instant.
  std::vector<Instant> rows(kBlockRows, Instant{.at = summary.first, .track = TrackId{0}});
  rows.back().at = summary.last;
  return rows;
}

Facts TableFormat<CounterBlock>::facts(const CounterBlock::Summary& s) {
  return {fact(s.first),        fact(s.last),        fact(s.extremes.min),
          fact(s.extremes.max), fact(s.first_value), fact(s.last_value)};
}
CounterBlock::Summary TableFormat<CounterBlock>::summary(const Facts& facts) {
  return {.first = timestamp_from_ns(facts[0]),
          .last = timestamp_from_ns(facts[1]),
          .first_value = value_from(facts[4]),
          .last_value = value_from(facts[5]),
          .extremes = {value_from(facts[2]), value_from(facts[3])}};
}
Payload TableFormat<CounterBlock>::encode(TrackId counter, std::span<const CounterSample> rows) {
  const CounterChunk chunk{counter, rows};
  return encode_counters(std::span(&chunk, 1));
}
bool TableFormat<CounterBlock>::decode(std::string_view payload, TrackId counter,
                                       std::vector<CounterSample>& out) {
  std::vector<CounterRows> counters;
  if (!decode_counters(payload, counters)) return false;
  if (counters.size() != 1 || counters[0].track != counter) return false;
  out = std::move(counters[0].rows);
  return true;
}
std::vector<CounterSample> TableFormat<CounterBlock>::stand_in(const CounterBlock::Summary& summary) {
  std::vector<CounterSample> rows(kBlockRows, CounterSample{summary.first, summary.first_value});
  if (!summary.extremes.empty()) {
    rows[1].value = summary.extremes.min;
    rows[2].value = summary.extremes.max;
  }
  rows.back() = {summary.last, summary.last_value};
  return rows;
}

}  // namespace runahead::recordings
