#include "tests/fuzz/sqlite_input.h"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>

#include "instrumentation/base/check.h"
#include "instrumentation/import/sqlite/sqlite_import.h"
#include "tests/fuzz/read_everything.h"

namespace runahead::testing {
namespace {

// Bytes of a database in which these statements were run.
std::string database_of(const char* statements) {
  sqlite3* database = nullptr;
  RUNAHEAD_CHECK(sqlite3_open(":memory:", &database) == SQLITE_OK);
  // Small pages, so that a changed byte is often one that has a meaning.
  sqlite3_exec(database, "PRAGMA page_size=512", nullptr, nullptr, nullptr);
  RUNAHEAD_CHECK(sqlite3_exec(database, statements, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(database, "main", &size, 0);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(database);
  return out;
}

constexpr const char* kDeviceWork = R"sql(
  CREATE TABLE META_DATA_EXPORT (name, value);
  INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');
  CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);
  INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'cudaStreamSynchronize_v3020');
  CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId, returnValue);
  INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 16777217, 1, 2, 0), (60, 90, 16777217, 2, 3, 0);
  CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,
    demangledName, shortName, gridX, blockX);
  INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 50, 0, 1, 7, 1, 16777216, 1, 1, 2, 3);
  CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, streamId, bytes, copyKind, srcKind, dstKind);
  INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (55, 58, 0, 7, 100, 1, 1, 2), (35, 38, 0, 8, 100, 2, 2, 0);
  CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (timestamp, contextId, streamId, correlationId, globalPid, eventId);
  INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (40, 1, 7, 1, 16777216, 4), (0, 1, 7, 2, 16777216, 4);
  CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, contextId, streamId, correlationId, globalPid, syncType,
    eventId);
  INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (61, 89, 1, 4294967295, 2, 16777216, 1, 4);
)sql";

constexpr const char* kThreads = R"sql(
  CREATE TABLE EXPORT_META_DATA (name, value);
  CREATE TABLE StringIds (id, value);
  INSERT INTO StringIds VALUES (7, 'poll'), (8, 'main');
  CREATE TABLE ThreadNames (nameId, globalTid);
  INSERT INTO ThreadNames VALUES (8, 16777217);
  CREATE TABLE PROCESSES (globalPid, pid, name);
  INSERT INTO PROCESSES VALUES (16777216, 1, 'python3');
  CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);
  INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1779630014975716426);
  CREATE TABLE NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId, int64Value, doubleValue);
  INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'd', NULL, 16777217, 2, NULL, NULL),
    (40, 50, 59, 'b', NULL, 16777217, 2, 5, NULL), (10, NULL, 60, NULL, 7, 16777217, 0, NULL, 0.5),
    (20, NULL, 34, 'mark', NULL, 16777217, 0, NULL, NULL);
  CREATE TABLE OSRT_API (start, end, globalTid, nameId);
  INSERT INTO OSRT_API VALUES (12, 15, 16777217, 7), (13, 19, 16777217, 9);
  CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, bytes, memKind, memoryOperationType);
  INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (14, 16777216, 0, 100, 2, 0), (18, 16777216, 0, 100, 2, 1);
  CREATE TABLE SCHED_EVENTS (start, cpu);
  INSERT INTO SCHED_EVENTS VALUES (1, 2);
)sql";

}  // namespace

void open_as_sqlite(std::string_view bytes) {
  const Result<trace::Trace> trace = importers::read_sqlite(bytes);
  if (!trace) {
    RUNAHEAD_CHECK(!trace.error().message.empty());
    return;
  }
  volatile std::uint64_t sum = read_everything(*trace);
  (void)sum;
}

std::vector<std::string> sqlite_seeds() { return {database_of(kDeviceWork), database_of(kThreads)}; }

}  // namespace runahead::testing
