#include "instrumentation/import/sqlite/keyed_rows.h"

#include <algorithm>

namespace runahead::importers {
namespace {

// A search from the root costs about as much as this number of steps.
constexpr std::int64_t kNearRows = 8;
// Gaps between ids up to this size are filled with kNone.
constexpr std::int64_t kLargestGap = 8;

}  // namespace

KeyedRows::KeyedRows(SqliteDatabase& database, const SqliteTable& table, std::string_view key,
                     std::vector<std::string_view> columns) {
  if (key != "rowid" && key != table.key) {
    SqliteStatement keys = database.select(table, {key, "rowid"});
    rowids_.emplace();
    while (keys.step()) {
      if (const auto value = keys.integer(0)) rowids_->try_emplace(*value, keys.integer(1).value_or(0));
    }
  }
  columns.insert(columns.begin(), "rowid");
  rows_ = database.select(table, columns, "WHERE rowid >= ? ORDER BY rowid");
}

bool KeyedRows::find(std::int64_t key) {
  if (!rowids_) return find_rowid(key);
  const auto found = rowids_->find(key);
  return found != rowids_->end() && find_rowid(found->second);
}

bool KeyedRows::find_rowid(std::int64_t rowid) {
  if (here_ && rowid >= asked_ && rowid <= *here_) return rowid == *here_;
  std::int64_t distance = 0;
  const bool near =
      here_ && rowid > *here_ && !__builtin_sub_overflow(rowid, *here_, &distance) && distance <= kNearRows;
  asked_ = rowid;
  if (near) {
    while (here_ && *here_ < rowid) here_ = rows_.step() ? rows_.integer(0) : std::nullopt;
  } else {
    here_ = rows_.find(rowid) ? rows_.integer(0) : std::nullopt;
  }
  return here_ == rowid;
}

IdValues::IdValues(SqliteDatabase& database, const SqliteTable& table, std::string_view id,
                   std::string_view value) {
  SqliteStatement rows = database.select(table, {id, value});
  while (rows.step()) {
    const auto key = rows.integer(0), number = rows.integer(1);
    if (key && number && *number != kNone) add(*key, *number);
  }
  damaged_ = rows.failed();
  std::ranges::stable_sort(sparse_, {}, &std::pair<std::int64_t, std::int64_t>::first);
}

void IdValues::add(std::int64_t id, std::int64_t value) {
  if (dense_.empty()) first_ = id;
  std::int64_t at = 0;
  const bool beyond = __builtin_sub_overflow(id, first_, &at);
  const auto size = static_cast<std::int64_t>(dense_.size());
  if (beyond || at < size || at - size > kLargestGap) {
    sparse_.emplace_back(id, value);
    return;
  }
  dense_.resize(static_cast<std::size_t>(at), kNone);
  dense_.push_back(value);
}

std::optional<std::int64_t> IdValues::find(std::int64_t id) const {
  std::int64_t at = 0;
  if (!__builtin_sub_overflow(id, first_, &at) && at >= 0 && at < static_cast<std::int64_t>(dense_.size())) {
    const std::int64_t value = dense_[static_cast<std::size_t>(at)];
    if (value != kNone) return value;
  }
  if (sparse_.empty()) return std::nullopt;
  const auto found = std::ranges::lower_bound(sparse_, id, {}, &std::pair<std::int64_t, std::int64_t>::first);
  return found == sparse_.end() || found->first != id ? std::nullopt : std::optional(found->second);
}

}  // namespace runahead::importers
