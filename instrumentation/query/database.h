// Database: SQL over a Trace. Its tables (docs/query.md) are made from the trace as they are read, by
// SQLite's virtual tables; nothing of it is copied. Nothing can be written but views and tables in memory,
// and no file is touched. One thread at a time, but for cancel().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/trace.h"

struct sqlite3;

namespace runahead::query {

class TraceTables;

// NULL, or a value of one of SQLite's types; a blob as the text of its bytes. Views live until the next row.
using Field = std::variant<std::monostate, std::int64_t, double, std::string_view>;

// A slice, as a row of a result names it: where a click leads.
struct SlicePlace {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::uint64_t row = 0;
  bool open = false;  // one of open_slices(); row is its index there
};

struct Columns {
  std::vector<std::string> names;
  std::optional<std::size_t>
      slice;  // the first column that holds slices' ids (slice.id, wait.slice, op.slice ...)
};

// The error of a query for which there is no memory.
inline constexpr std::string_view kNoMemory = "out of memory";

class Database {
 public:
  // Keeps the snapshot; the trace goes on growing without it. Error: SQLite has no memory.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(trace::Trace snapshot);
  ~Database();

  struct Reader {
    std::function<void(const Columns&)> columns;      // once, before the first row
    std::function<bool(std::span<const Field>)> row;  // false: no more
  };
  // Runs the statements of `sql`, one after the other; what the last one says goes to the reader. Errors:
  // SQLite's message, with the place in the text where it knows it; "cancelled".
  Status run(std::string_view sql, const Reader& reader);
  // Of the run that is going on, or else of the next. Any thread.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  [[nodiscard]] std::optional<SlicePlace> slice(std::int64_t id) const;

 private:
  Database();
  Status open_tables();
  Status run_all(std::string_view sql, const Reader& reader);

  std::unique_ptr<TraceTables> tables_;
  sqlite3* sqlite_ = nullptr;
  std::atomic<bool> cancelled_{false};
};

}  // namespace runahead::query
