// RocpdImport: makes a Trace from a rocpd database of ROCm's rocprofiler-sdk (rocprofv3, rocprof-sys), schema
// 3 or 4. Tables may be missing, and a column that is missing is treated as one without values. The views of
// the file are not used, because they may join tables of one process only. docs/import.md says what becomes
// of each table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrumentation/import/sqlite/profiler_tracks.h"
#include "instrumentation/import/sqlite/rocpd_process.h"
#include "instrumentation/import/sqlite/timed_import.h"

namespace runahead::importers {
using namespace trace;

// True if these tables are of a rocpd database.
[[nodiscard]] bool is_rocpd(const SqliteDatabase& database);

class RocpdImport final : public TimedImport {
 public:
  // It keeps the ids of calls, the times of schema 4 (8 bytes each), the values of performance counters (24
  // bytes each) and the allocations that are live, but no other rows. `database` must outlive this.
  explicit RocpdImport(SqliteDatabase& database);

 private:
  using ShowRow = void (RocpdImport::*)(std::size_t process, const TimedTable& row);
  struct KnownTable {
    std::string_view name;
    std::vector<std::string_view> columns;
    ShowRow show = nullptr;
  };
  struct LiveBlock {  // memory that was not freed so far
    std::int64_t size_bytes = 0;
    std::uint64_t block = 0;
    TrackId counter = kNoTrack;
    Timestamp begin{};
  };
  using LiveBlocks = std::unordered_map<std::int64_t, LiveBlock>;  // by address

  // rocpd_import.cpp: which tables are read.
  [[nodiscard]] static std::vector<KnownTable> known_tables();
  Status open_tables() override;
  // Returns true if the table has times that can be read.
  bool open_table(std::size_t process, const KnownTable& known);
  void skip_other_tables();
  void finish_rows() override;
  void finish_process(const RocpdProcess& process);
  void describe() override;

  // rocpd_rows.cpp: each function shows one row of a table of the process with this index.
  void show_region(std::size_t process, const TimedTable& row);
  void show_sample(std::size_t process, const TimedTable& row);
  void show_kernel(std::size_t process, const TimedTable& row);
  void show_copy(std::size_t process, const TimedTable& row);
  void show_allocation(std::size_t process, const TimedTable& row);

  // rocpd_rows.cpp: what these functions share.
  [[nodiscard]] RocpdPlace place_of(std::size_t process, const TimedTable& row);
  [[nodiscard]] TrackId thread_of(std::size_t process, const RocpdPlace& place);
  void put_event(const RocpdEvent& event);
  void show_work(std::size_t process, const RocpdPlace& place, const RocpdEvent& event,
                 std::optional<std::int64_t> agent, Slice& slice);
  void put_place(std::size_t process, const RocpdPlace& place, std::optional<std::int64_t> agent);
  // Shows the values of the event as samples of counters. With `as_args` they become arguments too. Returns
  // true if there are any.
  bool show_values(std::size_t process, std::int64_t event, Timestamp at, std::optional<std::int64_t> agent,
                   bool as_args);
  [[nodiscard]] SliceKind kind_of_region(StringId name, Duration duration);
  void add_block(std::size_t process, const RocpdPlace& place, std::int64_t kind, const TimedTable& row);
  void free_block(LiveBlocks& blocks, LiveBlocks::iterator block, Timestamp at);

  std::vector<std::unique_ptr<RocpdProcess>> processes_;
  RocpdNames names_;
  ProfilerTracks tracks_;
  std::vector<LiveBlocks> live_blocks_;                   // by process
  std::unordered_map<TrackId, double> live_bytes_;        // by counter
  std::unordered_map<StringId, SliceKind> region_kinds_;  // by name
  std::uint64_t blocks_ = 0;
};

}  // namespace runahead::importers
