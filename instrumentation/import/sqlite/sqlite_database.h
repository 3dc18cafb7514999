// SqliteDatabase: a SQLite file of another program, opened for reading. The file may be damaged or hostile:
// it is opened read-only and immutable, without views, triggers, extensions and attached files, and with
// limits on the size of rows and statements. SqliteStatement: one SELECT statement. Only one thread at a time
// may use a database and its statements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/recording/recording.h"

struct sqlite3;
struct sqlite3_stmt;

namespace runahead::importers {

// An ordinary table. Views and virtual tables are not listed.
struct SqliteTable {
  std::string name;
  std::vector<std::string> columns;
  // The column that is the table's rowid (INTEGER PRIMARY KEY), so rows are found by it quickly. Empty: none.
  std::string key;

  [[nodiscard]] bool has(std::string_view column) const;
};

class SqliteStatement {
 public:
  SqliteStatement() = default;
  // True: the statement stands on a row. False: there is no further row, or an error (see failed()).
  bool step();
  [[nodiscard]] bool failed() const { return failed_; }

  // The values of the current row. A value of another type gives nullopt or "". SQLite does not check the
  // types of a file's columns, so a column of numbers may contain texts.
  [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
  [[nodiscard]] std::optional<double> real(int column) const;  // an integer or a floating point number
  [[nodiscard]] std::string_view text(int column) const;       // valid until the next step() or find()

  // Binds the statement's only parameter and steps once.
  bool find(std::int64_t key);

 private:
  friend class SqliteDatabase;
  struct End {
    void operator()(sqlite3_stmt* statement) const;
  };
  // The column's place in the statement; -1: the table does not have the column.
  [[nodiscard]] int place_of(int column) const {
    return places_.empty() ? column : places_[static_cast<std::size_t>(column)];
  }
  std::unique_ptr<sqlite3_stmt, End> statement_;
  // More rows than the file has room for are rows that a damaged file has several times. Then the statement
  // fails.
  std::uint64_t most_rows_ = std::numeric_limits<std::uint64_t>::max(), rows_ = 0;
  std::vector<int> places_;  // empty: the statement has all columns
  bool failed_ = false;
};

class SqliteDatabase {
 public:
  // Opens the file and reads its list of tables. The error completes a sentence that begins with the name of
  // the file. `progress` is asked during long statements; if it returns false, all statements fail and
  // cancelled() is true.
  [[nodiscard]] static Result<std::unique_ptr<SqliteDatabase>> open(const std::filesystem::path& path,
                                                                    const recordings::Progress& progress);
  // Opens a copy of a file that is in memory.
  [[nodiscard]] static Result<std::unique_ptr<SqliteDatabase>> open_bytes(
      std::string_view bytes, const recordings::Progress& progress);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  [[nodiscard]] const std::vector<SqliteTable>& tables() const { return tables_; }
  [[nodiscard]] const SqliteTable* table(std::string_view name) const;  // nullptr: the file has no such table

  // Prepares "SELECT columns FROM table tail". A column that the table does not have is NULL in every row.
  // The column "rowid" is the number of the row. A statement that SQLite refuses has failed() and no rows.
  [[nodiscard]] SqliteStatement select(const SqliteTable& table, const std::vector<std::string_view>& columns,
                                       std::string_view tail = {});
  // The number of rows; nullopt: the table is damaged, or the import was cancelled.
  [[nodiscard]] std::optional<std::uint64_t> count_rows(const SqliteTable& table);

  // SQLite's words for the last error.
  [[nodiscard]] std::string failure() const;
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  // What `progress` is told from now on: the share of the work that is done, 0 to 1.
  void set_done(double done) { done_ = done; }

 private:
  // `size_bytes`: of the file.
  SqliteDatabase(const recordings::Progress& progress, std::uint64_t size_bytes);
  Status start();
  Status list_tables();
  [[nodiscard]] SqliteStatement prepare(const std::string& sql);
  [[nodiscard]] bool interrupted();

  const recordings::Progress& progress_;
  const std::uint64_t most_rows_;  // that a table of this file can have
  sqlite3* sqlite_ = nullptr;
  std::vector<SqliteTable> tables_;
  double done_ = 0;
  bool cancelled_ = false;
};

// `name` as a quoted identifier of SQL.
[[nodiscard]] std::string sql_name(std::string_view name);

}  // namespace runahead::importers
