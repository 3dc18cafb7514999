// Chunks of single sequences of rows: ops, flows, dependencies, allocations, instants, and the samples of
// each counter. The index stores the summary of each chunk as a few integers, called the facts of the chunk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/recording/format/block.h"
#include "instrumentation/trace/columns/counter_block.h"
#include "instrumentation/trace/stored_tables.h"

namespace runahead::recordings {
using namespace trace;

// A chunk of kBlockRows rows. If a block has several chunks, `part` is the index of this chunk in the block
// at `block_offset`.
struct TableChunk {
  static constexpr std::size_t kMostFacts = 6;
  std::uint64_t block_offset = 0;
  std::uint64_t part = 0;
  std::array<std::int64_t, kMostFacts> facts{};
};

struct TableChunks {
  BlockKind kind{};            // kind of the rows
  TrackId counter = kNoTrack;  // for kCounters: the counter of the samples
  std::vector<TableChunk> chunks;
};

[[nodiscard]] std::string encode_table_chunks(const TableChunks& table);
[[nodiscard]] bool decode_table_chunks(std::string_view payload, TableChunks& out);
// The number of facts of a chunk with rows of this kind; 0: such rows are not in table chunks.
[[nodiscard]] std::size_t fact_count(BlockKind kind);

// TableFormat: how the rows of a table are stored.
// Block: the type of the table's block, such as OpBlock.
// kKind: the kind of the rows.
// facts(): converts a summary to facts. summary(): converts facts to a summary.
// encode(): converts rows to a payload. decode(): converts a payload to rows. Only samples use the counter
// (the TrackId); decode() refuses samples of another counter.
// stand_in(): makes kBlockRows rows that replace a chunk that cannot be read. These rows match the summary in
// everything that searches use.
template <typename Block>
struct TableFormat;

template <>
struct TableFormat<OpBlock> {
  static constexpr BlockKind kKind = BlockKind::kOps;
  static std::array<std::int64_t, TableChunk::kMostFacts> facts(const OpBlock::Summary& summary);
  static OpBlock::Summary summary(const std::array<std::int64_t, TableChunk::kMostFacts>& facts);
  static Payload encode(TrackId, std::span<const OpRow> rows);
  static bool decode(std::string_view payload, TrackId, std::vector<OpRow>& out);
  static std::vector<OpRow> stand_in(const OpBlock::Summary& summary);
};
template <>
struct TableFormat<FlowBlock> {
  static constexpr BlockKind kKind = BlockKind::kFlows;
  static std::array<std::int64_t, TableChunk::kMostFacts> facts(const FlowBlock::Summary& summary);
  static FlowBlock::Summary summary(const std::array<std::int64_t, TableChunk::kMostFacts>& facts);
  static Payload encode(TrackId, std::span<const Flow> rows);
  static bool decode(std::string_view payload, TrackId, std::vector<Flow>& out);
  static std::vector<Flow> stand_in(const FlowBlock::Summary& summary);
};
template <>
struct TableFormat<DependencyBlock> {
  static constexpr BlockKind kKind = BlockKind::kDependencies;
  static std::array<std::int64_t, TableChunk::kMostFacts> facts(const DependencyBlock::Summary& summary);
  static DependencyBlock::Summary summary(const std::array<std::int64_t, TableChunk::kMostFacts>& facts);
  static Payload encode(TrackId, std::span<const Dependency> rows);
  static bool decode(std::string_view payload, TrackId, std::vector<Dependency>& out);
  static std::vector<Dependency> stand_in(const DependencyBlock::Summary& summary);
};
template <>
struct TableFormat<AllocationBlock> {
  static constexpr BlockKind kKind = BlockKind::kAllocations;
  static std::array<std::int64_t, TableChunk::kMostFacts> facts(const AllocationBlock::Summary& summary);
  static AllocationBlock::Summary summary(const std::array<std::int64_t, TableChunk::kMostFacts>& facts);
  static Payload encode(TrackId, std::span<const Allocation> rows);
  static bool decode(std::string_view payload, TrackId, std::vector<Allocation>& out);
  static std::vector<Allocation> stand_in(const AllocationBlock::Summary& summary);
};
template <>
struct TableFormat<InstantBlock> {
  static constexpr BlockKind kKind = BlockKind::kInstants;
  static std::array<std::int64_t, TableChunk::kMostFacts> facts(const InstantBlock::Summary& summary);
  static InstantBlock::Summary summary(const std::array<std::int64_t, TableChunk::kMostFacts>& facts);
  static Payload encode(TrackId counter, std::span<const Instant> rows);
  static bool decode(std::string_view payload, TrackId counter, std::vector<Instant>& out);
  static std::vector<Instant> stand_in(const InstantBlock::Summary& summary);
};
template <>
struct TableFormat<CounterBlock> {
  static constexpr BlockKind kKind = BlockKind::kCounters;
  static std::array<std::int64_t, TableChunk::kMostFacts> facts(const CounterBlock::Summary& summary);
  static CounterBlock::Summary summary(const std::array<std::int64_t, TableChunk::kMostFacts>& facts);
  static Payload encode(TrackId counter, std::span<const CounterSample> rows);
  static bool decode(std::string_view payload, TrackId counter, std::vector<CounterSample>& out);
  static std::vector<CounterSample> stand_in(const CounterBlock::Summary& summary);
};

}  // namespace runahead::recordings
