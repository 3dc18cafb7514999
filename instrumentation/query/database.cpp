#include "instrumentation/query/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "instrumentation/query/trace_tables.h"

namespace runahead::query {
namespace {

struct StatementEnd {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, StatementEnd>;

// Denies access to files. A statement may not attach a database file (VACUUM INTO also attaches a file). A
// statement may use only pragmas that do not touch files.
int authorize(void*, int action, const char* first, const char*, const char*, const char*) {
  if (action == SQLITE_ATTACH || action == SQLITE_DETACH) return SQLITE_DENY;
  const std::string_view pragma = first != nullptr ? first : "";
  const bool harmless = pragma == "table_info" || pragma == "table_list" || pragma == "table_xinfo" ||
                        pragma == "module_list" || pragma == "function_list";
  if (action == SQLITE_PRAGMA && !harmless) return SQLITE_DENY;
  return SQLITE_OK;
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// SQLite gives the offset of the error in `sql`. The message quotes `sql` from this offset.
Error error_of(sqlite3& database, std::string_view sql) {
  if (sqlite3_errcode(&database) == SQLITE_NOMEM) return Error{std::string(kNoMemory)};
  std::string message = sqlite3_errmsg(&database);
#if SQLITE_VERSION_NUMBER >= 3038000
  const int at = sqlite3_error_offset(&database);
  if (at > 0 && static_cast<std::size_t>(at) < sql.size()) {
    message += ", at '" + std::string(sql.substr(static_cast<std::size_t>(at), 30)) + "'";
  }
#endif
  return Error{one_line(std::move(message))};
}

// Removes blanks, comments and empty statements from the start of `sql`. The result is empty if no further
// statement follows.
std::string_view without_leading_blanks(std::string_view sql) {
  for (;;) {
    const std::size_t begin = std::min(sql.find_first_not_of(" \t\r\n;"), sql.size());
    sql.remove_prefix(begin);
    if (sql.starts_with("--")) {
      sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
    } else if (sql.starts_with("/*")) {
      const std::size_t end = sql.find("*/", 2);
      sql.remove_prefix(end == std::string_view::npos ? sql.size() : end + 2);
    } else {
      return sql;
    }
  }
}

bool is_slice_column(sqlite3_stmt* statement, int column) {
#ifdef RUNAHEAD_SQLITE_HAS_ORIGINS
  const char* const table = sqlite3_column_table_name(statement, column);
  const char* const name = sqlite3_column_origin_name(statement, column);
  return table != nullptr && name != nullptr && holds_slice_ids(table, name);
#else  // this SQLite was built without column metadata: guess from the name of the result column
  return std::string_view(sqlite3_column_name(statement, column)) == "slice";
#endif
}

Columns columns_of(sqlite3_stmt* statement) {
  Columns columns;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    columns.names.emplace_back(sqlite3_column_name(statement, i));
    if (!columns.slice && is_slice_column(statement, i)) columns.slice = static_cast<std::size_t>(i);
  }
  return columns;
}

Field field_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return {};
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    default: {
      const void* const bytes = sqlite3_column_blob(statement, column);
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      return std::string_view(static_cast<const char*>(bytes), bytes != nullptr ? size : 0);
    }
  }
}

// Steps the statement until its last row, or until the reader (if there is one) returns false.
int step_through(sqlite3_stmt* statement, const Database::Reader* reader) {
  if (reader != nullptr) reader->columns(columns_of(statement));
  std::vector<Field> fields(static_cast<std::size_t>(sqlite3_column_count(statement)));
  for (;;) {
    const int code = sqlite3_step(statement);
    if (code != SQLITE_ROW) return code;
    if (reader == nullptr) continue;
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = field_of(statement, static_cast<int>(i));
    if (!reader->row(fields)) return SQLITE_DONE;
  }
}

}  // namespace

Database::Database() = default;

Database::~Database() { sqlite3_close(sqlite_); }

Result<std::unique_ptr<Database>> Database::open(trace::Trace snapshot) {
  std::unique_ptr<Database> database(new Database);
  database->tables_ = std::make_unique<TraceTables>(std::move(snapshot));
  if (Status opened = database->open_tables(); !opened) return opened.error();
  return database;
}

Status Database::open_tables() {
  if (sqlite3_open(":memory:", &sqlite_) != SQLITE_OK) return Error{"SQLite cannot be opened: no memory"};
  for (const auto& table : tables_->all()) {
    if (add_table(*sqlite_, *table) != SQLITE_OK) return error_of(*sqlite_, {});
  }
  sqlite3_set_authorizer(sqlite_, authorize, nullptr);
  constexpr int kStepsBetweenLooks = 10'000;
  const auto cancelled = [](void* flag) {
    return static_cast<std::atomic<bool>*>(flag)->load(std::memory_order_relaxed) ? 1 : 0;
  };
  sqlite3_progress_handler(sqlite_, kStepsBetweenLooks, cancelled, &cancelled_);
  return Ok{};
}

Status Database::run(std::string_view sql, const Reader& reader) {
  const Status ran = run_all(sql, reader);
  cancelled_.store(false, std::memory_order_relaxed);
  return ran;
}

Status Database::run_all(std::string_view sql, const Reader& reader) {
  std::string_view rest = sql;
  do {
    sqlite3_stmt* prepared = nullptr;
    const char* after = nullptr;
    if (sqlite3_prepare_v2(sqlite_, rest.data(), static_cast<int>(rest.size()), &prepared, &after) !=
        SQLITE_OK) {
      return error_of(*sqlite_, rest);
    }
    const Statement statement(prepared);
    rest.remove_prefix(static_cast<std::size_t>(after - rest.data()));
    rest = without_leading_blanks(rest);
    if (!statement) continue;
    const int code = step_through(prepared, rest.empty() ? &reader : nullptr);
    if (code == SQLITE_INTERRUPT) return Error{"cancelled"};
    if (code != SQLITE_DONE) return error_of(*sqlite_, {});
    if (rest.empty()) return Ok{};
  } while (!rest.empty());
  return Error{"there is no statement in it"};
}

std::optional<SlicePlace> Database::slice(std::int64_t id) const { return tables_->place_of(id); }

}  // namespace runahead::query
