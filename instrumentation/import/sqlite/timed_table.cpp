#include "instrumentation/import/sqlite/timed_table.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "instrumentation/import/common/exact_time.h"

namespace runahead::importers {
namespace {

bool is_readable_time(std::optional<std::int64_t> ns) {
  return ns && *ns > -kMostTimeNs && *ns < kMostTimeNs;
}

// A row without an end lasts longest.
std::int64_t end_order_of(std::optional<std::int64_t> end) {
  return -end.value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

TimedTable::TimedTable(SqliteDatabase& database, const SqliteTable& table,
                       std::vector<std::string_view> columns, const TimeColumns& times,
                       std::string_view where)
    : table_(table), database_(database), times_(times) {
  const std::string tail = where.empty() ? "" : "WHERE " + std::string(where);
  scan(tail);
  columns.insert(columns.begin(), {times_.start, times_.end});
  if (order_.empty()) {
    statement_ = database.select(table, columns, tail);
  } else {
    keyed_ = KeyedRows(database, table, "rowid", columns);
  }
  next();
}

void TimedTable::scan(const std::string& where) {
  SqliteStatement statement = database_.select(table_, {times_.start, times_.end, "rowid"}, where);
  const auto place = [](const Place& row) { return std::tuple(row.start_ns, row.end_order, row.rowid); };
  bool sorted = true;
  while (statement.step()) {
    ++rows_;
    if (!read_times(statement.integer(0), statement.integer(1))) continue;
    const Place here{start_ns_, end_order_of(end_ns_), statement.integer(2).value_or(0)};
    sorted = sorted && (order_.empty() || place(order_.back()) <= place(here));
    order_.push_back(here);
  }
  damaged_ = statement.failed();
  if (sorted) {
    order_ = {};
    return;
  }
  without_time_ = rows_ - order_.size();
  std::ranges::sort(order_, {}, place);
}

bool TimedTable::read_times(std::optional<std::int64_t> start, std::optional<std::int64_t> end) {
  if (times_.times != nullptr) {
    start = start ? times_.times->find(*start) : std::nullopt;
    end = end ? times_.times->find(*end) : std::nullopt;
  }
  end_ns_ = is_readable_time(end) ? end : std::nullopt;
  start_ns_ = start.value_or(0);
  return is_readable_time(start);
}

void TimedTable::next() {
  if (!order_.empty()) return next_in_order();
  const std::int64_t before_ns = start_ns_;
  const bool had_row = std::exchange(has_row_, false);
  while (statement_.step()) {
    // In a damaged table, the second reading may find rows in another order than the first. Such a row counts
    // as a row without a time.
    if (read_times(statement_.integer(0), statement_.integer(1)) && (!had_row || start_ns_ >= before_ns)) {
      has_row_ = true;
      return;
    }
    ++without_time_;
  }
  damaged_ = damaged_ || statement_.failed();
}

void TimedTable::next_in_order() {
  has_row_ = false;
  while (next_place_ < order_.size()) {
    const Place& place = order_[next_place_++];
    // In a damaged table, the second reading may not find a row that the first one found.
    if (keyed_.find(place.rowid)) {
      read_times(keyed_.integer(0), keyed_.integer(1));
      start_ns_ = place.start_ns;
      has_row_ = true;
      return;
    }
    damaged_ = damaged_ || keyed_.failed();
    ++without_time_;
  }
}

bool TimedTable::comes_before(const TimedTable& other) const {
  if (start_ns_ != other.start_ns_) return start_ns_ < other.start_ns_;
  return end_order_of(end_ns_) < end_order_of(other.end_ns_);
}

}  // namespace runahead::importers
