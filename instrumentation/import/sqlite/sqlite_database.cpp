#include "instrumentation/import/sqlite/sqlite_database.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace runahead::importers {
namespace {

struct SqliteLimit {
  int id, value;
};
// A file may state any sizes. These limits bound the memory that a row or a statement can take.
constexpr std::array<SqliteLimit, 9> kSqliteLimits{{
    {SQLITE_LIMIT_LENGTH, 32 << 20},
    {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    {SQLITE_LIMIT_COLUMN, 512},
    {SQLITE_LIMIT_EXPR_DEPTH, 100},
    {SQLITE_LIMIT_COMPOUND_SELECT, 4},
    {SQLITE_LIMIT_VDBE_OP, 100'000},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
}};

constexpr int kInstructionsPerProgress = 200'000;
// A row takes at least a cell of 4 bytes and its place in the page, 2 bytes (SQLite's file format,
// chapter 1.6).
constexpr std::uint64_t kLeastBytesOfRow = 6;

// Allows only SELECT statements that read columns and call functions.
int allow_reading(void*, int action, const char*, const char*, const char*, const char*) {
  const bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION;
  return reads ? SQLITE_OK : SQLITE_DENY;
}

// The path as a URI: immutable, so that SQLite neither locks the file nor looks for journals beside it.
std::string immutable_uri(const std::filesystem::path& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : std::filesystem::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '_' || c == '-';
    if (plain) {
      uri += c;
    } else {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri + "?mode=ro&immutable=1";
}

// True for the only type whose primary key is the table's rowid.
bool is_integer_type(std::string_view type) {
  constexpr std::string_view kInteger = "integer";
  return std::ranges::equal(type, kInteger, [](char a, char b) { return (a | 0x20) == b; });
}

constexpr std::string_view kNoSqliteMemory = "cannot be opened: no memory";

}  // namespace

std::string sql_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

bool SqliteTable::has(std::string_view column) const {
  return std::ranges::find(columns, column) != columns.end();
}

// ---- statements -------------------------------------------------------------------------------------------

void SqliteStatement::End::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

bool SqliteStatement::step() {
  if (!statement_ || failed_) return false;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) ++rows_;
  failed_ = (code != SQLITE_ROW && code != SQLITE_DONE) || rows_ > most_rows_;
  return code == SQLITE_ROW && !failed_;
}

bool SqliteStatement::find(std::int64_t key) {
  if (!statement_) return false;
  sqlite3_reset(statement_.get());
  rows_ = 0;
  failed_ = sqlite3_bind_int64(statement_.get(), 1, key) != SQLITE_OK;
  return step();
}

std::optional<std::int64_t> SqliteStatement::integer(int column) const {
  const int at = place_of(column);
  if (at < 0) return std::nullopt;
  // Allowed on a connection without mutexes. One call to find the value, instead of one for the type and one
  // for the number, makes an import 5 % faster.
  sqlite3_value* const value = sqlite3_column_value(statement_.get(), at);
  if (sqlite3_value_type(value) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_value_int64(value);
}

std::optional<double> SqliteStatement::real(int column) const {
  const int at = place_of(column);
  const int type = at < 0 ? SQLITE_NULL : sqlite3_column_type(statement_.get(), at);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
  return sqlite3_column_double(statement_.get(), at);
}

std::string_view SqliteStatement::text(int column) const {
  const int at = place_of(column);
  if (at < 0 || sqlite3_column_type(statement_.get(), at) != SQLITE_TEXT) return {};
  const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), at));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), at))};
}

// ---- the database -----------------------------------------------------------------------------------------

SqliteDatabase::SqliteDatabase(const recordings::Progress& progress, std::uint64_t size_bytes)
    : progress_(progress), most_rows_(size_bytes / kLeastBytesOfRow) {}

SqliteDatabase::~SqliteDatabase() { sqlite3_close_v2(sqlite_); }

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(const std::filesystem::path& path,
                                                             const recordings::Progress& progress) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  std::unique_ptr<SqliteDatabase> database(
      new SqliteDatabase(progress, unknown ? std::numeric_limits<std::uint64_t>::max() : size));
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(immutable_uri(path).c_str(), &database->sqlite_, kFlags, nullptr) != SQLITE_OK)
    return Error{"cannot be opened by SQLite: " + database->failure()};
  if (Status started = database->start(); !started) return started.error();
  return database;
}

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open_bytes(std::string_view bytes,
                                                                   const recordings::Progress& progress) {
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(progress, bytes.size()));
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(":memory:", &database->sqlite_, kFlags, nullptr) != SQLITE_OK)
    return Error{std::string(kNoSqliteMemory)};
  auto* const copy = static_cast<unsigned char*>(sqlite3_malloc64(std::max<std::size_t>(bytes.size(), 1)));
  if (copy == nullptr) return Error{std::string(kNoSqliteMemory)};
  std::copy(bytes.begin(), bytes.end(), copy);
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  constexpr unsigned kCopyFlags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY;
  if (sqlite3_deserialize(database->sqlite_, "main", copy, size, size, kCopyFlags) != SQLITE_OK)
    return Error{"cannot be opened by SQLite: " + database->failure()};
  if (Status started = database->start(); !started) return started.error();
  return database;
}

Status SqliteDatabase::start() {
  for (const SqliteLimit& limit : kSqliteLimits) sqlite3_limit(sqlite_, limit.id, limit.value);
  sqlite3_db_config(sqlite_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(sqlite_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(sqlite_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(sqlite_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(sqlite_, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  // A name in double quotes is always a name, and never a string.
  sqlite3_db_config(sqlite_, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(sqlite_, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  // A memory-mapped file that another program cuts off would stop this process (SIGBUS).
  for (const char* const pragma : {"PRAGMA cell_size_check=ON", "PRAGMA trusted_schema=OFF",
                                   "PRAGMA mmap_size=0", "PRAGMA query_only=ON", "PRAGMA cache_size=-16384"})
    sqlite3_exec(sqlite_, pragma, nullptr, nullptr, nullptr);
  const auto interrupts = [](void* self) {
    return static_cast<SqliteDatabase*>(self)->interrupted() ? 1 : 0;
  };
  sqlite3_progress_handler(sqlite_, kInstructionsPerProgress, interrupts, this);
  return list_tables();
}

bool SqliteDatabase::interrupted() {
  cancelled_ = cancelled_ || (progress_ && !progress_(done_));
  return cancelled_;
}

Status SqliteDatabase::list_tables() {
  SqliteStatement list = prepare("SELECT name, type, sql FROM sqlite_master");
  while (list.step()) {
    const bool ordinary = list.text(1) == "table" && list.text(2).starts_with("CREATE TABLE ");
    if (ordinary && !list.text(0).starts_with("sqlite_"))
      tables_.push_back({std::string(list.text(0)), {}, {}});
  }
  if (cancelled_) return Error{"was not opened: cancelled"};
  if (list.failed())
    return Error{"is a SQLite database that cannot be read: SQLite says \"" + failure() + "\""};
  for (SqliteTable& table : tables_) {
    SqliteStatement info = prepare("PRAGMA table_info(" + sql_name(table.name) + ")");
    int keys = 0;
    while (info.step()) {
      table.columns.emplace_back(info.text(1));
      if (info.integer(5).value_or(0) == 0) continue;
      ++keys;
      if (is_integer_type(info.text(2))) table.key = info.text(1);
    }
    if (keys != 1) table.key.clear();
  }
  sqlite3_set_authorizer(sqlite_, allow_reading, nullptr);
  return Ok{};
}

SqliteStatement SqliteDatabase::prepare(const std::string& sql) {
  SqliteStatement out;
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(sqlite_, sql.c_str(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_NO_VTAB, &prepared, nullptr);
  out.statement_.reset(prepared);
  out.failed_ = code != SQLITE_OK;
  return out;
}

const SqliteTable* SqliteDatabase::table(std::string_view name) const {
  const auto found = std::ranges::find(tables_, name, &SqliteTable::name);
  return found == tables_.end() ? nullptr : &*found;
}

SqliteStatement SqliteDatabase::select(const SqliteTable& table, const std::vector<std::string_view>& columns,
                                       std::string_view tail) {
  std::string names;
  std::vector<int> places;
  int present = 0;
  for (const std::string_view column : columns) {
    const bool is_rowid = column == "rowid";
    places.push_back(is_rowid || table.has(column) ? present++ : -1);
    if (places.back() < 0) continue;
    names += names.empty() ? "" : ", ";
    names += is_rowid ? "rowid" : sql_name(column);
  }
  // Without an index, rows come in the order of their rowids.
  SqliteStatement out = prepare("SELECT " + (names.empty() ? "NULL" : names) + " FROM " +
                                sql_name(table.name) + " NOT INDEXED " + std::string(tail));
  out.places_ = std::move(places);
  out.most_rows_ = most_rows_;
  return out;
}

std::optional<std::uint64_t> SqliteDatabase::count_rows(const SqliteTable& table) {
  // A plain count(*) cannot be interrupted, and in a damaged file it may have no end.
  SqliteStatement count =
      prepare("SELECT count(*) FROM (SELECT NULL FROM " + sql_name(table.name) + " LIMIT " +
              std::to_string(std::min<std::uint64_t>(most_rows_, INT64_MAX - 1) + 1) + ")");
  if (!count.step()) return std::nullopt;
  const auto rows = static_cast<std::uint64_t>(count.integer(0).value_or(0));
  return rows <= most_rows_ ? std::optional(rows) : std::nullopt;
}

std::string SqliteDatabase::failure() const {
  std::string words = sqlite_ == nullptr ? "no memory" : sqlite3_errmsg(sqlite_);
  std::ranges::replace(words, '\n', ' ');
  return words;
}

}  // namespace runahead::importers
