#include "tests/import/rocm_files.h"

#include <cstddef>

namespace runahead::testing {

const std::string_view kRpd2 = R"sql(
  CREATE TABLE rocpd_metadata (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, tag varchar(4096), value varchar(4096));
  INSERT INTO rocpd_metadata (tag, value) VALUES ('schema_version', '2');
  CREATE TABLE rocpd_string (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string varchar(4096) NOT NULL);
  CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, pid integer NOT NULL, tid integer NOT NULL,
    start integer, end integer, apiName_id integer, args_id integer);
  CREATE TABLE rocpd_op (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, gpuId integer NOT NULL, queueId integer NOT NULL,
    sequenceId integer NOT NULL, completionSignal varchar(18), start integer, end integer, description_id integer,
    opType_id integer);
  CREATE TABLE rocpd_api_ops (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, api_id integer, op_id integer);
  CREATE TABLE rocpd_copyapi (api_ptr_id integer NOT NULL PRIMARY KEY, stream varchar(18), size integer, width integer,
    height integer, kind integer, dst varchar(18), src varchar(18), dstDevice integer, srcDevice integer, sync bool,
    pinned bool);
  CREATE TABLE rocpd_kernelapi (api_ptr_id integer NOT NULL PRIMARY KEY, stream varchar(18), gridX integer, gridY integer,
    gridZ integer, workgroupX integer, workgroupY integer, workgroupZ integer, groupSegmentSize integer,
    privateSegmentSize integer, kernelArgAddress varchar(18), kernelName_id integer);
  CREATE TABLE rocpd_monitor (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, deviceType varchar(16), deviceId integer,
    monitorType varchar(16), start integer, end integer, value varchar(255));
  CREATE VIEW top AS SELECT 1;
)sql";

const std::string_view kRpd3 = R"sql(
  CREATE TABLE rocpd_metadata (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, tag varchar(4096), value varchar(4096));
  INSERT INTO rocpd_metadata (tag, value) VALUES ('gpu_stride', '1000'), ('schema_version', '3');
  CREATE TABLE rocpd_string (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string varchar(4096) NOT NULL);
  CREATE TABLE rocpd_ustring (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, string varchar(4096) NOT NULL);
  CREATE TABLE rocpd_api (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, pid integer NOT NULL, tid integer NOT NULL,
    start integer, end integer, apiName_id bigint, category_id bigint, domain_id bigint, args_id bigint);
  CREATE TABLE rocpd_op (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, gpuId integer NOT NULL, queueId integer NOT NULL,
    sequenceId integer NOT NULL, start integer, end integer, description_id bigint, opType_id bigint);
  CREATE TABLE rocpd_api_ops (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, api_id bigint, op_id bigint);
  CREATE TABLE rocpd_copyapi (api_ptr_id bigint NOT NULL PRIMARY KEY, stream varchar(18), size integer);
  CREATE TABLE rocpd_counter (id integer NOT NULL PRIMARY KEY AUTOINCREMENT, value real, op_id bigint, name_id bigint);
)sql";

const std::string_view kRocpd3 = R"sql(
  CREATE TABLE "rocpd_metadata$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL, value TEXT NOT NULL);
  INSERT INTO "rocpd_metadata$" (tag, value) VALUES ('schema_version', '3');
  CREATE TABLE "rocpd_string$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, string TEXT NOT NULL UNIQUE);
  CREATE TABLE "rocpd_info_node$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, hash BIGINT, machine_id TEXT,
    hostname TEXT);
  CREATE TABLE "rocpd_info_process$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, ppid INTEGER,
    pid INTEGER NOT NULL, init BIGINT, fini BIGINT, start BIGINT, end BIGINT, command TEXT);
  CREATE TABLE "rocpd_info_thread$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, ppid INTEGER,
    pid INTEGER NOT NULL, tid INTEGER NOT NULL, name TEXT, start BIGINT, end BIGINT);
  CREATE TABLE "rocpd_info_agent$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, pid INTEGER,
    type TEXT, absolute_index INTEGER, logical_index INTEGER, type_index INTEGER, name TEXT, model_name TEXT,
    product_name TEXT);
  CREATE TABLE "rocpd_info_pmc$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, pid INTEGER,
    agent_id INTEGER, name TEXT NOT NULL, symbol TEXT NOT NULL);
  CREATE TABLE "rocpd_info_kernel_symbol$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER,
    pid INTEGER, code_object_id INTEGER, kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER);
  CREATE TABLE "rocpd_track$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, pid INTEGER,
    tid INTEGER, name_id INTEGER);
  CREATE TABLE "rocpd_event$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, category_id INTEGER,
    stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, call_stack JSONB DEFAULT '{}',
    extdata JSONB DEFAULT '{}');
  CREATE TABLE "rocpd_arg$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, event_id INTEGER, position INTEGER,
    type TEXT, name TEXT, value TEXT);
  CREATE TABLE "rocpd_pmc_event$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, event_id INTEGER,
    pmc_id INTEGER, value REAL);
  CREATE TABLE "rocpd_region$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, pid INTEGER,
    tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER);
  CREATE TABLE "rocpd_sample$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, track_id INTEGER,
    timestamp BIGINT, event_id INTEGER);
  CREATE TABLE "rocpd_kernel_dispatch$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER,
    pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER,
    stream_id INTEGER, start BIGINT, end BIGINT, private_segment_size INTEGER, group_segment_size INTEGER,
    workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER,
    grid_size_y INTEGER, grid_size_z INTEGER, region_name_id INTEGER, event_id INTEGER);
  CREATE TABLE "rocpd_memory_copy$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, pid INTEGER,
    tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, dst_agent_id INTEGER, dst_address INTEGER,
    src_agent_id INTEGER, src_address INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, region_name_id INTEGER,
    event_id INTEGER);
  CREATE TABLE "rocpd_memory_allocate$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER,
    pid INTEGER, tid INTEGER, agent_id INTEGER, type TEXT, level TEXT, start BIGINT, end BIGINT, address INTEGER,
    size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
)sql";

const std::string_view kRocpd4 = R"sql(
  CREATE TABLE "rocpd_metadata$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, tag TEXT NOT NULL, value TEXT NOT NULL);
  INSERT INTO "rocpd_metadata$" (tag, value) VALUES ('schema_version', '4.0.0');
  CREATE TABLE "rocpd_string$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, string TEXT NOT NULL UNIQUE);
  CREATE TABLE "rocpd_info_node$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, hash BIGINT, machine_id TEXT,
    name TEXT, hostname TEXT);
  CREATE TABLE "rocpd_info_process$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, ppid INTEGER,
    pid INTEGER NOT NULL, name TEXT, start BIGINT, end BIGINT, command TEXT);
  CREATE TABLE "rocpd_info_thread$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, ppid INTEGER,
    pid INTEGER NOT NULL, tid INTEGER NOT NULL, name TEXT, start BIGINT, end BIGINT);
  CREATE TABLE "rocpd_info_category$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, name TEXT NOT NULL);
  CREATE TABLE "rocpd_info_agent$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, pid INTEGER,
    type TEXT, absolute_index INTEGER, logical_index INTEGER, type_index INTEGER, name TEXT, generic_name TEXT,
    model_name TEXT, product_name TEXT);
  CREATE TABLE "rocpd_info_pmc$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, pid INTEGER,
    agent_id INTEGER, name TEXT NOT NULL, symbol TEXT NOT NULL);
  CREATE TABLE "rocpd_info_kernel_symbol$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER,
    pid INTEGER, code_object_id INTEGER, kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER);
  CREATE TABLE "rocpd_track$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, nid INTEGER, ppid INTEGER,
    pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER, name_id INTEGER);
  CREATE TABLE "rocpd_timestamp$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, value BIGINT, phase INTEGER,
    track_id INTEGER);
  CREATE TABLE "rocpd_event$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, category_id INTEGER,
    stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, extdata JSONB DEFAULT '{}');
  CREATE TABLE "rocpd_pmc_event$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, event_id INTEGER,
    pmc_id INTEGER, value REAL);
  CREATE TABLE "rocpd_region$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, track_id INTEGER,
    name_id INTEGER, start_id INTEGER, end_id INTEGER, event_id INTEGER);
  CREATE TABLE "rocpd_sample$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, track_id INTEGER,
    name_id INTEGER, timestamp_id INTEGER, event_id INTEGER);
  CREATE TABLE "rocpd_kernel_dispatch$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, track_id INTEGER,
    kernel_id INTEGER, dispatch_id INTEGER, start_id INTEGER, end_id INTEGER, private_segment_size INTEGER,
    group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER,
    grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, region_name_id INTEGER, event_id INTEGER);
  CREATE TABLE "rocpd_memory_copy$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, track_id INTEGER,
    start_id INTEGER, end_id INTEGER, name_id INTEGER, dst_agent_id INTEGER, dst_address INTEGER, src_agent_id INTEGER,
    src_address INTEGER, size INTEGER, region_name_id INTEGER, event_id INTEGER);
  CREATE TABLE "rocpd_memory_allocate$" (id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, guid TEXT, track_id INTEGER,
    type TEXT, level TEXT, start_id INTEGER, end_id INTEGER, name_id INTEGER, address INTEGER, size INTEGER,
    region_name_id INTEGER, event_id INTEGER);
)sql";

std::string with_suffix(std::string_view statements, std::string_view suffix) {
  std::string out(statements);
  for (std::size_t at = 0; (at = out.find('$', at)) != std::string::npos; at += suffix.size())
    out.replace(at, 1, suffix);
  return out;
}

}  // namespace runahead::testing
