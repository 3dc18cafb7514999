// Database: SQL over a Trace. SQLite's virtual tables read the trace directly (docs/query.md lists the
// tables); no row is copied. Statements can write only views and tables in memory; no file is touched. Only
// one thread at a time may use a Database; but any thread may call cancel().
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

// A value in a row of a result. std::monostate is NULL. A blob is given as a string of its bytes. A string is
// valid only until the next row.
using Field = std::variant<std::monostate, std::int64_t, double, std::string_view>;

// The place of a slice that a result row refers to. A click on the row shows this slice.
struct SlicePlace {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::uint64_t row = 0;
  bool open = false;  // true: the slice is one of open_slices(), and row is its index there
};

struct Columns {
  std::vector<std::string> names;
  // Index of the first column with slice ids (slice.id, wait.slice, op.slice ...).
  std::optional<std::size_t> slice;
};

// The error message of a query that runs out of memory.
inline constexpr std::string_view kNoMemory = "out of memory";

class Database {
 public:
  // Makes a Database that keeps the snapshot. Queries do not see rows that are added to the trace later.
  // Returns an error if SQLite cannot allocate memory.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(trace::Trace snapshot);
  ~Database();

  struct Reader {
    std::function<void(const Columns&)> columns;      // called once, before the first row
    std::function<bool(std::span<const Field>)> row;  // returns false to stop the query
  };
  // Runs the statements of `sql` in order. The rows of the last statement go to the reader. The error is
  // SQLite's message, with the place in `sql` if SQLite knows it; or "cancelled", after cancel().
  Status run(std::string_view sql, const Reader& reader);
  // Cancels the current run, or the next run if no run is active. Any thread may call it.
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
