#include <sqlite3.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tests/cupti/replay/profile.h"

namespace runahead::testing {
namespace {

// The columns of a row of a query.
class Columns {
 public:
  explicit Columns(sqlite3_stmt* statement) : statement_(statement) {}
  std::int64_t integer() { return sqlite3_column_int64(statement_, next_++); }
  std::uint32_t word() { return static_cast<std::uint32_t>(integer()); }
  std::int32_t number() { return static_cast<std::int32_t>(integer()); }
  std::string text() {
    const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, next_++));
    return bytes != nullptr ? bytes : "";
  }

 private:
  sqlite3_stmt* const statement_;
  int next_ = 0;
};

class NsysFile {
 public:
  explicit NsysFile(sqlite3* database) : database_(database) {}

  [[nodiscard]] bool has(const std::string& table) {
    bool found = false;
    rows("SELECT 1 FROM sqlite_master WHERE name = '" + table + "'", [&](Columns&) { found = true; });
    return found;
  }
  void rows(const std::string& query, const std::function<void(Columns&)>& take) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, query.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      if (error.empty()) error = std::string(sqlite3_errmsg(database_)) + ": " + query;
      return;
    }
    while (sqlite3_step(statement) == SQLITE_ROW) {
      Columns columns(statement);
      take(columns);
    }
    sqlite3_finalize(statement);
  }
  // Rows of a table that may be missing.
  void rows_of(const std::string& table, const std::string& query,
               const std::function<void(Columns&)>& take) {
    if (has(table)) rows(query, take);
  }
  std::string error;

 private:
  sqlite3* const database_;
};

std::int64_t process_of(std::int64_t global) { return (global >> 24) & 0xffffff; }
std::uint32_t thread_of_global(std::int64_t global) { return static_cast<std::uint32_t>(global & 0xffffff); }

// The numbers of Nsight Systems begin at pageable memory, those of CUPTI at "unknown".
std::uint32_t memory_of_nsys(std::int64_t kind) {
  return kind >= 0 && kind < 7 ? static_cast<std::uint32_t>(kind) + 1 : 0;
}

using ByProcess = std::map<std::int64_t, Profile>;

ProfiledWork place_of(Columns& row, WorkKind kind) {
  ProfiledWork work{.kind = kind};
  work.begin = row.integer();
  work.end = row.integer();
  work.device = row.word();
  work.context = row.word();
  work.stream = row.word();
  work.correlation = row.word();
  return work;
}
constexpr const char* kPlace = "globalPid, start, end, deviceId, contextId, streamId, correlationId, ";

void read_work(NsysFile& file, ByProcess& all) {
  file.rows_of("CUPTI_ACTIVITY_KIND_KERNEL",
               std::string("SELECT ") + kPlace +
                   "m.value, d.value, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, "
                   "staticSharedMemory, dynamicSharedMemory, graphNodeId FROM CUPTI_ACTIVITY_KIND_KERNEL "
                   "JOIN StringIds d ON d.id = demangledName LEFT JOIN StringIds m ON m.id = mangledName",
               [&](Columns& row) {
                 Profile& process = all[process_of(row.integer())];
                 ProfiledWork work = place_of(row, WorkKind::kKernel);
                 work.name = row.text();
                 work.shown = row.text();
                 if (work.name.empty()) work.name = work.shown;
                 for (auto* const size : {&work.grid, &work.block}) {
                   for (std::int32_t& each : *size) each = row.number();
                 }
                 work.registers = row.word();
                 work.static_shared = row.number();
                 work.dynamic_shared = row.number();
                 work.graph_node = static_cast<std::uint64_t>(row.integer());
                 process.work.push_back(std::move(work));
               });
  file.rows_of("CUPTI_ACTIVITY_KIND_MEMCPY",
               std::string("SELECT ") + kPlace +
                   "bytes, copyKind, srcKind, dstKind, graphNodeId FROM CUPTI_ACTIVITY_KIND_MEMCPY",
               [&](Columns& row) {
                 Profile& process = all[process_of(row.integer())];
                 ProfiledWork work = place_of(row, WorkKind::kCopy);
                 work.bytes = static_cast<std::uint64_t>(row.integer());
                 work.copy_kind = row.word();
                 work.from = memory_of_nsys(row.integer());
                 work.to = memory_of_nsys(row.integer());
                 work.graph_node = static_cast<std::uint64_t>(row.integer());
                 process.work.push_back(std::move(work));
               });
  file.rows_of(
      "CUPTI_ACTIVITY_KIND_MEMSET",
      std::string("SELECT ") + kPlace + "bytes, memKind, graphNodeId FROM CUPTI_ACTIVITY_KIND_MEMSET",
      [&](Columns& row) {
        Profile& process = all[process_of(row.integer())];
        ProfiledWork work = place_of(row, WorkKind::kMemset);
        work.bytes = static_cast<std::uint64_t>(row.integer());
        work.to = memory_of_nsys(row.integer());
        work.graph_node = static_cast<std::uint64_t>(row.integer());
        process.work.push_back(std::move(work));
      });
}

void read_host(NsysFile& file, ByProcess& all) {
  file.rows_of("CUPTI_ACTIVITY_KIND_RUNTIME",
               "SELECT globalTid, start, end, correlationId, returnValue, value FROM "
               "CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds s ON s.id = nameId",
               [&](Columns& row) {
                 const std::int64_t thread = row.integer();
                 ProfiledCall call{.begin = row.integer(), .end = row.integer()};
                 call.tid = thread_of_global(thread);
                 call.correlation = row.word();
                 call.result = row.word();
                 call.name = row.text();
                 all[process_of(thread)].calls.push_back(std::move(call));
               });
  file.rows_of("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
               "SELECT globalPid, start, end, syncType, contextId, streamId, eventId, correlationId FROM "
               "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
               [&](Columns& row) {
                 Profile& process = all[process_of(row.integer())];
                 ProfiledWait wait{.begin = row.integer(), .end = row.integer()};
                 wait.type = row.word();
                 wait.context = row.word();
                 wait.stream = row.word();
                 wait.event = row.word();
                 wait.correlation = row.word();
                 process.waits.push_back(wait);
               });
  file.rows_of("NVTX_EVENTS",
               "SELECT globalTid, start, end, coalesce(text, value) FROM NVTX_EVENTS LEFT JOIN StringIds s "
               "ON s.id = textId WHERE eventType = 59 AND end IS NOT NULL",
               [&](Columns& row) {
                 const std::int64_t thread = row.integer();
                 ProfiledRange range{.begin = row.integer(), .end = row.integer()};
                 range.tid = thread_of_global(thread);
                 range.text = row.text();
                 all[process_of(thread)].ranges.push_back(std::move(range));
               });
  file.rows_of("CUPTI_ACTIVITY_KIND_OVERHEAD",
               "SELECT globalTid, start, end, overheadType FROM CUPTI_ACTIVITY_KIND_OVERHEAD",
               [&](Columns& row) {
                 // The numbers of ENUM_CUPTI_OVERHEAD_TYPE, by CUPTI's numbers.
                 static constexpr std::uint32_t kKinds[] = {0,       0,       1,       1 << 16, 2 << 16,
                                                            3 << 16, 4 << 16, 5 << 16, 6 << 16};
                 const std::int64_t thread = row.integer();
                 ProfiledOverhead overhead{.begin = row.integer(), .end = row.integer()};
                 overhead.tid = thread_of_global(thread);
                 const std::size_t kind = row.word();
                 overhead.kind = kind < std::size(kKinds) ? kKinds[kind] : 0;
                 all[process_of(thread)].overheads.push_back(overhead);
               });
}

}  // namespace

Result<std::vector<Profile>> read_nsys(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closer(database, &sqlite3_close);
  if (opened != SQLITE_OK) return Error{path.string() + " cannot be opened"};
  NsysFile file(database);
  ByProcess all;
  read_work(file, all);
  read_host(file, all);
  if (!file.error.empty()) return Error{path.string() + ": " + file.error};
  std::vector<Profile> profiles;
  for (auto& [pid, profile] : all) {
    profile.pid = pid;
    if (!profile.work.empty()) profiles.push_back(std::move(profile));
  }
  begin_at_zero(profiles);
  return profiles;
}

}  // namespace runahead::testing
