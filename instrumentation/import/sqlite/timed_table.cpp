#include "instrumentation/import/sqlite/timed_table.h"

#include <limits>
#include <utility>

#include "instrumentation/import/common/exact_time.h"

namespace runahead::importers {
namespace {

bool is_readable_time(std::optional<std::int64_t> ns) {
  return ns && *ns > -kMostTimeNs && *ns < kMostTimeNs;
}

// A row without an end lasts longest.
std::int64_t end_order(std::optional<std::int64_t> end) {
  return end.value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

TimedTable::TimedTable(SqliteDatabase& database, const SqliteTable& table,
                       std::vector<std::string_view> columns, std::string_view start, std::string_view where)
    : database_(database), table_(table) {
  constexpr std::string_view kEnd = "end";
  std::string tail = where.empty() ? "" : "WHERE " + std::string(where);
  const bool sorted = scan({start, kEnd, "rowid"}, tail);
  columns.insert(columns.begin(), {start, kEnd});
  if (!sorted) {
    // If SQLite met the damage while it sorts, it would return no row. So it sorts only the rows before the
    // damage. The last of these rows is lost too: SQLite moves on from a row before it compares the next one.
    if (damaged_) tail += (where.empty() ? "WHERE rowid < " : " AND rowid < ") + std::to_string(last_rowid_);
    const std::string end = table.has(kEnd) ? sql_name(kEnd) : "NULL";
    tail += " ORDER BY " + sql_name(start) + ", typeof(" + end + ") = 'integer', " + end + " DESC";
  }
  statement_ = database.select(table, columns, tail);
  next();
}

bool TimedTable::scan(const std::vector<std::string_view>& times, const std::string& where) {
  SqliteStatement statement = database_.select(table_, times, where);
  bool sorted = true;
  std::pair<std::int64_t, std::int64_t> last{std::numeric_limits<std::int64_t>::min(), 0};
  while (statement.step()) {
    ++rows_;
    last_rowid_ = statement.integer(2).value_or(0);
    if (!read_times(statement)) continue;
    const std::pair here{start_ns_, -end_order(end_ns_)};
    sorted = sorted && last <= here;
    last = here;
  }
  damaged_ = statement.failed();
  return sorted;
}

bool TimedTable::read_times(const SqliteStatement& statement) {
  const std::optional<std::int64_t> start = statement.integer(0);
  end_ns_ = statement.integer(1);
  if (!is_readable_time(end_ns_)) end_ns_.reset();
  start_ns_ = start.value_or(0);
  return is_readable_time(start);
}

void TimedTable::next() {
  const std::int64_t before_ns = start_ns_;
  const bool had_row = std::exchange(has_row_, false);
  while (statement_.step()) {
    // In a damaged table, the second reading may find rows in another order than the first. Such a row counts
    // as a row without a time.
    if (read_times(statement_) && (!had_row || start_ns_ >= before_ns)) {
      has_row_ = true;
      return;
    }
    ++without_time_;
  }
  damaged_ = damaged_ || statement_.failed();
}

bool TimedTable::comes_before(const TimedTable& other) const {
  if (start_ns_ != other.start_ns_) return start_ns_ < other.start_ns_;
  return end_order(end_ns_) > end_order(other.end_ns_);
}

}  // namespace runahead::importers
