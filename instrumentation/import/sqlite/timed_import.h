// TimedImport: what the imports of profilers' databases have in common. It reads the rows of all tables
// together in the order of time, and passes what they become to a trace. A class for one kind of database
// says which tables are read, and what a row becomes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/import/common/import_names.h"
#include "instrumentation/import/common/slice_writer.h"
#include "instrumentation/import/sqlite/arg_keys.h"
#include "instrumentation/import/sqlite/launch_calls.h"
#include "instrumentation/import/sqlite/sqlite_database.h"
#include "instrumentation/import/sqlite/timed_table.h"
#include "instrumentation/trace/skipped_kinds.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// True if a trace can store this size.
[[nodiscard]] bool is_storable_size(std::int64_t bytes);

class TimedImport {
 public:
  virtual ~TimedImport() = default;
  TimedImport(const TimedImport&) = delete;
  TimedImport& operator=(const TimedImport&) = delete;

  // Reads all rows in the order of time. Time 0 is the time of the first row. The error completes a sentence
  // that begins with the name of the file. A damaged table is not an error: its rows before the damage are in
  // the trace. Memory: the trace, and the ids of calls; TimedTable says what tables need that are not in the
  // order of time.
  Result<Trace> run();

 protected:
  using Show = std::function<void(const TimedTable& row)>;

  explicit TimedImport(SqliteDatabase& database);  // must outlive this

  // Opens the tables with read_table() and skip_table(). The error completes a sentence, as that of run().
  virtual Status open_tables() = 0;
  // Called after the last row.
  virtual void finish_rows() = 0;
  // Sets the metadata, among them "format".
  virtual void describe() = 0;

  // ---- tables ------------------------------------------------------------------------------------------
  // Each row of the table is passed to `show`.
  void read_table(const SqliteTable& table, std::vector<std::string_view> columns, Show show,
                  const TimeColumns& times = {}, std::string_view where = {});
  // The rows of the table are counted as skipped, by `kind`.
  void skip_table(const SqliteTable& table, std::string_view kind);
  void report_damage(std::string_view table, std::string message);

  // ---- what a row becomes ------------------------------------------------------------------------------
  [[nodiscard]] Timestamp time_of(const TimedTable& row) const;
  [[nodiscard]] Slice slice_of(const TimedTable& row);  // times only
  // Add an argument to the next set.
  void put(StringId key, std::int64_t value) { args_.push_back({key, value}); }
  void put_name(StringId key, StringId value) { args_.push_back({key, value}); }
  void put_real(StringId key, double value) { args_.push_back({key, value}); }
  // A size in three dimensions: "[2, 3, 4]".
  void put_size(StringId key, const std::array<std::int64_t, 3>& size);
  // The bytes of a copy or memset (0 if they cannot be stored), and its bandwidth.
  void put_bytes(Slice& slice, std::int64_t bytes);
  [[nodiscard]] ArgsId take_args();
  void drop_args() { args_.clear(); }
  void add_instant(Timestamp at, TrackId track, StringId name);
  void add_sample(TrackId counter, Timestamp at, double value);
  void add_flow(const LaunchCall& call, TrackId to, Timestamp at);
  // A flow from the call with this key, which may be in a later row.
  void add_launch(const CallKey& key, TrackId to, Timestamp at);
  void skip(std::string_view kind, std::uint64_t count = 1);
  void lose(LossCause cause, std::uint64_t count = 1) { losses_.add(cause, count); }
  [[nodiscard]] Timestamp last() const { return last_; }           // the latest time so far
  [[nodiscard]] std::int64_t base_ns() const { return base_ns_; }  // time 0, as the file states it

  SqliteDatabase& database_;
  Trace trace_;
  ImportNames intern_;
  const ArgKeys keys_;
  SliceWriter slices_;
  LaunchCalls calls_;
  Batch batch_;  // rows that the trace does not have yet

 private:
  struct Events {
    std::unique_ptr<TimedTable> table;
    Show show;
  };
  struct LateLaunch {  // work that began before its call
    CallKey call;
    TrackId track = kNoTrack;
    Timestamp begin{};
  };
  struct SizeText {
    std::array<std::int64_t, 3> size{-1, -1, -1};
    StringId text{};
  };

  void show_rows();
  [[nodiscard]] Events* next_events();
  void show_row(Events& events);
  void flush();
  void finish_tables();
  void finish_flows();
  void append_losses();

  std::vector<Events> events_;
  std::vector<LateLaunch> late_launches_;
  std::vector<std::vector<CounterSample>> samples_;  // index: track; that the trace does not have yet
  std::array<SizeText, 256> sizes_{};                // the last sizes, by their hash
  ArgSet args_;
  LossCounts losses_;
  SkippedKinds skipped_;
  std::int64_t base_ns_ = 0;
  Timestamp last_{};
  std::uint64_t rows_ = 0, rows_shown_ = 0;
};

}  // namespace runahead::importers
