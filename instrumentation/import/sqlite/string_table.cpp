#include "instrumentation/import/sqlite/string_table.h"

namespace runahead::importers {

StringTable::StringTable(SqliteDatabase& database, const SqliteTable* table, std::string_view id,
                         std::string_view value, ImportNames& names)
    : names_(names) {
  if (table != nullptr) rows_.emplace(database, *table, id, std::vector<std::string_view>{value});
}

std::optional<std::string_view> StringTable::text_of(std::int64_t id) {
  if (!rows_ || !rows_->find(id)) return std::nullopt;
  return rows_->text(0);
}

StringId StringTable::find(std::int64_t id) {
  const auto [string, is_new] = strings_.try_emplace(id);
  if (is_new) {
    const std::optional<std::string_view> text = text_of(id);
    string = {names_.intern(text.value_or("")), text.has_value()};
  }
  if (!string.defined) ++undefined_;
  return string.id;
}

}  // namespace runahead::importers
