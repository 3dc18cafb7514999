// Pieces of the tables that are one sequence of rows each: ops, flows and dependencies. What the index says
// of one is its block's summary, as a row of integers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/stored_tables.h"

namespace runahead::trace::io {

// kBlockRows rows: the `part`-th so many of the block at `block_offset`.
struct TablePiece {
  static constexpr std::size_t kMostFacts = 6;
  std::uint64_t block_offset = 0;
  std::uint64_t part = 0;
  std::array<std::int64_t, kMostFacts> facts{};
};

struct TablePieces {
  BlockKind kind{};  // of the rows
  std::vector<TablePiece> pieces;
};

[[nodiscard]] std::string encode_table_pieces(const TablePieces& table);
[[nodiscard]] bool decode_table_pieces(std::string_view payload, TablePieces& out);
// How many facts a piece of this kind has; 0: it is none of these tables.
[[nodiscard]] std::size_t fact_count(BlockKind kind);

// kKind, facts(summary), summary(facts), encode(rows), decode(payload, rows), for each table's block.
template <typename Block>
struct TableFormat;

template <>
struct TableFormat<OpBlock> {
  static constexpr BlockKind kKind = BlockKind::kOps;
  static std::array<std::int64_t, TablePiece::kMostFacts> facts(const OpBlock::Summary& summary);
  static OpBlock::Summary summary(const std::array<std::int64_t, TablePiece::kMostFacts>& facts);
  static Payload encode(std::span<const OpRow> rows);
  static bool decode(std::string_view payload, std::vector<OpRow>& out);
};
template <>
struct TableFormat<FlowBlock> {
  static constexpr BlockKind kKind = BlockKind::kFlows;
  static std::array<std::int64_t, TablePiece::kMostFacts> facts(const FlowBlock::Summary& summary);
  static FlowBlock::Summary summary(const std::array<std::int64_t, TablePiece::kMostFacts>& facts);
  static Payload encode(std::span<const Flow> rows);
  static bool decode(std::string_view payload, std::vector<Flow>& out);
};
template <>
struct TableFormat<DependencyBlock> {
  static constexpr BlockKind kKind = BlockKind::kDependencies;
  static std::array<std::int64_t, TablePiece::kMostFacts> facts(const DependencyBlock::Summary& summary);
  static DependencyBlock::Summary summary(const std::array<std::int64_t, TablePiece::kMostFacts>& facts);
  static Payload encode(std::span<const Dependency> rows);
  static bool decode(std::string_view payload, std::vector<Dependency>& out);
};

}  // namespace runahead::trace::io
