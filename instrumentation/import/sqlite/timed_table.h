// TimedTable: reads the rows of a table in the order of their start times, one row at a time. Most tables of
// a profiler are written in this order; then they are read as they are. Otherwise SQLite sorts them, in
// temporary files if they are large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/import/sqlite/sqlite_database.h"

namespace runahead::importers {

class TimedTable {
 public:
  // Counts the rows, checks their order, and reads the first row. `start` and `end` name the columns with the
  // times in ns. `columns` are further columns; a row's values have the same index. `where` is a condition in
  // SQL that the rows fulfil. All referenced objects must outlive this object.
  TimedTable(SqliteDatabase& database, const SqliteTable& table, std::vector<std::string_view> columns,
             std::string_view start = "start", std::string_view where = {});

  [[nodiscard]] const std::string& name() const { return table_.name; }
  [[nodiscard]] bool has_row() const { return has_row_; }
  void next();

  // The current row. A row without an end, or with an unreadable end, has none.
  [[nodiscard]] std::int64_t start_ns() const { return start_ns_; }
  [[nodiscard]] std::optional<std::int64_t> end_ns() const { return end_ns_; }
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t i) const { return statement_.integer(at(i)); }
  [[nodiscard]] std::int64_t integer_or(std::size_t i, std::int64_t other) const {
    return integer(i).value_or(other);
  }
  [[nodiscard]] std::optional<double> real(std::size_t i) const { return statement_.real(at(i)); }
  [[nodiscard]] std::string_view text(std::size_t i) const { return statement_.text(at(i)); }

  // True if this row comes before the other row: it starts earlier or, at the same start, ends later.
  [[nodiscard]] bool comes_before(const TimedTable& other) const;

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // Rows so far whose start is missing, not an integer, or out of range.
  [[nodiscard]] std::uint64_t without_time() const { return without_time_; }
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  static int at(std::size_t i) { return static_cast<int>(i) + 2; }
  // True if the rows are in order already.
  bool scan(const std::vector<std::string_view>& times, const std::string& where);
  bool read_times(const SqliteStatement& statement);

  SqliteDatabase& database_;
  const SqliteTable& table_;
  SqliteStatement statement_;
  std::int64_t start_ns_ = 0;
  std::optional<std::int64_t> end_ns_;
  bool has_row_ = false, damaged_ = false;
  std::uint64_t rows_ = 0, without_time_ = 0;
  std::int64_t last_rowid_ = 0;  // of the last row that could be read
};

}  // namespace runahead::importers
