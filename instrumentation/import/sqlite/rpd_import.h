// RpdImport: makes a Trace from a database of rocmProfileData (.rpd, schemas 2 and 3). Tables may be missing,
// and a column that is missing is treated as one without values. docs/import.md says what becomes of each
// table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/import/sqlite/event_values.h"
#include "instrumentation/import/sqlite/keyed_rows.h"
#include "instrumentation/import/sqlite/profiler_tracks.h"
#include "instrumentation/import/sqlite/string_table.h"
#include "instrumentation/import/sqlite/timed_import.h"

namespace runahead::importers {
using namespace trace;

// True if these tables are of rocmProfileData.
[[nodiscard]] bool is_rpd(const SqliteDatabase& database);

// The file has only the numbers of processes, threads and devices.
class RpdNames final : public TrackNames {
 public:
  [[nodiscard]] std::string process(std::int64_t pid) const override;
  [[nodiscard]] std::string thread(std::int64_t pid, std::int64_t tid) const override;
  [[nodiscard]] std::string device(std::int64_t device) const override;
  [[nodiscard]] std::string memory_kind(std::int64_t kind) const override;
};

class RpdImport final : public TimedImport {
 public:
  // It keeps the ids of calls and ops (16 bytes for each op), but no other rows. `database` must outlive
  // this.
  explicit RpdImport(SqliteDatabase& database);

 private:
  struct OpCall {  // a row of rocpd_api_ops
    std::int64_t op = 0, call = 0;
  };
  struct OpType {
    StringId name{};  // of an op without a description
    SliceKind kind = SliceKind::kExecute;
    bool has_bytes = false;
  };

  Status open_tables() override;
  void read_op_calls();
  void finish_rows() override;
  void describe() override;

  void show_call(const TimedTable& row);
  void show_op(const TimedTable& row);
  void show_monitor(const TimedTable& row);
  // Adds the arguments of a copy or a kernel from the call that launched it.
  void put_copy(std::int64_t call, Slice& slice);
  void put_kernel(std::int64_t call);
  [[nodiscard]] TrackId counter_of(std::int64_t device, std::string name);
  void show_values(std::int64_t op, std::int64_t device, Timestamp at);
  [[nodiscard]] const OpType& type_of(std::int64_t id);
  [[nodiscard]] SliceKind kind_of(std::int64_t name_id, StringId name, Duration duration);

  RpdNames names_;
  ProfilerTracks tracks_;
  StringTable strings_, call_args_;
  EventValues values_;            // of performance counters, by op
  KeyedRows copies_, kernels_;    // by the id of their call
  std::vector<OpCall> op_calls_;  // sorted by op
  std::vector<bool> shown_;       // true: the op of this element of op_calls_ was shown
  SmallIds<OpType> types_;
  SmallIds<SliceKind> call_kinds_;                                    // by the id of the call's name
  std::map<std::pair<std::string, std::int64_t>, TrackId> counters_;  // by name and device
};

}  // namespace runahead::importers
