// KeyedRows: finds the rows of a table by their key. A search for a key that is a little larger than the last
// one only steps to it, which is several times cheaper than a search from the root of the table. IdValues:
// one column of numbers by id, in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
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
            std::vector<std::string_view> columns);

  // True: the values below are those of the row with this key.
  bool find(std::int64_t key);
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t i) const { return rows_.integer(at(i)); }
  [[nodiscard]] std::int64_t integer_or(std::size_t i, std::int64_t other) const {
    return integer(i).value_or(other);
  }
  [[nodiscard]] std::optional<double> real(std::size_t i) const { return rows_.real(at(i)); }
  // Valid until the next find().
  [[nodiscard]] std::string_view text(std::size_t i) const { return rows_.text(at(i)); }
  [[nodiscard]] bool failed() const { return rows_.failed(); }

 private:
  static int at(std::size_t i) { return static_cast<int>(i) + 1; }
  bool find_rowid(std::int64_t rowid);

  SqliteStatement rows_;  // the rows from a rowid on
  std::optional<std::unordered_map<std::int64_t, std::int64_t>> rowids_;
  // Invariant: there is no row with a rowid from asked_ to *here_ - 1.
  std::int64_t asked_ = 0;
  std::optional<std::int64_t> here_;  // the rowid of the current row, if there is one
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
