// What SQLite needs to know about our tables: the columns, the key columns (by which rows can be found), and
// a cursor over rows. The glue to SQLite's virtual tables is in virtual_table.cpp; the tables know nothing of
// SQLite.
//
// Rows of a table are numbered. The values of a row are computed from the trace when SQLite asks for them;
// the trace is not copied. Only one thread may use a table at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct sqlite3;
struct sqlite3_context;

namespace runahead::query {

struct Column {
  const char* name;
  const char* type;  // SQLite's type name: INTEGER, REAL, TEXT
};

// Integers [low, high]; empty if low > high.
struct Interval {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] bool empty() const { return low > high; }
  [[nodiscard]] bool contains(std::int64_t value) const { return low <= value && value <= high; }
};

// The conditions of a query on the key columns; unrestricted by default.
class Wanted {
 public:
  [[nodiscard]] Interval of(int column) const;
  void narrow(int column, Interval to);

 private:
  std::vector<std::pair<int, Interval>> intervals_;
};

// Receives one value. Call one of the functions once; without a call the value is NULL.
class Value {
 public:
  explicit Value(sqlite3_context& context) : context_(context) {}
  void integer(std::int64_t value);
  void real(double value);
  void text(std::string_view lives_as_long_as_the_trace);
  void copied_text(std::string_view text);

 private:
  sqlite3_context& context_;
};

// A cursor. After start() the cursor is on the first row. A cursor may return more rows than the query needs;
// SQLite drops the unneeded rows.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual void start(const Wanted& wanted) = 0;
  [[nodiscard]] virtual bool done() const = 0;
  virtual void next() = 0;
  virtual void column(int column, Value& value) const = 0;
  [[nodiscard]] virtual std::int64_t number() const = 0;  // number of the row within the table
};

class Table {
 public:
  virtual ~Table() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual std::span<const Column> columns() const = 0;
  // A key column: start() can use the conditions of a query on this column to visit fewer rows.
  // rows_of_a_value: roughly how many rows have the same value in this column.
  struct Key {
    int column;
    double rows_of_a_value;
  };
  [[nodiscard]] virtual std::vector<Key> keys() const { return {}; }
  [[nodiscard]] virtual double row_count() const = 0;  // an estimate; SQLite uses it to order joins
  [[nodiscard]] virtual std::unique_ptr<Rows> rows() const = 0;
};

// A cursor over rows that are numbered 0 .. size-1. `by` is the key column that contains this number (-1:
// there is no key column).
class NumberedRows : public Rows {
 public:
  NumberedRows(std::uint64_t size, int by) : size_(size), by_(by) {}
  void start(const Wanted& wanted) override;
  [[nodiscard]] bool done() const override { return at_ >= end_; }
  void next() override { ++at_; }
  [[nodiscard]] std::int64_t number() const override { return static_cast<std::int64_t>(at_); }

 protected:
  [[nodiscard]] std::uint64_t at() const { return at_; }

 private:
  std::uint64_t size_, at_ = 0, end_ = 0;
  int by_;
};

// Makes `table` available in the database under its name. The table must outlive the database. Returns
// SQLite's result code.
int add_table(sqlite3& database, const Table& table);

}  // namespace runahead::query
