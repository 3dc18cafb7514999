// NsysImport: makes a Trace from an export of Nsight Systems (nsys export --type sqlite), of any version
// since 2021. Tables exist only if they have rows, and their columns vary with the version: a column that is
// missing is treated as one without values. docs/import.md says what becomes of each table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrumentation/import/sqlite/nsys_names.h"
#include "instrumentation/import/sqlite/nsys_waits.h"
#include "instrumentation/import/sqlite/profiler_tracks.h"
#include "instrumentation/import/sqlite/string_table.h"
#include "instrumentation/import/sqlite/timed_import.h"

namespace runahead::importers {
using namespace trace;

// True if these tables are of an export of Nsight Systems.
[[nodiscard]] bool is_nsys_export(const SqliteDatabase& database);

class NsysImport final : public TimedImport {
 public:
  // It keeps the ids of the calls, synchronisations and events, but no other rows. `database` must outlive
  // this.
  explicit NsysImport(SqliteDatabase& database);

 private:
  using ShowRow = void (NsysImport::*)(const TimedTable& row);
  struct KnownTable {
    std::string_view name;
    std::vector<std::string_view> columns;
    ShowRow show = nullptr;
    std::string_view start = "start";
    // If the table has the column where_column: the condition of the rows that are events.
    std::string_view where_column{}, where{};
  };
  // The columns that kernels, copies, memsets and graphs have in common.
  struct DeviceWork {
    std::int64_t device = 0, context = 0, stream = 0, pid = 0, correlation = 0;
  };

  struct CallKind {
    SliceKind kind = SliceKind::kZone;
    bool may_wait = true;  // false: a launch, which neither waits nor records an event
  };

  // nsys_import.cpp: which tables are read.
  [[nodiscard]] static std::vector<KnownTable> known_tables();
  Status open_tables() override;
  void open_other_table(const SqliteTable& table);
  [[nodiscard]] Show shows(ShowRow show);
  void read_domains();
  void finish_rows() override;
  void describe() override;
  void copy_metadata(std::string_view table);

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
  [[nodiscard]] DeviceWork work_of(const TimedTable& row) const;
  void put_work(const DeviceWork& work);
  [[nodiscard]] TrackId thread_of(std::int64_t global);
  // What the call waited for, or the event that it recorded.
  void put_waits(const CallKey& call);
  void put_wait(const NsysWait& wait);
  void put_graph_node(std::optional<std::int64_t> node);
  void show_work(const DeviceWork& work, Slice& slice);
  void show_range(const TimedTable& row, TrackId track);
  void put_payload(const TimedTable& row);
  [[nodiscard]] StringId kernel_name(const TimedTable& row);
  [[nodiscard]] StringId nvtx_text(const TimedTable& row);

  // The keys of the arguments of a wait, as in a trace of PyTorch's profiler.
  struct WaitKeys {
    StringId kind, on_stream, recorded_by, on_event;
  };

  const WaitKeys wait_keys_;
  NsysNames names_;
  ProfilerTracks tracks_;
  NsysWaits waits_;
  std::map<std::int64_t, StringId> domains_;          // of NVTX, by their number
  std::unordered_map<TrackId, double> memory_bytes_;  // by counter
  SmallIds<CallKind> call_kinds_;                     // by the id of the call's name
  std::int64_t only_pid_ = 0;
};

}  // namespace runahead::importers
