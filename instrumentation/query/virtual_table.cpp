#include "instrumentation/query/virtual_table.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

namespace runahead::query {
namespace {

// SQLite requires that its own struct is the first member.
struct ConnectedTable {
  sqlite3_vtab base;
  const Table* table;
};
struct OpenCursor {
  sqlite3_vtab_cursor base;
  std::unique_ptr<Rows> rows;
};

const Table& table_of(sqlite3_vtab* connected) {
  return *reinterpret_cast<ConnectedTable*>(connected)->table;
}
Rows& rows_of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<OpenCursor*>(cursor)->rows; }

// No exception may pass through SQLite, so an exception becomes an error code.
template <typename Action>
int guarded(Action action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (...) {
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* database, void* table, int, const char* const*, sqlite3_vtab** out, char**) {
  return guarded([&] {
    std::string words;
    for (const Column& column : static_cast<const Table*>(table)->columns()) {
      words += (words.empty() ? "" : ", ") + ("\"" + std::string(column.name) + "\" ") + column.type;
    }
    const int code = sqlite3_declare_vtab(database, ("CREATE TABLE rows(" + words + ")").c_str());
    if (code == SQLITE_OK) *out = &(new ConnectedTable{{}, static_cast<const Table*>(table)})->base;
    return code;
  });
}

int disconnect(sqlite3_vtab* connected) {
  delete reinterpret_cast<ConnectedTable*>(connected);
  return SQLITE_OK;
}

bool is_usable(int op) {
  return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_LT ||
         op == SQLITE_INDEX_CONSTRAINT_LE || op == SQLITE_INDEX_CONSTRAINT_GT ||
         op == SQLITE_INDEX_CONSTRAINT_GE;
}

// Chooses the conditions of the query that the table uses to find rows. Passes this plan to filter() as text.
// The text has "column operator " for each value that filter() will get.
int best_index(sqlite3_vtab* connected, sqlite3_index_info* info) {
  return guarded([&] {
    const Table& table = table_of(connected);
    const std::vector<Table::Key> keys = table.keys();
    double rows = std::max(table.row_count(), 1.0);
    std::string plan;
    int values = 0;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      const auto key = std::ranges::find(keys, constraint.iColumn, &Table::Key::column);
      if (constraint.usable == 0 || key == keys.end() || !is_usable(constraint.op)) continue;
      plan += std::to_string(constraint.iColumn) + " " + std::to_string(constraint.op) + " ";
      info->aConstraintUsage[i].argvIndex = ++values;
      rows = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ ? std::min(rows, key->rows_of_a_value) : rows / 4;
    }
    info->estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
    info->estimatedCost = rows + 1;
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    info->needToFreeIdxStr = 1;
    return info->idxStr != nullptr ? SQLITE_OK : SQLITE_NOMEM;
  });
}

int open(sqlite3_vtab* connected, sqlite3_vtab_cursor** out) {
  return guarded([&] {
    *out = &(new OpenCursor{{}, table_of(connected).rows()})->base;
    return SQLITE_OK;
  });
}

int close(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<OpenCursor*>(cursor);
  return SQLITE_OK;
}

// Returns an interval with all integers that meet the condition `op` `value`. The interval may contain other
// integers too. This does no harm, because SQLite checks each row again.
Interval interval_of(int op, sqlite3_value* value) {
  Interval interval;
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return interval;
  std::int64_t low = sqlite3_value_int64(value), high = low;
  if (type == SQLITE_FLOAT) {
    const double real = sqlite3_value_double(value);
    constexpr double kMost = 9e18;
    if (!(std::abs(real) < kMost)) return interval;
    low = static_cast<std::int64_t>(std::floor(real));
    high = static_cast<std::int64_t>(std::ceil(real));
  }
  if (op != SQLITE_INDEX_CONSTRAINT_LT && op != SQLITE_INDEX_CONSTRAINT_LE) interval.low = low;
  if (op != SQLITE_INDEX_CONSTRAINT_GT && op != SQLITE_INDEX_CONSTRAINT_GE) interval.high = high;
  return interval;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char* plan, int count, sqlite3_value** values) {
  return guarded([&] {
    Wanted wanted;
    char* at = const_cast<char*>(plan);  // strtol takes a non-const pointer but writes nothing
    for (int i = 0; i < count; ++i) {
      const auto column = static_cast<int>(std::strtol(at, &at, 10));
      const auto op = static_cast<int>(std::strtol(at, &at, 10));
      wanted.narrow(column, interval_of(op, values[i]));
    }
    rows_of(cursor).start(wanted);
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  return guarded([&] {
    rows_of(cursor).next();
    return SQLITE_OK;
  });
}

int eof(sqlite3_vtab_cursor* cursor) { return rows_of(cursor).done() ? 1 : 0; }

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  return guarded([&] {
    Value value(*context);
    rows_of(cursor).column(column, value);
    return SQLITE_OK;
  });
}

int rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = rows_of(cursor).number();
  return SQLITE_OK;
}

// A module without xCreate is an eponymous table: it exists without a CREATE VIRTUAL TABLE statement, under
// its own name.
sqlite3_module make_module() {
  sqlite3_module made{};
  made.xConnect = connect;
  made.xBestIndex = best_index;
  made.xDisconnect = disconnect;
  made.xOpen = open;
  made.xClose = close;
  made.xFilter = filter;
  made.xNext = next;
  made.xEof = eof;
  made.xColumn = column;
  made.xRowid = rowid;
  return made;
}

}  // namespace

Interval Wanted::of(int column) const {
  for (const auto& [of, interval] : intervals_) {
    if (of == column) return interval;
  }
  return {};
}

void Wanted::narrow(int column, Interval to) {
  for (auto& [of, interval] : intervals_) {
    if (of != column) continue;
    interval = {std::max(interval.low, to.low), std::min(interval.high, to.high)};
    return;
  }
  intervals_.emplace_back(column, to);
}

void Value::integer(std::int64_t value) { sqlite3_result_int64(&context_, value); }
void Value::real(double value) { sqlite3_result_double(&context_, value); }
void Value::text(std::string_view text) {
  sqlite3_result_text64(&context_, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}
void Value::copied_text(std::string_view text) {
  sqlite3_result_text64(&context_, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}

void NumberedRows::start(const Wanted& wanted) {
  const Interval interval = by_ >= 0 ? wanted.of(by_) : Interval{};
  const auto clamped = [this](std::int64_t number) {
    return number < 0 ? 0 : std::min(static_cast<std::uint64_t>(number), size_);
  };
  at_ = clamped(interval.low);
  end_ = interval.high < 0 ? 0 : clamped(interval.high == INT64_MAX ? interval.high : interval.high + 1);
}

int add_table(sqlite3& database, const Table& table) {
  static const sqlite3_module module = make_module();
  return sqlite3_create_module_v2(&database, table.name(), &module, const_cast<Table*>(&table), nullptr);
}

}  // namespace runahead::query
