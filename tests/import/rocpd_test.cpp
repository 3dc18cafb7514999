// Tests the import of rocprofiler-sdk's rocpd databases: what becomes of each row, in schema 3 and in
// schema 4.
#include <gtest/gtest.h>

#include <string>

#include "instrumentation/trace/skipped_kinds.h"
#include "tests/import/import_support.h"
#include "tests/import/rocm_files.h"
#include "tests/import/rocpd_rows.h"
#include "tests/import/sqlite_trace.h"
#include "tests/support/sqlite_bytes.h"

namespace runahead::importers {
using namespace trace;
namespace {

using namespace runahead::testing;

Trace trace_of(const RocpdRows& rows) { return sqlite_trace("", rows.statements()); }

class EachRocpd : public ::testing::TestWithParam<int> {
 protected:
  RocpdRows rows_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Schemas, EachRocpd, ::testing::Values(3, 4));

TEST_P(EachRocpd, AKernelIsASliceOfItsStreamWithAnArrowFromItsLaunch) {
  rows_.category("HIP_RUNTIME_API_EXT").category("KERNEL_DISPATCH").string("hipLaunchKernel");
  rows_.kernel_symbol("gemm(float*)").event(1, 11, 0).event(2, 11, 11);
  rows_.region(112, 1000, 1010, 1, 1).kernel(5, 7, 1050, 1080, 1, 2);
  const Trace trace = trace_of(rows_);
  EXPECT_EQ(
      trace_text(trace),
      "flow ac2g: process 111/thread 112@0 -> gpu 1 (MI300X)/stream 7@50\n"
      "gpu 1 (MI300X)/stream 7 0: gemm(float*)@50+30{device=1,stream=7,queue=1,correlation=11,registers per "
      "thread=32,shared memory=48,grid='[2, 3, 4]',block='[128, 1, 1]'}\n"
      "process 111/thread 112 0: hipLaunchKernel@0+10{correlation=11}\n");
  EXPECT_EQ(trace.flow(0).kind, FlowKind::kLaunchToDevice);
  EXPECT_EQ(slice_named(trace, "gemm(float*)").kind, SliceKind::kExecute);
  EXPECT_EQ(slice_named(trace, "hipLaunchKernel").kind, SliceKind::kEnqueue);
  EXPECT_EQ(track_named(trace, "gpu 1 (MI300X)/stream 7").info.kind, TrackKind::kStream);
  EXPECT_EQ(track_named(trace, "gpu 1 (MI300X)/stream 7").info.device, "gpu 1");
  EXPECT_EQ(trace.metadata().at("format"), "rocpd sqlite");
  EXPECT_EQ(trace.metadata().at("rocpd.schema"), GetParam() == 3 ? "3" : "4.0.0");
}

TEST_P(EachRocpd, CopiesAreOfTheGpuAtOneOfTheirEnds) {
  rows_.string("MEMORY_COPY_HOST_TO_DEVICE").string("MEMORY_COPY_DEVICE_TO_HOST").string("hipMemcpyAsync");
  rows_.event(0, 1, 0).event(0, 1, 1);
  rows_.region(112, 1000, 2001000, 3, 1);
  rows_.copy(0, 4, 7, 1100, 1200, 1, 400, 2)
      .copy(4, 0, 7, 1300, 1400, 2, 60, 2)
      .copy(4, 5, 7, 1500, 1600, 9, 8, 2);
  rows_.copy(0, 0, 7, 1700, 1800, 9, 8, 2);
  const Trace trace = trace_of(rows_);
  EXPECT_EQ(lines_of(trace, "gpu 0 (MI300X)/stream 7 0: "),
            "Memcpy HtoD@100+100{device=0,stream=7,correlation=1,bytes=400,memory bandwidth (GB/s)=4} "
            "Memcpy DtoH@300+100{device=0,stream=7,correlation=1,bytes=60,memory bandwidth (GB/s)=0.6}");
  EXPECT_NE(lines_of(trace, "gpu 1 (MI300X)/stream 7 0: ").find("Memcpy DtoD@500+100"), std::string::npos);
  EXPECT_NE(lines_of(trace, "cpu 0 (EPYC)/stream 7 0: ").find("Memcpy HtoH@700+100"), std::string::npos);
  EXPECT_EQ(slice_named(trace, "Memcpy HtoD").kind, SliceKind::kCopyToDevice);
  EXPECT_EQ(slice_named(trace, "Memcpy DtoH").kind, SliceKind::kCopyToHost);
  EXPECT_EQ(slice_named(trace, "Memcpy DtoD").kind, SliceKind::kCopyOnDevice);
  EXPECT_EQ(slice_named(trace, "Memcpy DtoH").size_bytes, 60);
  EXPECT_EQ(slice_named(trace, "hipMemcpyAsync").kind, SliceKind::kWait) << "it took 2 ms";
  EXPECT_EQ(trace.flow_count(), 4u);
  EXPECT_EQ(trace.losses().of(LossCause::kImportUndefined), 2u) << "the string 9, twice";
}

TEST_P(EachRocpd, RangesAndMarksOfRoctxAreNamedByTheirMessage) {
  rows_.category("MARKER_CORE_API")
      .category("HIP_RUNTIME_API")
      .string("roctxRangePushA")
      .string("hipDeviceSynchronize");
  rows_.event(1, 1, 0, 0, R"({"message": "a \"b\" \u00e9\ud83d\ude00\n"})").event(2, 2, 0, 77);
  rows_.event(1, 3, 0, 0, R"({"message":"mark"})").event(1, 4, 0);
  rows_.region(112, 1000, 1500, 1, 1).region(112, 1100, 1200, 2, 2).sample(112, 1300, 1, 3);
  rows_.region(112, 1310, 1320, 1, 4);
  const Trace trace = trace_of(rows_);
  EXPECT_EQ(trace_text(trace),
            "instant process 111/thread 112: mark@300\n"
            "process 111/thread 112 0: a \"b\" \xc3\xa9\xf0\x9f\x98\x80\n@0+500\n"
            "process 111/thread 112 1: hipDeviceSynchronize@100+100{correlation=2,External id=77} "
            "roctxRangePushA@310+10\n");
  EXPECT_EQ(slice_named(trace, "hipDeviceSynchronize").kind, SliceKind::kWait);
  EXPECT_EQ(slice_named(trace, "roctxRangePushA").kind, SliceKind::kZone);
}

TEST_P(EachRocpd, MemoryBecomesACounterAndAllocations) {
  rows_.memory(4, "ALLOC", "REAL", 1000, 4096, 100).memory(4, "ALLOC", "REAL", 1010, 8192, 50);
  rows_.memory(-1, "FREE", "REAL", 1020, 4096, 0).memory(-1, "FREE", "REAL", 1030, 77, 0);
  rows_.memory(5, "ALLOC", "SCRATCH", 1040, 1, 7).memory(5, "RECLAIM", "SCRATCH", 1050, 1, 7);
  rows_.memory(4, "ALLOC", "REAL", 1060, 8192, 60);
  const Trace trace = trace_of(rows_);
  EXPECT_EQ(trace_text(trace),
            "counter process 111/gpu 0 allocated since the start: 0=100 10=150 20=50 60=0 60=60\n"
            "counter process 111/gpu 1 scratch allocated since the start: 40=7\n"
            "lost import_skipped: 2\n");
  EXPECT_EQ(skipped_text(skipped_kinds(trace.metadata()), 5),
            "rows: free_without_allocation 1, memory_allocate_of_type_RECLAIM 1");
  EXPECT_EQ(track_named(trace, "process 111/gpu 0 allocated since the start").info.role,
            CounterRole::kLiveBytes);
  EXPECT_EQ(trace.counts().allocations, 4u);
}

TEST_P(EachRocpd, PerformanceCountersAreArgumentsAndCountersOfTheDevice) {
  rows_.kernel_symbol("gemm").event(0, 11, 11).event(0, 12, 12);
  rows_.sql(R"(
    INSERT INTO "rocpd_info_pmc$" (id, agent_id, name, symbol) VALUES (3, 4, 'SQ_WAVES', 'SQ_WAVES'), (8, 4, 'power', '');
    INSERT INTO "rocpd_pmc_event$" (event_id, pmc_id, value) VALUES (1, 3, 5.5), (1, 8, 1.0), (1, 3, 2.5), (2, 8, 300.5),
      (99, 3, 1.0), (NULL, 3, 1.0);)");
  rows_.kernel(4, 7, 1000, 1100, 1, 1).sample(112, 1050, 1, 2).string("a name");
  const Trace trace = trace_of(rows_);
  EXPECT_EQ(lines_of(trace, "counter gpu 0 (MI300X)/"), "SQ_WAVES: 0=8 | power: 0=1 50=300.5");
  EXPECT_NE(lines_of(trace, "gpu 0 (MI300X)/stream 7 0: ").find("SQ_WAVES=8,power=1"), std::string::npos);
  EXPECT_EQ(skipped_text(skipped_kinds(trace.metadata()), 5), "rows: pmc_event_without_time 2");
}

TEST_P(EachRocpd, WorkThatBeginsBeforeItsCallGetsItsArrowToo) {
  rows_.kernel_symbol("gemm").string("hipLaunchKernel").event(0, 11, 0).event(0, 11, 11).event(0, 12, 12);
  rows_.kernel(4, 7, 990, 1100, 1, 2).region(112, 1000, 1010, 1, 1).kernel(4, 7, 1200, 1210, 1, 3);
  const Trace trace = trace_of(rows_);
  EXPECT_EQ(lines_of(trace, "flow "), "ac2g: process 111/thread 112@10 -> gpu 0 (MI300X)/stream 7@0");
  EXPECT_EQ(trace.losses().of(LossCause::kUnboundFlow), 1u) << "the call 12 is not in the file";
}

TEST_P(EachRocpd, RowsInAnyOrderNestByTime) {
  rows_.string("late").string("inner").string("outer").string("last");
  rows_.event(0, 0, 0)
      .region(112, 1200, 1300, 1, 1)
      .region(112, 1000, 1100, 2, 1)
      .region(112, 1000, 1500, 3, 1);
  rows_.region(112, 1600, 1700, 4, 1);
  const Trace trace = trace_of(rows_);
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 0: "),
            "outer@0+500{correlation=0} last@600+100{correlation=0}");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 1: "),
            "inner@0+100{correlation=0} late@200+100{correlation=0}");
}

TEST(Rocpd, BothSchemasGiveTheSameTraceAsPyTorchsProfiler) {
  const auto rows_of = [](int schema) {
    RocpdRows rows(schema);
    rows.string("hipLaunchKernel")
        .string("hipMemcpyAsync")
        .string("hipStreamSynchronize")
        .string("HOST_TO_DEVICE");
    rows.kernel_symbol("gemm");
    for (const int call : {11, 12, 13}) rows.event(0, call, 0);
    for (const int call : {11, 12}) rows.event(0, call, call);
    rows.region(112, 1000, 1010, 1, 1).region(112, 1100, 1110, 2, 2).region(112, 1120, 1400, 3, 3);
    rows.kernel(4, 7, 1050, 1080, 1, 4).copy(0, 4, 7, 1200, 1300, 4, 400, 5);
    rows.sql("UPDATE \"rocpd_info_agent$\" SET product_name = '', name = '';");
    return rows;
  };
  const Trace third = trace_of(rows_of(3)), fourth = trace_of(rows_of(4));
  EXPECT_EQ(trace_text(third), trace_text(fourth));
  const Trace kineto = imported(events(R"json(
    {"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":111,"tid":112,"ts":1,"dur":0.01,"args":{"correlation":11}},
    {"ph":"s","id":11,"pid":111,"tid":112,"ts":1,"cat":"ac2g","name":"ac2g"},
    {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1.05,"dur":0.03,"args":{"device":0,"stream":7,"queue":1,"correlation":11,"registers per thread":32,"shared memory":48,"grid":[2, 3, 4],"block":[128, 1, 1]}},
    {"ph":"f","id":11,"pid":0,"tid":7,"ts":1.05,"cat":"ac2g","name":"ac2g","bp":"e"},
    {"ph":"X","cat":"cuda_runtime","name":"hipMemcpyAsync","pid":111,"tid":112,"ts":1.1,"dur":0.01,"args":{"correlation":12}},
    {"ph":"s","id":12,"pid":111,"tid":112,"ts":1.1,"cat":"ac2g","name":"ac2g"},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":7,"ts":1.2,"dur":0.1,"args":{"device":0,"stream":7,"correlation":12,"bytes":400,"memory bandwidth (GB/s)":4.0}},
    {"ph":"f","id":12,"pid":0,"tid":7,"ts":1.2,"cat":"ac2g","name":"ac2g","bp":"e"},
    {"ph":"X","cat":"cuda_runtime","name":"hipStreamSynchronize","pid":111,"tid":112,"ts":1.12,"dur":0.28,"args":{"correlation":13}})json"));
  EXPECT_EQ(trace_text(third), trace_text(kineto));
  for (const char* name :
       {"hipLaunchKernel", "hipMemcpyAsync", "hipStreamSynchronize", "gemm", "Memcpy HtoD"}) {
    EXPECT_EQ(slice_named(third, name).kind, slice_named(kineto, name).kind) << name;
    EXPECT_EQ(slice_named(third, name).size_bytes, slice_named(kineto, name).size_bytes) << name;
  }
  EXPECT_EQ(third.flow(0).kind, kineto.flow(0).kind);
}

TEST(Rocpd, TheTablesOfSeveralProcessesAreReadTogether) {
  const auto rows_of = [](const std::string& suffix, const std::string& pid) {
    RocpdRows rows(3, suffix);
    rows.string("hipLaunchKernel").kernel_symbol("gemm").event(0, 11, 0).event(0, 11, 11);
    rows.region(112, 1000, 1010, 1, 1).kernel(4, 7, 1050, 1080, 1, 2);
    rows.sql("INSERT INTO \"rocpd_info_process$\" (id, pid, command) VALUES (111, " + pid +
             ", '/usr/bin/python3 train.py');"
             "INSERT INTO \"rocpd_info_thread$\" (id, pid, tid, name) VALUES (112, 111, 9" +
             pid + ", 'main');");
    return rows.statements();
  };
  const Trace trace = sqlite_trace(rows_of("_0199_a", "501"), rows_of("_0199_b", "502"));
  EXPECT_EQ(lines_of(trace, "python3 (501)/thread 9501 (main) 0: "), "hipLaunchKernel@0+10{correlation=11}");
  EXPECT_EQ(lines_of(trace, "python3 (502)/thread 9502 (main) 0: "), "hipLaunchKernel@0+10{correlation=11}");
  EXPECT_EQ(lines_of(trace, "flow "),
            "ac2g: python3 (501)/thread 9501 (main)@0 -> gpu 0 (MI300X)/stream 7 of python3 (501)@50 | "
            "ac2g: python3 (502)/thread 9502 (main)@0 -> gpu 0 (MI300X)/stream 7 of python3 (502)@50");
  EXPECT_TRUE(trace.losses().none());
}

TEST(Rocpd, ProcessesOfTwoNodesHaveTheNameOfTheirNode) {
  const auto rows_of = [](const std::string& suffix, const std::string& node) {
    RocpdRows rows(4, suffix);
    rows.kernel_symbol("gemm").event(0, 11, 0).kernel(4, 7, 1050, 1080, 1, 1);
    rows.sql("INSERT INTO \"rocpd_info_node$\" (id, hostname) VALUES (" + node + ", 'node" + node +
             "'); UPDATE \"rocpd_info_agent$\" SET nid = " + node + ";");
    return rows.statements();
  };
  const Trace trace = sqlite_trace(rows_of("_a", "1"), rows_of("_b", "2"));
  EXPECT_NE(lines_of(trace, "gpu 0 (MI300X) on node1/stream 7 0: "), "");
  EXPECT_NE(lines_of(trace, "gpu 0 (MI300X) on node2/stream 7 0: "), "");
  EXPECT_FALSE(trace.metadata().contains("host"));
}

TEST(Rocpd, ARowWithoutAStreamIsShownOnItsQueue) {
  RocpdRows rows(3);
  rows.kernel_symbol("gemm").event(0, 11, 11).kernel(4, 7, 1000, 1010, 1, 1);
  rows.sql("UPDATE \"rocpd_kernel_dispatch$\" SET stream_id = NULL, queue_id = 3;");
  const Trace trace = trace_of(rows);
  EXPECT_NE(lines_of(trace, "gpu 0 (MI300X)/queue 3 0: ").find("gemm@0+10{device=0,stream=-1,queue=3"),
            std::string::npos);
}

// ---- odd rows ---------------------------------------------------------------------------------------------

TEST(RocpdOddRows, MissingTablesAndColumnsAreNoErrors) {
  const Trace trace = sqlite_trace("", R"(
    CREATE TABLE rocpd_region_7 (start INTEGER, end INTEGER);
    INSERT INTO rocpd_region_7 VALUES (5, 9);
    CREATE TABLE rocpd_kernel_dispatch_7 (id INTEGER PRIMARY KEY, start INTEGER);
    INSERT INTO rocpd_kernel_dispatch_7 VALUES (1, 6);
    CREATE TABLE rocpd_memory_copy_7 (size INTEGER);
    INSERT INTO rocpd_memory_copy_7 VALUES (1), (2);
    CREATE TABLE rocpd_new_7 (start INTEGER);
    INSERT INTO rocpd_new_7 VALUES (1);)");
  EXPECT_EQ(trace_text(trace),
            "gpu 0/stream 0 0: kernel@1+3{device=0,stream=-1,correlation=0}!\n"
            "lost import_skipped: 3\n"
            "lost unfinished_slice: 1\n"
            "process 0/thread 0 0: region@0+4{correlation=0}\n");
  EXPECT_EQ(skipped_text(skipped_kinds(trace.metadata()), 5), "rows: rocpd_memory_copy 2, rocpd_new_7 1");
}

TEST(RocpdOddRows, IdsThatAreNotInTheFileAreCounted) {
  RocpdRows rows(4);
  rows.region(112, 1000, 1010, 9, 9).kernel(88, 7, 1020, 1030, 9, 9);
  rows.sql(
      "INSERT INTO \"rocpd_region$\" (track_id, start_id, end_id, name_id) VALUES (99, 1, 2, NULL), (1, 77, "
      "2, 1);");
  const Trace trace = trace_of(rows);
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 0: "), "region@0+10{correlation=0}");
  EXPECT_EQ(lines_of(trace, "process 0/thread 0 0: "), "region@0+10{correlation=0}") << "track 99";
  EXPECT_NE(lines_of(trace, "gpu 88/stream 7 0: ").find("kernel@20+10"), std::string::npos);
  EXPECT_EQ(trace.losses().of(LossCause::kImportBroken), 1u) << "time 77";
  EXPECT_EQ(trace.losses().of(LossCause::kImportUndefined), 5u)
      << "the string 9, the event 9 twice, the kernel 9 and the track 99";
}

TEST(RocpdOddRows, NullAndHugeTimesAreCounted) {
  RocpdRows rows(3);
  rows.string("a").event(0, 0, 0).region(112, 1000, 9223372036854775807, 1, 1).region(112, 1010, 900, 1, 1);
  rows.region(112, 9223372036854775807, 9223372036854775807, 1, 1);
  rows.sql("INSERT INTO \"rocpd_region$\" (start, end) VALUES (NULL, 5), ('x', 5);");
  const Trace trace = trace_of(rows);
  EXPECT_EQ(trace.losses().of(LossCause::kImportBroken), 3u);
  EXPECT_EQ(trace.losses().of(LossCause::kUnfinishedSlice), 1u);
  EXPECT_EQ(trace.losses().of(LossCause::kClockWentBack), 1u);
}

TEST(RocpdOddRows, IdsOfTimesMayHaveGapsAndAnyOrder) {
  RocpdRows rows(4);
  rows.string("a").event(0, 0, 0);
  rows.sql(R"(
    INSERT INTO "rocpd_timestamp$" (id, value) VALUES (-9223372036854775808, 1000), (5, 1010), (9, 1020), (1000000, 1030),
      (9223372036854775807, 1040);
    INSERT INTO "rocpd_track$" (id, pid, tid) VALUES (3, 111, 112);
    INSERT INTO "rocpd_region$" (track_id, start_id, end_id, name_id) VALUES (3, -9223372036854775808, 5, 1), (3, 9, 1000000, 1),
      (3, 1000000, 9223372036854775807, 1);)");
  EXPECT_EQ(lines_of(trace_of(rows), "process 111/thread 112 0: "),
            "a@0+10{correlation=0} a@20+10{correlation=0} a@30+10{correlation=0}");
}

TEST(RocpdOddRows, ASchemaThatIsNotKnownIsRefusedWithItsNumber) {
  const std::string refusal = sqlite_refusal(sqlite_bytes(R"(
    CREATE TABLE rocpd_metadata_7 (tag TEXT, value TEXT);
    INSERT INTO rocpd_metadata_7 VALUES ('schema_version', '9');
    CREATE TABLE rocpd_info_node_7 (id INTEGER);)"));
  EXPECT_NE(refusal.find("is a rocpd database of schema 9"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("python3 -m rocpd convert"), std::string::npos) << refusal;
  EXPECT_EQ(refusal.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace runahead::importers
