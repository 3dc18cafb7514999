// TimedTable: reads the rows of a table in the order of their start times, one row at a time. Most tables of
// a profiler are written in this order; then they are read as they are. Otherwise the times and numbers of
// their rows are sorted in memory, and the rows are read one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/import/sqlite/keyed_rows.h"
#include "instrumentation/import/sqlite/sqlite_database.h"

namespace runahead::importers {

// The columns with the times of a row, in ns. If `times` is not null, these columns have the ids of times.
struct TimeColumns {
  std::string_view start = "start", end = "end";
  const IdValues* times = nullptr;
};

class TimedTable {
 public:
  // Counts the rows, checks their order, and reads the first row. `columns` are further columns; a row's
  // values have the same index. `where` is a condition in SQL that the rows fulfil. All referenced objects
  // must outlive this object. Memory: 24 bytes for each row if the rows are not in order; otherwise only
  // during the check.
  TimedTable(SqliteDatabase& database, const SqliteTable& table, std::vector<std::string_view> columns,
             const TimeColumns& times = {}, std::string_view where = {});

  [[nodiscard]] const std::string& name() const { return table_.name; }
  [[nodiscard]] bool has_row() const { return has_row_; }
  void next();

  // The current row. A row without an end, or with an unreadable end, has none.
  [[nodiscard]] std::int64_t start_ns() const { return start_ns_; }
  [[nodiscard]] std::optional<std::int64_t> end_ns() const { return end_ns_; }
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t i) const {
    return order_.empty() ? statement_.integer(static_cast<int>(i) + 2) : keyed_.integer(i + 2);
  }
  [[nodiscard]] std::int64_t integer_or(std::size_t i, std::int64_t other) const {
    return integer(i).value_or(other);
  }
  [[nodiscard]] std::optional<double> real(std::size_t i) const {
    return order_.empty() ? statement_.real(static_cast<int>(i) + 2) : keyed_.real(i + 2);
  }
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return order_.empty() ? statement_.text(static_cast<int>(i) + 2) : keyed_.text(i + 2);
  }

  // True if this row comes before the other row: it starts earlier or, at the same start, ends later.
  [[nodiscard]] bool comes_before(const TimedTable& other) const;

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // Rows so far whose start is missing, not an integer, or out of range.
  [[nodiscard]] std::uint64_t without_time() const { return without_time_; }
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  struct Place {  // of a row
    std::int64_t start_ns = 0;
    std::int64_t end_order = 0;  // negative end: of equal starts, the longer row comes first
    std::int64_t rowid = 0;
  };
  // Leaves order_ empty if the rows are in order already.
  void scan(const std::string& where);
  bool read_times(std::optional<std::int64_t> start, std::optional<std::int64_t> end);
  void next_in_order();

  const SqliteTable& table_;
  SqliteDatabase& database_;
  TimeColumns times_;
  SqliteStatement statement_;  // reads the rows as they are
  std::vector<Place> order_;   // or: the order in which keyed_ reads the rows
  std::size_t next_place_ = 0;
  KeyedRows keyed_;
  std::int64_t start_ns_ = 0;
  std::optional<std::int64_t> end_ns_;
  bool has_row_ = false, damaged_ = false;
  std::uint64_t rows_ = 0, without_time_ = 0;
};

}  // namespace runahead::importers
