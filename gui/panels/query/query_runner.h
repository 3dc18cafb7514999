// QueryRunner queries a snapshot of the trace in SQL. It runs on a separate thread, so that no query delays a
// frame. In a build without SQLite, every answer is an error that says so.
//
//   owner   the window's thread: ask(), cancel(), take(), busy()
//   worker  runs the query
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gui/timeline/scene/scene.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/trace/trace.h"

namespace runahead::query {
class Database;
}

namespace runahead::gui {

// The answer to a query, as the window shows it. A plain value.
struct QueryAnswer {
  std::string error;  // error message in one line; empty: the query succeeded
  std::vector<std::string> columns;
  std::vector<bool> numeric;  // index: column; true: all values of the column are numbers
  struct Row {
    std::vector<std::string> cells;
    std::optional<SliceRef> slice;  // the slice that a click selects
  };
  std::vector<Row> rows;
  bool cut = false;    // true: the result has more rows than kMostRows
  bool links = false;  // true: a column contains slice ids; a click on a row selects its slice
  double cost_ms = 0;
  std::uint64_t trace_serial = 0;  // serial of the queried trace
  std::uint64_t number = 0;        // differs for each answer, so that ImGui keeps column widths per answer
};

struct Question {
  std::string sql;
  trace::Trace snapshot;
  std::uint64_t trace_serial = 0;
};

class QueryRunner {
 public:
  static constexpr std::size_t kMostRows = 10'000;  // further rows are omitted (QueryAnswer::cut)

  // The worker thread calls `wake` when an answer is ready.
  explicit QueryRunner(std::function<void()> wake);
  ~QueryRunner();  // cancels
  QueryRunner(const QueryRunner&) = delete;
  QueryRunner& operator=(const QueryRunner&) = delete;

  [[nodiscard]] static bool available();
  [[nodiscard]] bool busy() const { return asked_; }
  void ask(Question question);  // REQUIRES: not busy()
  void cancel();                // the running query soon ends with an error
  [[nodiscard]] std::optional<QueryAnswer> take();

 private:
  void work(const std::stop_token& stop);
  [[nodiscard]] QueryAnswer answer(Question question);

  const std::function<void()> wake_;
  bool asked_ = false;  // used by the owner only
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Question> question_ RUNAHEAD_GUARDED_BY(mutex_);
  std::optional<QueryAnswer> answer_ RUNAHEAD_GUARDED_BY(mutex_);
  // The database that runs the query; nullptr: no query runs.
  query::Database* asking_ RUNAHEAD_GUARDED_BY(mutex_) = nullptr;
  bool cancelled_ RUNAHEAD_GUARDED_BY(mutex_) = false;  // true: the current question was cancelled
  std::jthread thread_;  // last: joins before the members that it uses are destroyed
};

}  // namespace runahead::gui
