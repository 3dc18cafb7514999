// What SQLite has to know of a table of ours: columns, which of them rows can be found by, and a cursor over
// rows. The glue to SQLite's virtual tables is in virtual_table.cpp; the tables know nothing of SQLite.
//
// A table's rows are numbered; the values of a row are made when they are asked for, from the trace, which is
// not copied. One thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_context;

namespace runahead::query {

struct Column {
  const char* name;
  const char* type;  // SQLite's word: INTEGER, REAL, TEXT
};

// Integers [low, high]; empty where low > high.
struct Interval {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] bool empty() const { return low > high; }
  [[nodiscard]] bool contains(std::int64_t value) const { return low <= value && value <= high; }
};

// What a query says of the key columns; everything where it says nothing.
class Wanted {
 public:
  [[nodiscard]] Interval of(int column) const;
  void narrow(int column, Interval to);

 private:
  std::vector<std::pair<int, Interval>> intervals_;
};

// Where a value goes. One call for each value; none is NULL.
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

// A cursor. After start() it stands on the first row; more rows than wanted may come, SQLite leaves them out.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual void start(const Wanted& wanted) = 0;
  [[nodiscard]] virtual bool done() const = 0;
  virtual void next() = 0;
  virtual void column(int column, Value& value) const = 0;
  [[nodiscard]] virtual std::int64_t number() const = 0;  // of the row, within the table
};

class Table {
 public:
  virtual ~Table() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  [[nodiscard]] virtual std::span<const Column> columns() const = 0;
  // Columns that start() makes use of, and how many rows have one value of it, about.
  struct Key {
    int column;
    double rows_of_a_value;
  };
  [[nodiscard]] virtual std::vector<Key> keys() const { return {}; }
  [[nodiscard]] virtual double row_count() const = 0;  // about: decides the order of joins
  [[nodiscard]] virtual std::unique_ptr<Rows> rows() const = 0;
};

// Rows numbered 0 .. size-1, of which key column `by` (or none: -1) is that number: what most tables are.
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

// Makes `table` one of the database's, under its name. It must outlive the database. SQLite's result code.
int add_table(sqlite3& database, const Table& table);

}  // namespace runahead::query
