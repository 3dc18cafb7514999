// TraceTables: the SQL tables of a trace (docs/query.md), and the ids of its slices. The ids are consecutive
// numbers: first for the closed slices, lane by lane, in the order of the tracks; then for the open slices.
// An id is valid only within one snapshot.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/query/database.h"
#include "instrumentation/query/virtual_table.h"
#include "instrumentation/trace/trace.h"

namespace runahead::query {

// A lane with the ids of its slices: [first_id, first_id + lane->size()).
struct LaneIds {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  const trace::Lane* lane = nullptr;
  std::uint64_t first_id = 0;
};

class TraceTables {
 public:
  explicit TraceTables(trace::Trace trace);

  [[nodiscard]] std::span<const std::unique_ptr<Table>> all() const { return tables_; }
  [[nodiscard]] const trace::Trace& trace() const { return trace_; }
  // Sorted by first_id, and therefore also by track.
  [[nodiscard]] std::span<const LaneIds> lanes() const { return lanes_; }
  // The number of closed slices. Ids from this number on belong to open slices.
  [[nodiscard]] std::uint64_t closed_count() const { return closed_count_; }
  [[nodiscard]] std::uint64_t slice_count() const { return closed_count_ + trace_.open_slices().size(); }
  [[nodiscard]] std::optional<SlicePlace> place_of(std::int64_t id) const;
  // Returns the id of the slice that shows the op's execution. This slice begins at the op's start, on a lane
  // of the op's execute_track.
  [[nodiscard]] std::optional<std::uint64_t> slice_of_op(const trace::OpRow& op) const;
  // Returns the id of a slice of the track that begins at this time and has this name.
  [[nodiscard]] std::optional<std::uint64_t> slice_at(TrackId track, Timestamp begin, StringId name) const;
  // Returns the id of the innermost slice of the track that contains this time; a slice of kind enqueue is
  // preferred.
  [[nodiscard]] std::optional<std::uint64_t> slice_around(TrackId track, Timestamp at) const;
  // What host calls waited for. Computed at the first call, because it reads the whole trace.
  [[nodiscard]] const causes::Synchronisations& synchronisations() const;
  // The sorted ids of the slices that are synchronisations, and not of kind wait: a short copy of pageable
  // memory, an allocation or a launch that waited. Computed at the first call. It calls synchronisations()
  // only if a string of the trace is the name of such a call.
  [[nodiscard]] std::span<const std::uint64_t> other_waits() const;

 private:
  [[nodiscard]] std::optional<std::uint64_t> slice_of(const causes::HostCall& call) const;
  const trace::Trace trace_;
  std::vector<LaneIds> lanes_;
  std::uint64_t closed_count_ = 0;
  std::vector<std::unique_ptr<Table>> tables_;
  mutable std::unique_ptr<const causes::Synchronisations> synchronisations_;
  mutable std::optional<std::vector<std::uint64_t>> other_waits_;
};

// True if this column of this table contains slice ids.
[[nodiscard]] bool holds_slice_ids(std::string_view table, std::string_view column);

// Each of these functions adds the tables of one source file. `of` must outlive the tables.
void add_slice_tables(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out);  // slice, wait
void add_op_tables(const TraceTables& of,
                   std::vector<std::unique_ptr<Table>>& out);                          // op, flow, dependency
void add_edge_table(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out);  // edge
void add_allocation_tables(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out);  // holding
void add_sample_tables(const TraceTables& of, std::vector<std::unique_ptr<Table>>& out);  // counter, instant
void add_fact_tables(const TraceTables& of,
                     std::vector<std::unique_ptr<Table>>& out);  // track, args, metadata, loss

// The properties of a TableOf<RowsType>. The cursor of this table is a RowsType, which is made from the
// TraceTables.
struct TableFacts {
  const char* name;
  std::span<const Column> columns;
  std::vector<Table::Key> keys;
  double row_count;
};
template <typename RowsType>
class TableOf final : public Table {
 public:
  TableOf(const TraceTables& of, TableFacts facts) : of_(of), facts_(std::move(facts)) {}
  [[nodiscard]] const char* name() const override { return facts_.name; }
  [[nodiscard]] std::span<const Column> columns() const override { return facts_.columns; }
  [[nodiscard]] std::vector<Key> keys() const override { return facts_.keys; }
  [[nodiscard]] double row_count() const override { return facts_.row_count; }
  [[nodiscard]] std::unique_ptr<Rows> rows() const override { return std::make_unique<RowsType>(of_); }

 private:
  const TraceTables& of_;
  const TableFacts facts_;
};
template <typename RowsType>
void add_table_of(const TraceTables& of, TableFacts facts, std::vector<std::unique_ptr<Table>>& out) {
  out.push_back(std::make_unique<TableOf<RowsType>>(of, std::move(facts)));
}

// A table whose rows are numbered from 0. If a column shows this number (number_column()), that column is the
// only key column.
class NumberedTable : public Table {
 public:
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  virtual void value(std::uint64_t row, int column, Value& value) const = 0;
  [[nodiscard]] virtual int number_column() const { return -1; }

  [[nodiscard]] std::vector<Key> keys() const override {
    if (number_column() < 0) return {};
    return {{number_column(), 1}};
  }
  [[nodiscard]] double row_count() const override { return static_cast<double>(size()); }
  [[nodiscard]] std::unique_ptr<Rows> rows() const override;
};

// Returns the op if the interval contains exactly one op.
[[nodiscard]] std::optional<OpId> one_op(const Interval& wanted);
void put_track(TrackId track, Value& value);  // kNoTrack gives NULL
void put_op(OpId op, Value& value);           // kNoOp gives NULL
void put_time(Timestamp at, Value& value);    // kNever gives NULL
[[nodiscard]] std::int64_t op_key(OpId op);   // the value that the tables show for an op

}  // namespace runahead::query
