// NsysImport: makes a Trace from an export of Nsight Systems (nsys export --type sqlite), of any version
// since 2021. Tables exist only if they have rows, and their columns vary with the version: a column that is
// missing is treated as one without values. docs/import.md says what becomes of each table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/import/common/import_names.h"
#include "instrumentation/import/common/slice_writer.h"
#include "instrumentation/import/sqlite/nsys_names.h"
#include "instrumentation/import/sqlite/nsys_tracks.h"
#include "instrumentation/import/sqlite/nsys_waits.h"
#include "instrumentation/import/sqlite/sqlite_database.h"
#include "instrumentation/import/sqlite/timed_table.h"
#include "instrumentation/trace/skipped_kinds.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// True if these tables are of an export of Nsight Systems.
[[nodiscard]] bool is_nsys_export(const SqliteDatabase& database);

class NsysImport {
 public:
  // `database` must outlive this. It keeps the ids of the calls, synchronisations and events, but no other
  // rows.
  explicit NsysImport(SqliteDatabase& database);

  // Reads all rows in the order of time. Time 0 is the time of the first row. The error completes a sentence
  // that begins with the name of the file. A damaged table is not an error: its rows before the damage are in
  // the trace.
  Result<Trace> run();

 private:
  using Show = void (NsysImport::*)(const TimedTable& row);
  struct Events {
    std::unique_ptr<TimedTable> table;
    Show show = nullptr;
  };
  struct KnownTable {
    std::string_view name;
    std::vector<std::string_view> columns;
    Show show = nullptr;
    std::string_view start = "start";
    // If the table has the column where_column: the condition of the rows that are events.
    std::string_view where_column{}, where{};
  };
  struct MemoryUse {  // of one counter
    double bytes = 0;
    std::vector<CounterSample> samples;  // that the trace does not have yet
  };
  struct LaunchCall {  // a call that may launch work
    TrackId track = kNoTrack;
    Timestamp begin{};
  };
  struct LateLaunch {  // work that began before its call
    NsysCall call;
    TrackId track = kNoTrack;
    Timestamp begin{};
  };
  // The columns that kernels, copies, memsets and graphs have in common.
  struct DeviceWork {
    std::int64_t device = 0, context = 0, stream = 0, pid = 0, correlation = 0;
  };

  // nsys_import.cpp: which tables are read, and in which order.
  [[nodiscard]] static std::vector<KnownTable> known_tables();
  void open_tables();
  void open_other_table(const SqliteTable& table);
  void read_domains();
  void show_rows();
  void show(Events& events);
  void flush();
  void finish_tables();
  void finish_flows();
  void describe();
  void copy_metadata(std::string_view table);
  void skip_table(const SqliteTable& table);
  void report_damage(std::string_view table, std::string message);

  // nsys_rows.cpp: each function shows one row of a table.
  void show_kernel(const TimedTable& row);
  void show_copy(const TimedTable& row);
  void show_memset(const TimedTable& row);
  void show_graph(const TimedTable& row);
  void show_call(const TimedTable& row);
  void show_synchronization(const TimedTable& row);
  void show_event(const TimedTable& row);
  void show_nvtx(const TimedTable& row);
  void show_overhead(const TimedTable& row);
  void show_memory_use(const TimedTable& row);
  void show_zone(const TimedTable& row);

  // nsys_rows.cpp: what these functions share.
  [[nodiscard]] Slice slice_of(const TimedTable& row);  // times only; also moves last_
  [[nodiscard]] DeviceWork work_of(const TimedTable& row) const;
  void put(std::string_view key, std::int64_t value);
  void put_work(const DeviceWork& work);
  void put_bandwidth(const Slice& slice);
  void show_work(const DeviceWork& work, Slice& slice);
  void show_range(const TimedTable& row, TrackId track);
  void put_payload(const TimedTable& row);
  [[nodiscard]] StringId kernel_name(const TimedTable& row);
  [[nodiscard]] StringId nvtx_text(const TimedTable& row);
  [[nodiscard]] ArgsId take_args();
  void add_instant(Timestamp at, TrackId track, StringId name);
  void add_flow(const LaunchCall& call, TrackId to, Timestamp at);
  void skip(std::string_view kind, std::uint64_t count = 1);

  SqliteDatabase& database_;
  Trace trace_;
  ImportNames intern_;
  NsysNames names_;
  NsysTracks tracks_;
  NsysWaits waits_;
  SliceWriter slices_;
  std::vector<Events> events_;
  std::map<std::int64_t, StringId> domains_;  // of NVTX, by their number
  NsysCallMap<LaunchCall> calls_;
  std::vector<LateLaunch> late_launches_;
  std::map<TrackId, MemoryUse> memory_;  // by counter
  std::map<std::int64_t, SliceKind> call_kinds_;
  ArgSet args_;
  Batch batch_;  // instants and flows that the trace does not have yet
  LossCounts losses_;
  SkippedKinds skipped_;
  std::int64_t base_ns_ = 0, only_pid_ = 0;
  Timestamp last_{};
  std::uint64_t rows_ = 0, rows_shown_ = 0;
  std::string damage_;
};

}  // namespace runahead::importers
