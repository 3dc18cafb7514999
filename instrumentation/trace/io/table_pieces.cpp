#include "instrumentation/trace/io/table_pieces.h"

#include <algorithm>

#include "instrumentation/trace/io/bytes.h"
#include "instrumentation/trace/io/payload.h"
#include "instrumentation/trace/io/piece_index.h"

namespace runahead::trace::io {
namespace {

using Facts = std::array<std::int64_t, TablePiece::kMostFacts>;

std::int64_t fact(std::uint64_t id) { return static_cast<std::int64_t>(id); }
std::int64_t fact(Timestamp t) { return ns_from(t); }
std::uint64_t id_from(std::int64_t fact) { return static_cast<std::uint64_t>(fact); }

}  // namespace

std::size_t fact_count(BlockKind kind) {
  switch (kind) {
    case BlockKind::kOps:
      return 6;
    case BlockKind::kFlows:
      return 4;
    case BlockKind::kDependencies:
      return 5;
    default:
      return 0;
  }
}

std::string encode_table_pieces(const TablePieces& table) {
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(table.kind));
  out.varint(table.pieces.size());
  std::vector<std::int64_t> values(table.pieces.size());
  const auto column = [&](auto field) {
    std::transform(table.pieces.begin(), table.pieces.end(), values.begin(), field);
    out.column(values);
  };
  column([](const TablePiece& p) { return fact(p.block_offset); });
  column([](const TablePiece& p) { return fact(p.part); });
  for (std::size_t f = 0; f < fact_count(table.kind); ++f) {
    column([f](const TablePiece& p) { return p.facts[f]; });
  }
  return out.take();
}

bool decode_table_pieces(std::string_view payload, TablePieces& out) {
  ByteReader in(payload);
  out.kind = static_cast<BlockKind>(in.u8());
  const std::uint64_t n = in.varint();
  if (!in.ok() || fact_count(out.kind) == 0 || n > kMostPiecesInBlock) return false;
  out.pieces.assign(static_cast<std::size_t>(n), {});
  std::vector<std::int64_t> values;
  const auto column = [&](auto set) {
    in.column(out.pieces.size(), values);
    for (std::size_t i = 0; i < out.pieces.size() && in.ok(); ++i) set(out.pieces[i], values[i]);
  };
  column([](TablePiece& p, std::int64_t v) { p.block_offset = id_from(v); });
  column([&in](TablePiece& p, std::int64_t v) {
    if (v < 0 || v > static_cast<std::int64_t>(kMaxBlockRows / kBlockRows)) in.fail();
    p.part = id_from(v);
  });
  for (std::size_t f = 0; f < fact_count(out.kind); ++f) {
    column([f](TablePiece& p, std::int64_t v) { p.facts[f] = v; });
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
Payload TableFormat<OpBlock>::encode(std::span<const OpRow> rows) { return encode_ops(rows); }
bool TableFormat<OpBlock>::decode(std::string_view payload, std::vector<OpRow>& out) {
  return decode_ops(payload, out);
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
Payload TableFormat<FlowBlock>::encode(std::span<const Flow> rows) { return encode_flows(rows); }
bool TableFormat<FlowBlock>::decode(std::string_view payload, std::vector<Flow>& out) {
  return decode_flows(payload, out);
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
Payload TableFormat<DependencyBlock>::encode(std::span<const Dependency> rows) {
  return encode_dependencies(rows);
}
bool TableFormat<DependencyBlock>::decode(std::string_view payload, std::vector<Dependency>& out) {
  return decode_dependencies(payload, out);
}

}  // namespace runahead::trace::io
