#include "instrumentation/import/sqlite/keyed_rows.h"

#include <algorithm>

namespace runahead::importers {
namespace {

// A search from the root costs about as much as this number of steps.
constexpr std::int64_t kNearRows = 16;
// Gaps between ids up to this size are filled with kNone.
constexpr std::int64_t kLargestGap = 8;

}  // namespace

KeyedRows::KeyedRows(SqliteDatabase& database, const SqliteTable& table, std::string_view key,
                     const std::vector<std::string_view>& columns)
    : database_(&database), table_(&table), columns_(columns.begin(), columns.end()), kept_rows_(kKeptRows) {
  cursors_.reserve(kMostCursors);
  if (key == "rowid" || key == table.key) return;
  SqliteStatement keys = database.select(table, {key, "rowid"});
  rowids_.emplace();
  while (keys.step()) {
    if (const auto value = keys.integer(0)) rowids_->try_emplace(*value, keys.integer(1).value_or(0));
  }
}

bool KeyedRows::find(std::int64_t key) {
  if (database_ == nullptr) return false;
  if (!rowids_) return find_rowid(key);
  const auto found = rowids_->find(key);
  return found != rowids_->end() && find_rowid(found->second);
}

bool KeyedRows::find_rowid(std::int64_t rowid) {
  const KeptRow& kept = kept_place(rowid);
  kept_ = kept.rowid == rowid ? &kept : nullptr;
  if (kept_ != nullptr) return true;
  Cursor& cursor = cursor_for(rowid);
  cursor.used = ++searches_;
  found_ = &cursor;
  return move(cursor, rowid);
}

bool KeyedRows::Cursor::is_at_or_near(std::int64_t rowid) const {
  std::int64_t distance = 0;
  return here && rowid >= asked && !__builtin_sub_overflow(rowid, *here, &distance) && distance <= kNearRows;
}

// Returns a cursor from which the row is near. If there is none, returns a new cursor or the one that was not
// used for the longest time.
KeyedRows::Cursor& KeyedRows::cursor_for(std::int64_t rowid) {
  const auto near =
      std::ranges::find_if(cursors_, [rowid](const Cursor& cursor) { return cursor.is_at_or_near(rowid); });
  if (near != cursors_.end()) return *near;
  if (cursors_.size() == kMostCursors) return *std::ranges::min_element(cursors_, {}, &Cursor::used);
  std::vector<std::string_view> columns{"rowid"};
  columns.insert(columns.end(), columns_.begin(), columns_.end());
  cursors_.push_back({.rows = database_->select(*table_, columns, "WHERE rowid >= ? ORDER BY rowid")});
  return cursors_.back();
}

bool KeyedRows::move(Cursor& cursor, std::int64_t rowid) {
  if (!cursor.is_at_or_near(rowid)) {
    cursor.here = cursor.rows.find(rowid) ? cursor.rows.integer(0) : std::nullopt;
  } else {
    // The row on which the cursor stands was found before.
    for (bool is_first = true; cursor.here && *cursor.here < rowid; is_first = false) {
      if (!is_first) keep(cursor);
      cursor.here = cursor.rows.step() ? cursor.rows.integer(0) : std::nullopt;
    }
  }
  cursor.asked = rowid;
  failed_ = failed_ || cursor.rows.failed();
  return cursor.here == rowid;
}

void KeyedRows::keep(const Cursor& cursor) {
  KeptRow& kept = kept_place(*cursor.here);
  kept.rowid = cursor.here;
  kept.values.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    KeptValue& value = kept.values[i];
    value.integer = cursor.rows.integer(at(i));
    value.real = value.integer ? static_cast<double>(*value.integer) : cursor.rows.real(at(i));
    value.text = value.integer ? std::string_view() : cursor.rows.text(at(i));
  }
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
