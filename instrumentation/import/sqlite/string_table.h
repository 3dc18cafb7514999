// StringTable: a table with an id and a string in each row, as profilers write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/import/common/import_names.h"
#include "instrumentation/import/sqlite/keyed_rows.h"
#include "instrumentation/import/sqlite/sqlite_database.h"

namespace runahead::importers {
using namespace trace;

// Values by id. Most ids of a profiler are small numbers, so their values are in a vector.
template <typename Value>
class SmallIds {
 public:
  // The value of the id, and true if the id is new.
  std::pair<Value&, bool> try_emplace(std::int64_t id) {
    std::optional<Value>& value = place_of(id);
    const bool is_new = !value.has_value();
    if (is_new) value.emplace();
    return {*value, is_new};
  }

 private:
  static constexpr std::int64_t kMostDense = 1 << 20;
  std::optional<Value>& place_of(std::int64_t id) {
    if (id < 0 || id >= kMostDense) return others_[id];
    const auto at = static_cast<std::size_t>(id);
    if (at >= dense_.size()) dense_.resize(at + 1);
    return dense_[at];
  }
  std::vector<std::optional<Value>> dense_;
  std::unordered_map<std::int64_t, std::optional<Value>> others_;
};

class StringTable {
 public:
  // `table`: nullptr if the file has no such table. `id` and `value` are its columns. The objects must
  // outlive this one.
  StringTable(SqliteDatabase& database, const SqliteTable* table, std::string_view id, std::string_view value,
              ImportNames& names);

  // The string with this id. "": no such string; it is counted.
  [[nodiscard]] StringId find(std::int64_t id);
  // Works like find(), but for a value of a row: nullopt is the empty string and is not counted.
  [[nodiscard]] StringId find(std::optional<std::int64_t> id) { return id ? find(*id) : kEmptyString; }
  // nullopt: no such string; it is not counted. Valid until the next call.
  [[nodiscard]] std::optional<std::string_view> text_of(std::int64_t id);
  [[nodiscard]] std::uint64_t undefined() const { return undefined_; }

 private:
  struct Interned {
    StringId id{};
    bool defined = false;
  };
  ImportNames& names_;
  std::optional<KeyedRows> rows_;
  SmallIds<Interned> strings_;
  std::uint64_t undefined_ = 0;
};

}  // namespace runahead::importers
