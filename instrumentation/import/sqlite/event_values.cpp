#include "instrumentation/import/sqlite/event_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

namespace runahead::importers {

EventValues::EventValues(SqliteDatabase& database, const SqliteTable& table, std::string_view event,
                         std::string_view counter, std::string_view value) {
  SqliteStatement rows = database.select(table, {event, counter, value});
  while (rows.step()) {
    ++rows_;
    const auto key = rows.integer(0), name = rows.integer(1);
    const auto number = rows.real(2);
    if (key && name && number && std::isfinite(*number)) values_.push_back({*key, *name, *number});
  }
  damaged_ = rows.failed();
  const auto place = [](const EventValue& row) { return std::tuple(row.event, row.counter); };
  if (!std::ranges::is_sorted(values_, {}, place)) std::ranges::stable_sort(values_, {}, place);
  is_taken_.resize(values_.size());
}

std::span<const EventValue> EventValues::take(std::int64_t event) {
  if (values_.empty()) return {};
  const auto found = std::ranges::equal_range(values_, event, {}, &EventValue::event);
  if (found.empty()) return {};
  const auto first = static_cast<std::size_t>(found.begin() - values_.begin());
  if (is_taken_[first]) return {};
  is_taken_[first] = true;
  taken_ += found.size();
  return {found.begin(), found.end()};
}

}  // namespace runahead::importers
