// EventValues: the values of performance counters that a database has for its events, such as kernels. They
// have no times of their own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "instrumentation/import/sqlite/sqlite_database.h"

namespace runahead::importers {

struct EventValue {
  std::int64_t event = 0, counter = 0;  // the numbers of the event and of the counter
  double value = 0;
};

class EventValues {
 public:
  EventValues() = default;
  // Reads all rows; the arguments name the columns. Memory: 24 bytes for each row.
  EventValues(SqliteDatabase& database, const SqliteTable& table, std::string_view event,
              std::string_view counter, std::string_view value);

  // Takes the values of the event, with those of the same counter next to each other. A second call for the
  // same event returns nothing, so each row is used once. Valid as long as this object.
  [[nodiscard]] std::span<const EventValue> take(std::int64_t event);
  // The number of rows that were not taken. It includes rows without an event or without a finite value.
  [[nodiscard]] std::uint64_t left() const { return rows_ - taken_; }
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  std::vector<EventValue> values_;  // sorted by event and counter
  std::vector<bool> is_taken_;      // of the first value of an event
  std::uint64_t rows_ = 0, taken_ = 0;
  bool damaged_ = false;
};

}  // namespace runahead::importers
