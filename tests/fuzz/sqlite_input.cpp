#include "tests/fuzz/sqlite_input.h"

#include <cstddef>
#include <cstdint>

#include "instrumentation/base/check.h"
#include "instrumentation/import/sqlite/sqlite_import.h"
#include "tests/fuzz/read_everything.h"
#include "tests/support/sqlite_bytes.h"

namespace runahead::testing {
namespace {

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

constexpr const char* kRpd = R"sql(
  CREATE TABLE rocpd_metadata (tag, value);
  INSERT INTO rocpd_metadata VALUES ('schema_version', '2');
  CREATE TABLE rocpd_string (id integer PRIMARY KEY, string);
  INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'UserMarker'), (4, 'gemm'), (5, 'KernelExecution'),
    (6, 'CopyHostToDevice'), (7, 'hipExtModuleLaunchKernel');
  CREATE TABLE rocpd_ustring (id, string);
  INSERT INTO rocpd_ustring VALUES (1, ''), (2, 'a range');
  CREATE TABLE rocpd_api (id integer PRIMARY KEY, pid, tid, start, end, apiName_id, args_id, domain_id);
  INSERT INTO rocpd_api VALUES (11, 1, 2, 10, 20, 2, 1, 4), (12, 1, 2, 5, 40, 3, 2, 1), (13, 1, 2, 25, 25, 3, 2, 1),
    (14, 1, 2, 26, 30, 7, 1, 1);
  CREATE TABLE rocpd_op (id integer PRIMARY KEY, gpuId, queueId, start, end, description_id, opType_id);
  INSERT INTO rocpd_op VALUES (21, 0, 0, 30, 35, 4, 5), (22, 0, 0, 12, 15, 1, 6), (23, 1, 0, 36, 38, 4, 5);
  CREATE TABLE rocpd_api_ops (api_id, op_id);
  INSERT INTO rocpd_api_ops VALUES (14, 21), (11, 22), (14, 23);
  CREATE TABLE rocpd_copyapi (api_ptr_id integer PRIMARY KEY, stream, size);
  INSERT INTO rocpd_copyapi VALUES (11, '0x0', 400);
  CREATE TABLE rocpd_kernelapi (api_ptr_id integer PRIMARY KEY, gridX, workgroupX, groupSegmentSize);
  INSERT INTO rocpd_kernelapi VALUES (14, 512, 256, 64);
  CREATE TABLE rocpd_monitor (deviceType, deviceId, monitorType, start, end, value);
  INSERT INTO rocpd_monitor VALUES ('gpu', 0, 'sclk', 8, 18, '134'), ('gpu', 0, 'sclk', 18, 28, 'x');
  CREATE TABLE rocpd_counter (value, op_id, name_id);
  INSERT INTO rocpd_counter VALUES (1.5, 21, 4);
)sql";

constexpr const char* kRocpd3 = R"sql(
  CREATE TABLE rocpd_metadata_a (tag, value);
  INSERT INTO rocpd_metadata_a VALUES ('schema_version', '3');
  CREATE TABLE rocpd_string_a (id INTEGER PRIMARY KEY, string);
  INSERT INTO rocpd_string_a VALUES (1, 'hipLaunchKernel'), (2, 'MARKER_CORE_API'), (3, 'DEVICE_TO_HOST');
  CREATE TABLE rocpd_info_process_a (id, pid, command);
  INSERT INTO rocpd_info_process_a VALUES (1, 111, '/bin/app x');
  CREATE TABLE rocpd_info_agent_a (id, nid, type, type_index, name);
  INSERT INTO rocpd_info_agent_a VALUES (0, 1, 'CPU', 0, 'cpu'), (4, 1, 'GPU', 0, 'gfx942');
  CREATE TABLE rocpd_info_kernel_symbol_a (id INTEGER PRIMARY KEY, kernel_name);
  INSERT INTO rocpd_info_kernel_symbol_a VALUES (1, 'gemm');
  CREATE TABLE rocpd_event_a (id INTEGER PRIMARY KEY, category_id, stack_id, parent_stack_id, extdata);
  INSERT INTO rocpd_event_a VALUES (1, NULL, 7, 0, ''), (2, NULL, 7, 7, ''), (3, 2, 0, 0, '{"message":"a\u00e9\ud83d"}');
  CREATE TABLE rocpd_region_a (pid, tid, start, end, name_id, event_id);
  INSERT INTO rocpd_region_a VALUES (1, 2, 10, 20, 1, 1), (1, 2, 5, 30, 1, 3);
  CREATE TABLE rocpd_kernel_dispatch_a (pid, agent_id, stream_id, queue_id, start, end, kernel_id, event_id, grid_size_x,
    workgroup_size_x);
  INSERT INTO rocpd_kernel_dispatch_a VALUES (1, 4, 0, 1, 15, 25, 1, 2, 512, 256);
  CREATE TABLE rocpd_memory_copy_a (pid, start, end, name_id, src_agent_id, dst_agent_id, size);
  INSERT INTO rocpd_memory_copy_a VALUES (1, 26, 28, 3, 4, 0, 100);
  CREATE TABLE rocpd_memory_allocate_a (pid, agent_id, type, level, start, address, size);
  INSERT INTO rocpd_memory_allocate_a VALUES (1, 4, 'ALLOC', 'REAL', 6, 64, 100), (1, NULL, 'FREE', 'REAL', 27, 64, 0);
)sql";

constexpr const char* kRocpd4 = R"sql(
  CREATE TABLE rocpd_string_b (id INTEGER PRIMARY KEY, string);
  INSERT INTO rocpd_string_b VALUES (1, 'hipLaunchKernel');
  CREATE TABLE rocpd_info_category_b (id INTEGER PRIMARY KEY, name);
  INSERT INTO rocpd_info_category_b VALUES (1, 'HIP_API');
  CREATE TABLE rocpd_info_pmc_b (id, agent_id, name, symbol);
  INSERT INTO rocpd_info_pmc_b VALUES (1, 4, 'SQ_WAVES', '');
  CREATE TABLE rocpd_track_b (id INTEGER PRIMARY KEY, pid, tid, agent_id, stream_id, name_id);
  INSERT INTO rocpd_track_b VALUES (1, 111, 112, NULL, NULL, 1), (2, 111, NULL, 4, 0, NULL);
  CREATE TABLE rocpd_timestamp_b (id INTEGER PRIMARY KEY, value);
  INSERT INTO rocpd_timestamp_b VALUES (1, 10), (2, 20), (3, 15), (4, 25), (9, 5), (40, 12);
  CREATE TABLE rocpd_event_b (id INTEGER PRIMARY KEY, category_id, stack_id, parent_stack_id);
  INSERT INTO rocpd_event_b VALUES (1, 1, 7, 0), (2, 1, 7, 7), (3, 1, 8, 0);
  CREATE TABLE rocpd_pmc_event_b (event_id, pmc_id, value);
  INSERT INTO rocpd_pmc_event_b VALUES (2, 1, 1.5), (2, 1, 2), (3, 1, 9);
  CREATE TABLE rocpd_region_b (track_id, name_id, start_id, end_id, event_id);
  INSERT INTO rocpd_region_b VALUES (1, 1, 1, 2, 1), (1, 1, 9, 40, NULL);
  CREATE TABLE rocpd_sample_b (track_id, name_id, timestamp_id, event_id);
  INSERT INTO rocpd_sample_b VALUES (1, 1, 3, 3), (1, 1, 3, 1);
  CREATE TABLE rocpd_kernel_dispatch_b (track_id, kernel_id, start_id, end_id, event_id);
  INSERT INTO rocpd_kernel_dispatch_b VALUES (2, 1, 3, 4, 2);
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

std::vector<std::string> sqlite_seeds() {
  // Small pages, so that a changed byte is often one that has a meaning.
  constexpr int kPageBytes = 512;
  std::vector<std::string> out;
  for (const char* const statements : {kDeviceWork, kThreads, kRpd, kRocpd3, kRocpd4})
    out.push_back(sqlite_bytes(statements, kPageBytes));
  return out;
}

}  // namespace runahead::testing
