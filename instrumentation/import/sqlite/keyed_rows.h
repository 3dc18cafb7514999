// KeyedRows: finds the rows of a table by their key. A search for a key that is a little larger than an
// earlier one only steps to it, which is several times cheaper than a search from the root of the table.
// Several cursors do this at once, because a table often has the rows of several threads one after the other.
// The rows that a cursor steps over are kept for a while, because they are often searched next. IdValues: one
// column of numbers by id, in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/import/sqlite/sqlite_database.h"

namespace runahead::importers {

class KeyedRows {
 public:
  // No rows.
  KeyedRows() = default;
  // `key` names the column with the keys; "rowid" is the number of the row. If the column is not the table's
  // rowid, the rowid of each key is kept in memory; of rows with equal keys, the first is found. The values
  // of a row have the index of their column in `columns`. `database` must outlive this.
  KeyedRows(SqliteDatabase& database, const SqliteTable& table, std::string_view key,
            const std::vector<std::string_view>& columns);

  // True: the values below are those of the row with this key.
  bool find(std::int64_t key);
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t i) const {
    return kept_ == nullptr ? found_->rows.integer(at(i)) : kept_->values[i].integer;
  }
  [[nodiscard]] std::int64_t integer_or(std::size_t i, std::int64_t other) const {
    return integer(i).value_or(other);
  }
  [[nodiscard]] std::optional<double> real(std::size_t i) const {
    return kept_ == nullptr ? found_->rows.real(at(i)) : kept_->values[i].real;
  }
  // Valid until the next find().
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return kept_ == nullptr ? found_->rows.text(at(i)) : kept_->values[i].text;
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  struct Cursor {
    SqliteStatement rows;  // the rows from a rowid on
    // Invariant: there is no row with a rowid from `asked` to *here - 1.
    std::int64_t asked = 0;
    std::optional<std::int64_t> here;  // the rowid of the current row, if there is one
    std::uint64_t used = 0;            // the number of the search that used it last

    [[nodiscard]] bool is_at_or_near(std::int64_t rowid) const;
  };
  struct KeptValue {
    std::optional<std::int64_t> integer;
    std::optional<double> real;
    std::string text;
  };
  struct KeptRow {
    std::optional<std::int64_t> rowid;
    std::vector<KeptValue> values;
  };
  static constexpr std::size_t kKeptRows = 64, kMostCursors = 8;

  static int at(std::size_t i) { return static_cast<int>(i) + 1; }
  [[nodiscard]] KeptRow& kept_place(std::int64_t rowid) {
    return kept_rows_[static_cast<std::size_t>(rowid) % kKeptRows];
  }
  bool find_rowid(std::int64_t rowid);
  [[nodiscard]] Cursor& cursor_for(std::int64_t rowid);
  bool move(Cursor& cursor, std::int64_t rowid);
  void keep(const Cursor& cursor);

  SqliteDatabase* database_ = nullptr;
  const SqliteTable* table_ = nullptr;
  std::vector<std::string> columns_;
  std::optional<std::unordered_map<std::int64_t, std::int64_t>> rowids_;
  std::vector<Cursor> cursors_;
  std::vector<KeptRow> kept_rows_;  // index: rowid % kKeptRows
  // The found row: kept_ or, if it is null, the row of found_.
  const KeptRow* kept_ = nullptr;
  const Cursor* found_ = nullptr;
  std::uint64_t searches_ = 0;
  bool failed_ = false;
};

class IdValues {
 public:
  // Reads the columns `id` and `value` of all rows. Memory: 8 bytes for each row if the ids have few gaps,
  // otherwise 16.
  IdValues(SqliteDatabase& database, const SqliteTable& table, std::string_view id, std::string_view value);

  [[nodiscard]] std::optional<std::int64_t> find(std::int64_t id) const;
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
  void add(std::int64_t id, std::int64_t value);

  std::int64_t first_ = 0;                                     // the id of dense_[0]
  std::vector<std::int64_t> dense_;                            // kNone: no value
  std::vector<std::pair<std::int64_t, std::int64_t>> sparse_;  // ids and values, sorted
  bool damaged_ = false;
};

}  // namespace runahead::importers
