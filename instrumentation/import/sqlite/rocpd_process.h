// RocpdProcess: the tables of one process in a rocpd database. Their names end in an id of the process, so a
// file may have the tables of several processes. RocpdNames: the names of all processes and devices in it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "instrumentation/import/common/import_names.h"
#include "instrumentation/import/sqlite/event_values.h"
#include "instrumentation/import/sqlite/keyed_rows.h"
#include "instrumentation/import/sqlite/profiler_tracks.h"
#include "instrumentation/import/sqlite/sqlite_database.h"
#include "instrumentation/import/sqlite/string_table.h"
#include "instrumentation/import/sqlite/timed_table.h"

namespace runahead::importers {
using namespace trace;

// An agent is a device: a GPU, or the processors of a node.
struct RocpdAgent {
  std::int64_t node = 0, number = 0;  // `number`: among the GPUs, or among the CPUs, of the node
  bool is_gpu = true;
  std::string name;
};

// Where a row happened. The ids are those of the tables rocpd_info_...; nullopt: the row has none.
struct RocpdPlace {
  std::optional<std::int64_t> pid, tid, agent, queue, stream, name;
};

// A row of rocpd_event: what a call and the work that it launched have in common.
struct RocpdEvent {
  std::int64_t stack = 0, parent_stack = 0, external = 0;  // 0: none
  bool is_marker = false;                                  // a range or mark of roctx
  StringId message{};                                      // of a marker; may be empty
};

struct RocpdKernel {
  StringId name{};
  std::optional<std::int64_t> registers;
};

class RocpdProcess {
 public:
  // `suffix`: the end of the names of the tables. The objects must outlive this one.
  RocpdProcess(SqliteDatabase& database, std::string suffix, ImportNames& names);

  // nullptr: the file has no such table. `name` is without the suffix.
  [[nodiscard]] const SqliteTable* table(std::string_view name) const;
  // Where the times of the rows of a table are. In schema 3 the rows have their times; in schema 4 the rows
  // have ids of times. nullopt: the table has neither.
  [[nodiscard]] std::optional<TimeColumns> times_of(const SqliteTable& table) const;

  [[nodiscard]] StringTable& strings() { return strings_; }
  [[nodiscard]] EventValues& values() { return values_; }
  // Rows by their ids. An id that is not in the file is counted, and gives a row without values.
  [[nodiscard]] RocpdEvent event(std::optional<std::int64_t> id);
  [[nodiscard]] RocpdKernel kernel(std::optional<std::int64_t> id);
  [[nodiscard]] RocpdPlace track(std::optional<std::int64_t> id);
  [[nodiscard]] std::string counter_name(std::int64_t id) const;
  [[nodiscard]] std::optional<std::int64_t> counter_agent(std::int64_t id) const;
  [[nodiscard]] std::uint64_t undefined() const {
    return undefined_ + strings_.undefined() + categories_.undefined();
  }

  // The numbers of the system for ids of this file. In many files both are the same.
  [[nodiscard]] std::int64_t pid(std::int64_t id) const;
  [[nodiscard]] std::int64_t tid(std::int64_t id) const;
  [[nodiscard]] std::string process_name(std::int64_t pid) const;  // "python3", or ""
  [[nodiscard]] std::string thread_name(std::int64_t tid) const;   // "main", or ""
  [[nodiscard]] const RocpdAgent* agent(std::int64_t id) const;    // nullptr: not in the file
  [[nodiscard]] const std::map<std::int64_t, RocpdAgent>& agents() const { return agents_; }  // by id
  [[nodiscard]] const std::string& suffix() const { return suffix_; }
  [[nodiscard]] const std::string& host() const { return host_; }
  [[nodiscard]] const std::string& schema() const { return schema_; }
  // Tables that are damaged, so that some times or values are missing.
  [[nodiscard]] std::vector<std::string> damaged() const;

 private:
  struct Counter {
    std::string name;
    std::optional<std::int64_t> agent;
  };
  void read_metadata();
  void read_processes();
  void read_threads();
  void read_agents();
  void read_counters();
  void open_rows();
  [[nodiscard]] bool is_marker(std::int64_t category);

  SqliteDatabase& database_;
  std::string suffix_;
  ImportNames& names_;
  StringTable strings_, categories_;
  KeyedRows events_, kernels_, tracks_;
  bool has_events_ = false, has_kernels_ = false, has_tracks_ = false;
  std::optional<IdValues> times_;
  EventValues values_;
  SmallIds<RocpdKernel> known_kernels_;
  SmallIds<RocpdPlace> known_tracks_;
  SmallIds<bool> markers_;  // by category
  std::map<std::int64_t, std::int64_t> pids_, tids_;
  std::map<std::int64_t, std::string> process_names_, thread_names_;
  std::map<std::int64_t, RocpdAgent> agents_;
  std::map<std::int64_t, Counter> counters_;
  std::string host_, schema_;
  std::uint64_t undefined_ = 0;
};

class RocpdNames final : public TrackNames {
 public:
  explicit RocpdNames(const std::vector<std::unique_ptr<RocpdProcess>>& processes)
      : processes_(processes) {}  // must outlive this

  // Gives keys to all agents, so that the GPUs of a node come in the order of their numbers.
  void add_devices();
  // The key of a process or device. `process` is an index of the list of processes. No agent, or one that is
  // not in the file: a GPU without a name.
  [[nodiscard]] std::int64_t process_key(std::size_t process, std::int64_t pid);
  [[nodiscard]] std::int64_t device_key(std::size_t process, std::optional<std::int64_t> agent);
  // The number of the device on its node.
  [[nodiscard]] std::int64_t device_number(std::int64_t device) const;
  [[nodiscard]] bool is_gpu(std::int64_t device) const;

  [[nodiscard]] std::int64_t pid(std::int64_t process) const override;
  [[nodiscard]] std::string process(std::int64_t process) const override;
  [[nodiscard]] std::string thread(std::int64_t process, std::int64_t tid) const override;
  [[nodiscard]] std::string device(std::int64_t device) const override;
  [[nodiscard]] std::string short_device(std::int64_t device) const override;
  [[nodiscard]] std::string stream(const DeviceStream& stream) const override;
  [[nodiscard]] std::string memory_kind(std::int64_t kind) const override;

 private:
  struct KeyedProcess {
    std::size_t process = 0;
    std::int64_t pid = 0;
  };
  struct KeyedDevice {
    std::int64_t number = 0;
    bool is_gpu = true;
    std::string name, host;
  };
  [[nodiscard]] bool has_several_hosts() const;

  const std::vector<std::unique_ptr<RocpdProcess>>& processes_;
  std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> process_keys_, agent_keys_;
  std::map<std::tuple<std::int64_t, bool, std::int64_t>, std::int64_t> device_keys_;  // node, GPU, number
  std::vector<KeyedProcess> keyed_processes_;
  std::vector<KeyedDevice> keyed_devices_;
};

// DeviceStream::context of a queue: the row has a queue and no stream.
inline constexpr std::int64_t kQueueContext = 1;
// Kinds of memory besides kDeviceMemory.
inline constexpr std::int64_t kVirtualMemory = 100, kScratchMemory = 101;

// The text of the member "message" of a JSON object; "" if it has none.
[[nodiscard]] std::string json_message(std::string_view object);

}  // namespace runahead::importers
