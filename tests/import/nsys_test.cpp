// Tests the import of SQLite exports of Nsight Systems: what becomes of each row.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "instrumentation/trace/labels.h"
#include "instrumentation/trace/skipped_kinds.h"
#include "tests/import/import_support.h"
#include "tests/import/nsys_files.h"
#include "tests/import/sqlite_trace.h"

namespace runahead::importers {
using namespace trace;
namespace {

using namespace runahead::testing;

// Process 111 with thread 112. A global id has more bits above the process.
constexpr std::string_view kStrings = R"sql(
  INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000'),
    (4, 'cudaStreamSynchronize_v3020'), (5, 'cudaEventRecord_v3020'), (6, 'cudaMemcpyAsync_v3020'), (7, 'poll'),
    (8, 'cuMemcpyHtoD_v2'), (9, 'registered'), (10, 'main'), (11, 'cublasSgemm'), (12, 'cudaEventSynchronize_v3020');
)sql";
std::string sql(std::string statements) {
  for (const auto& [word, value] :
       {std::pair{"$tid", "281476838981744"}, std::pair{"$pid", "281476838981632"}}) {
    for (std::size_t at = 0; (at = statements.find(word, at)) != std::string::npos;)
      statements.replace(at, std::string(word).size(), value);
  }
  return std::string(kStrings) + statements;
}
Trace of_2024(const std::string& statements) { return sqlite_trace(kNsys2024, sql(statements)); }
Trace of_2022(const std::string& statements) { return sqlite_trace(kNsys2022, sql(statements)); }

Slice nsys_slice(const Trace& trace, std::string_view name) { return slice_named(trace, name); }

TEST(Nsys, AKernelIsASliceOfItsStreamWithAnArrowFromItsLaunch) {
  const Trace trace = of_2024(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1010, 0, $tid, 11, 3, 0, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1050, 1080, 0, 1, 0, 7, 11, $pid, 1, 2, NULL, 32, 2, 3, 4, 128, 1, 1,
                                                   16, 32, NULL);)");
  EXPECT_EQ(
      lines_of(trace, "gpu 0/stream 7 0: "),
      "void gemm<float>(int)@50+30{device=0,context=1,stream=7,correlation=11,registers per thread=32,shared "
      "memory=48,grid='[2, 3, 4]',block='[128, 1, 1]'}");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 0: "), "cudaLaunchKernel@0+10{correlation=11}");
  EXPECT_EQ(lines_of(trace, "flow "), "ac2g: process 111/thread 112@0 -> gpu 0/stream 7@50");
  EXPECT_EQ(trace.flow(0).kind, FlowKind::kLaunchToDevice);
  EXPECT_EQ(nsys_slice(trace, "void gemm<float>(int)").kind, SliceKind::kExecute);
  EXPECT_EQ(nsys_slice(trace, "cudaLaunchKernel").kind, SliceKind::kEnqueue);
  EXPECT_EQ(track_named(trace, "gpu 0/stream 7").info.kind, TrackKind::kStream);
  EXPECT_EQ(track_named(trace, "gpu 0/stream 7").info.device, "gpu 0");
}

TEST(Nsys, KernelsCopiesAndCallsLookLikeThoseOfPyTorchsProfiler) {
  const Trace nsys = of_2024(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1010, 0, $tid, 11, 3, 0, NULL),
      (1100, 1110, 0, $tid, 12, 6, 0, NULL), (2000, 2001000, 0, $tid, 13, 6, 0, NULL),
      (3000000, 3000010, 0, $tid, 14, 4, 0, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1050, 1080, 0, 1, 0, 7, 11, $pid, 1, 2, NULL, 32, 2, 3, 4, 128, 1, 1,
                                                   16, 32, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1200, 1300, 0, 1, 0, 7, 12, $pid, 400, 1, 1, 2, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1400, 1500, 0, 1, 0, 7, 15, $pid, 0, 200, NULL, 2);
    INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
      VALUES (3000001, 3000009, 0, 1, 0, 7, 14, $pid, NULL, 3, 4294967295, 0);)");
  const Trace kineto = imported(events(R"json(
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":111,"tid":112,"ts":1,"dur":0.01,"args":{"correlation":11}},
    {"ph":"s","id":11,"pid":111,"tid":112,"ts":1,"cat":"ac2g","name":"ac2g"},
    {"ph":"X","cat":"kernel","name":"void gemm<float>(int)","pid":0,"tid":7,"ts":1.05,"dur":0.03,"args":{"device":0,"context":1,"stream":7,"correlation":11,"registers per thread":32,"shared memory":48,"grid":[2, 3, 4],"block":[128, 1, 1]}},
    {"ph":"f","id":11,"pid":0,"tid":7,"ts":1.05,"cat":"ac2g","name":"ac2g","bp":"e"},
    {"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":111,"tid":112,"ts":1.1,"dur":0.01,"args":{"correlation":12}},
    {"ph":"s","id":12,"pid":111,"tid":112,"ts":1.1,"cat":"ac2g","name":"ac2g"},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":1.2,"dur":0.1,"args":{"device":0,"context":1,"stream":7,"correlation":12,"bytes":400,"memory bandwidth (GB/s)":4.0}},
    {"ph":"f","id":12,"pid":0,"tid":7,"ts":1.2,"cat":"ac2g","name":"ac2g","bp":"e"},
    {"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":111,"tid":112,"ts":2,"dur":1999,"args":{"correlation":13}},
    {"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":7,"ts":1.4,"dur":0.1,"args":{"device":0,"context":1,"stream":7,"correlation":15,"bytes":200,"memory bandwidth (GB/s)":2.0}},
    {"ph":"f","id":15,"pid":0,"tid":7,"ts":1.4,"cat":"ac2g","name":"ac2g","bp":"e"},
    {"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":111,"tid":112,"ts":3000,"dur":0.01,"args":{"correlation":14,"cuda_sync_kind":"Stream Sync","stream":7}},
    {"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":3000.001,"dur":0.008,"args":{"cuda_sync_kind":"Stream Sync","stream":7,"correlation":14,"device":0,"context":1}})json"));
  EXPECT_EQ(trace_text(nsys), trace_text(kineto));
  ASSERT_EQ(nsys.tracks().size(), kineto.tracks().size());
  for (const Track& track : kineto.tracks()) {
    const Track& same = track_named(nsys, track_path(kineto, track.info.id));
    EXPECT_EQ(same.info.kind, track.info.kind);
    EXPECT_EQ(same.info.device, track.info.device);
    for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
      for (std::uint64_t row = 0; row < track.lanes[depth].end_row(); ++row) {
        EXPECT_EQ(same.lanes[depth].slice(row).kind, track.lanes[depth].slice(row).kind) << row;
        EXPECT_EQ(same.lanes[depth].slice(row).size_bytes, track.lanes[depth].slice(row).size_bytes);
      }
    }
  }
  EXPECT_EQ(nsys.flow(0).kind, kineto.flow(0).kind);
}

TEST(Nsys, AnExportOf2022HasFewerColumns) {
  const Trace trace = of_2022(R"(
    INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1779630014975716426, '', '');
    INSERT INTO ThreadNames VALUES (10, 20, $tid);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1010, 0, $tid, 11, 3, 0, NULL),
      (1100, 1110, 0, $tid, 12, 5, 0, NULL), (1200, 1300, 0, $tid, 13, 12, 700, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1050, 1080, 0, 1, 7, 11, $pid, 1, 2);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1060, 1090, 0, 1, 9, 0, $pid, 60, 2);
    INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 12, $pid, 3), (0, 1, 8, 14, $pid, 3);
    INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1205, 1295, 0, 1, 4294967295, 13, $pid, 1, 3);
    INSERT INTO NVTX_EVENTS VALUES (990, 1400, 59, 'outer', $tid, NULL);)");
  EXPECT_EQ(trace_text(trace),
            "flow ac2g: process 111/thread 112 (main)@10 -> gpu 0/stream 7@60\n"
            "gpu 0/Device 0 0: Event Sync@215+90{cuda_sync_kind='Event Sync',wait_on_stream=7,"
            "wait_on_cuda_event_record_corr_id=12,wait_on_cuda_event_id=3,stream=-1,correlation=13,device=0,"
            "context=1}\n"
            "gpu 0/stream 7 0: void gemm<float>(int)@60+30{device=0,context=1,stream=7,correlation=11}\n"
            "gpu 0/stream 9 0: Memcpy DtoH@70+30{device=0,context=1,stream=9,correlation=0,bytes=60,memory "
            "bandwidth "
            "(GB/s)=2}\n"
            "lost import_skipped: 1\n"
            "process 111/thread 112 (main) 0: outer@0+410\n"
            "process 111/thread 112 (main) 1: cudaLaunchKernel@10+10{correlation=11} cudaEventRecord@110+10"
            "{correlation=12,event=3,stream=7} cudaEventSynchronize@210+100{correlation=13,return value=700,"
            "cuda_sync_kind='Event Sync',wait_on_stream=7,wait_on_cuda_event_record_corr_id=12,"
            "wait_on_cuda_event_id=3,stream=-1}\n");
  EXPECT_EQ(trace.metadata().at("nsys.schema"), "2.7.1");
  EXPECT_EQ(trace.metadata().at("started_at"), "2026-05-24T13:40:14Z");
  EXPECT_EQ(trace.metadata().at("format"), "nsys sqlite");
  EXPECT_EQ(nsys_slice(trace, "Memcpy DtoH").kind, SliceKind::kCopyToHost);
  EXPECT_EQ(nsys_slice(trace, "cudaEventSynchronize").kind, SliceKind::kWait);
  EXPECT_EQ(skipped_kinds(trace.metadata())[0].name, "CUDA_event_without_time_and_call");
}

TEST(Nsys, AWaitNamesTheStreamOfItsEventByTheSyncId) {
  const Trace trace = of_2024(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1001, 1, 2, 0, 7, 0, $pid, 1, 2, NULL, 32, 1, 1, 1, 1, 1, 1, 0, 0,
                                                   NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (1010, 1, 2, 0, 7, 21, $pid, 3, 500), (0, 1, 2, 0, 8, 22, $pid, 3, 501);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1020, 1030, 0, $tid, 23, 4, 0, NULL),
      (1015, 1016, 0, $tid, 22, 5, 0, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1021, 1029, 0, 2, 0, 9, 23, $pid, NULL, 2, 3, 500);)");
  EXPECT_EQ(lines_of(trace, "gpu 1/stream 9 0: "),
            "Stream Wait Event@21+8{cuda_sync_kind='Stream Wait Event',wait_on_stream=7,"
            "wait_on_cuda_event_record_corr_id=21,wait_on_cuda_event_id=3,stream=9,correlation=23,device=1,"
            "context=2}")
      << "the row says device 0, but the context is of device 1";
  EXPECT_EQ(lines_of(trace, "instant "),
            "gpu 1/stream 7: CUDA event@10{device=1,context=2,stream=7,correlation=21,event=3}");
  EXPECT_EQ(trace.losses().of(LossCause::kImportSkipped), 0u);
}

TEST(Nsys, RangesAndMarksOfNvtx) {
  const Trace trace = of_2024(R"(
    INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId, category, int64Value, doubleValue)
    VALUES (0, NULL, 75, 'NCCL', $tid, NULL, 5, NULL, NULL, NULL), (1000, 1100, 59, 'push', $tid, NULL, 5, 3, 42, NULL),
      (1010, NULL, 34, NULL, $tid, 9, 0, NULL, NULL, 1.5), (1020, 1120, 60, 'wide', $tid, NULL, 0, NULL, NULL, NULL),
      (1030, 1110, 60, NULL, $tid, NULL, 0, NULL, NULL, NULL), (1040, 1050, 59, 'ProfilerStep#3', $tid, NULL, 0, 0, NULL, NULL),
      (1060, NULL, 59, 'open', $tid, NULL, 0, NULL, NULL, NULL), (1070, 1080, 99, 'stream', $tid, NULL, 0, NULL, NULL, NULL);)");
  EXPECT_EQ(trace_text(trace),
            "instant process 111/thread 112: registered@10{payload=1.5}\n"
            "lost import_skipped: 1\n"
            "lost unfinished_slice: 1\n"
            "process 111/NVTX ranges 0: wide@20+100\n"
            "process 111/NVTX ranges 1: NVTX range@30+80\n"
            "process 111/thread 112 0: push@0+100{domain='NCCL',category=3,payload=42}\n"
            "process 111/thread 112 1: ProfilerStep#3@40+10 open@60+60!\n");
  EXPECT_EQ(nsys_slice(trace, "ProfilerStep#3").kind, SliceKind::kStep);
  EXPECT_EQ(track_named(trace, "process 111/NVTX ranges").info.kind, TrackKind::kAsync);
}

TEST(Nsys, OtherTablesOfCallsAreZonesOfTheirThread) {
  const Trace trace = of_2024(R"(
    INSERT INTO ENUM_CUPTI_OVERHEAD_TYPE VALUES (3, 'X', 'Buffer flush (Profiler)');
    INSERT INTO OSRT_API VALUES (1000, 1100, 27, $tid, NULL, 7, 0);
    INSERT INTO CUBLAS_EVENTS VALUES (1200, 1300, 0, $tid, 11);
    INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (1210, 1220, 0, $tid, 0, 7, 3);)");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 0: "), "poll@0+100 cublasSgemm@200+100");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 1: "), "Buffer flush (Profiler)@210+10");
}

TEST(Nsys, MemoryUseBecomesACounterForEachKindOfMemory) {
  const Trace trace = of_2024(R"(
    INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1000, $pid, 0, 1, 4096, 0, 100, 2, 0), (1010, $pid, 0, 1, 8192, 0, 50, 2, 0),
      (1020, $pid, 0, 1, 4096, 0, 100, 2, 1), (1030, $pid, 0, 1, 1, 0, 7, 1, 0), (1040, $pid, 0, 1, 1, 0, 7, 1, 9);)");
  EXPECT_EQ(trace_text(trace),
            "counter process 111/gpu 0 Pinned allocated since the start: 30=7\n"
            "counter process 111/gpu 0 allocated since the start: 0=100 10=150 20=50\n"
            "lost import_skipped: 1\n");
  EXPECT_EQ(track_named(trace, "process 111/gpu 0 allocated since the start").info.role,
            CounterRole::kLiveBytes);
}

TEST(Nsys, AGraphThatWasTracedAsAWholeIsOneSlice) {
  const Trace trace = of_2024(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1000, 1500, 0, 1, 0, 7, 11, $pid, 4, 9);)");
  EXPECT_EQ(lines_of(trace, "gpu 0/stream 7 0: "),
            "CUDA graph 4@0+500{device=0,context=1,stream=7,correlation=11,graph id=4,graph exec id=9}");
  EXPECT_EQ(trace.losses().of(LossCause::kUnboundFlow), 1u) << "the call that launched it is not in the file";
}

TEST(Nsys, RowsThatATimelineCannotShowAreCountedByTable) {
  const Trace trace = of_2024(R"(
    INSERT INTO OSRT_API VALUES (1000, 1100, 27, $tid, NULL, 7, 0);
    INSERT INTO SCHED_EVENTS VALUES (1000, 0, 1, $tid), (1001, 0, 0, $tid);
    INSERT INTO COMPOSITE_EVENTS VALUES (1, 1000, 0, 0, $tid, 5);)");
  EXPECT_EQ(trace.losses().of(LossCause::kImportSkipped), 3u);
  EXPECT_EQ(skipped_text(skipped_kinds(trace.metadata()), 5), "rows: SCHED_EVENTS 2, COMPOSITE_EVENTS 1");
}

TEST(Nsys, ProcessesThreadsAndDevicesHaveNames) {
  const Trace trace = of_2024(R"(
    INSERT INTO PROCESSES VALUES ($pid, 111, 'python3');
    INSERT INTO ThreadNames VALUES (10, 20, $tid);
    INSERT INTO TARGET_INFO_GPU VALUES (0, 5, 'NVIDIA H100', 0);
    INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, '', 'Hostname', 619, 'node7');
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1010, 0, $tid, 11, 8, 0, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1200, 1300, 0, 1, 0, 7, 11, $pid, 400, 11, 4, 2, NULL);)");
  EXPECT_EQ(lines_of(trace, "python3 (111)/thread 112 (main) 0: "), "cuMemcpyHtoD_v2@0+10{correlation=11}");
  EXPECT_EQ(nsys_slice(trace, "Memcpy HtoD (Managed -> Device)").kind, SliceKind::kCopyToDevice);
  EXPECT_EQ(track_named(trace, "gpu 0 (NVIDIA H100)/stream 7").info.device, "gpu 0");
  EXPECT_EQ(trace.metadata().at("host"), "node7");
}

TEST(Nsys, StreamsOfTwoProcessesWithTheSameNumberAreTwoTracks) {
  const Trace trace = of_2024(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1000, 1100, 0, 1, 0, 7, 0, $pid, 0, 1, NULL, NULL),
      (1050, 1150, 0, 1, 0, 7, 0, $pid + 16777216, 0, 1, NULL, NULL), (1060, 1160, 0, 2, 0, 7, 0, $pid, 0, 1, NULL, NULL);)");
  EXPECT_EQ(lines_of(trace, "gpu 0/stream 7 of process 112 0: "),
            "Memset@50+100{device=0,context=1,stream=7,correlation=0,bytes=1,memory bandwidth (GB/s)=0.01}");
  EXPECT_NE(lines_of(trace, "gpu 0/stream 7 of process 111 in context 1 0: "), "");
  EXPECT_NE(lines_of(trace, "gpu 0/stream 7 of process 111 in context 2 0: "), "");
}

TEST(Nsys, ACorrelationIdIsUniqueOnlyInItsProcess) {
  const Trace trace = of_2024(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1010, 0, $tid, 11, 3, 0, NULL),
      (1005, 1015, 0, $tid + 16777216, 11, 3, 0, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1020, 1100, 0, 1, 0, 7, 11, $pid + 16777216, 0, 1, NULL, NULL);)");
  EXPECT_EQ(lines_of(trace, "flow "), "ac2g: process 112/thread 112@5 -> gpu 0/stream 7@20");
}

TEST(Nsys, WorkThatBeginsBeforeItsCallGetsItsArrowToo) {
  const Trace trace = of_2024(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (990, 1100, 0, 1, 0, 7, 11, $pid, 0, 1, NULL, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1010, 0, $tid, 11, 3, 0, NULL);)");
  EXPECT_EQ(lines_of(trace, "flow "), "ac2g: process 111/thread 112@10 -> gpu 0/stream 7@0");
}

// ---- odd rows ---------------------------------------------------------------------------------------------

TEST(NsysOddRows, NullValuesAndMissingStringsAreNoErrors) {
  const Trace trace = of_2024(R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 1010, NULL, NULL, NULL, 99, NULL, NULL);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1050, 1080, 0, 1, NULL, 7, NULL, NULL, 98, 97, NULL, NULL, NULL, NULL,
                                                   NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO NVTX_EVENTS (start, eventType) VALUES (1100, 34);)");
  EXPECT_EQ(trace_text(trace),
            "gpu 0/stream 7 0: kernel@50+30{device=0,context=1,stream=7,correlation=0}\n"
            "instant process 0/thread 0: NVTX range@100\n"
            "lost import_undefined: 3\n"
            "process 0/thread 0 0: CUDA call@0+10{correlation=0}\n");
}

TEST(NsysOddRows, ATimeThatIsNoIntegerIsCounted) {
  const Trace trace = of_2024(R"(
    INSERT INTO OSRT_API VALUES ('soon', 1100, 27, $tid, NULL, 7, 0), (1000, 'late', 27, $tid, NULL, 7, 0),
      (1.5, 3, 27, $tid, NULL, 7, 0), (x'00', 3, 27, $tid, NULL, 7, 0), (1010, 1020, 27, 'none', NULL, 'poll', 0),
      (9223372036854775807, 1, 27, $tid, NULL, 7, 0), (1030, 9223372036854775807, 27, $tid, NULL, 7, 0);)");
  EXPECT_EQ(trace.losses().of(LossCause::kImportBroken), 4u);
  EXPECT_EQ(trace.losses().of(LossCause::kUnfinishedSlice), 2u);
  EXPECT_EQ(lines_of(trace, "process 0/thread 0 0: "), "OSRT_API@10+10");
}

TEST(NsysOddRows, ANegativeDurationBecomesZero) {
  const Trace trace = of_2024(R"(
    INSERT INTO OSRT_API VALUES (1000, 900, 27, $tid, NULL, 7, 0), (1000, 1000, 27, $tid, NULL, 7, 0),
      (-50, 2000, 27, $tid, NULL, 11, 0);)");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 0: "), "cublasSgemm@0+2050");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 1: "), "poll@1050+0 poll@1050+0");
  EXPECT_EQ(trace.losses().of(LossCause::kClockWentBack), 1u);
}

TEST(NsysOddRows, RowsInAnyOrderNestByTime) {
  const Trace trace = of_2024(R"(
    INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (1200, 1300, 59, 'late', $tid),
      (1000, 1100, 59, 'inner', $tid), (1000, 1500, 59, 'outer', $tid), (1000, NULL, 59, 'open', $tid);)");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 0: "), "open@0+500!");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 1: "), "outer@0+500");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 2: "), "inner@0+100 late@200+100");
}

TEST(NsysOddRows, RowsTooFarFromTheFirstAreCounted) {
  const Trace trace = of_2024(R"(
    INSERT INTO OSRT_API VALUES (-4000000000000000000, -3999999999999999990, 27, $tid, NULL, 7, 0),
      (1000, 1010, 27, $tid, NULL, 7, 0);)");
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 0: "), "poll@0+10");
  EXPECT_EQ(trace.losses().of(LossCause::kImportBroken), 1u);
}

TEST(NsysOddRows, ATableWithoutItsTimesOrStringsIsCountedOrNamedByTheTable) {
  const Trace trace = sqlite_trace("", R"(
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (deviceId INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0), (1);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (5, 6);
    CREATE TABLE OSRT_API (start INTEGER);
    INSERT INTO OSRT_API VALUES (7);)");
  EXPECT_EQ(skipped_text(skipped_kinds(trace.metadata()), 5), "rows: CUPTI_ACTIVITY_KIND_KERNEL 2");
  EXPECT_EQ(lines_of(trace, "gpu 0/stream -1 0: ") + lines_of(trace, "gpu 0/Device 0 0: "),
            "Memcpy@0+1{device=0,context=0,stream=-1,correlation=0,bytes=0,memory bandwidth (GB/s)=0}");
  EXPECT_EQ(lines_of(trace, "process 0/thread 0 0: "), "OSRT_API@2+0!");
}

TEST(NsysOddRows, IdsOfStringsNeedNotBeAKey) {
  const Trace trace = sqlite_trace("", R"(
    CREATE TABLE StringIds (id INTEGER, value TEXT);
    INSERT INTO StringIds VALUES (40, 'a'), (7, 'poll');
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
    INSERT INTO OSRT_API VALUES (1, 2, 0, 7), (3, 4, 0, 8);)");
  EXPECT_EQ(lines_of(trace, "process 0/thread 0 0: "), "poll@0+1 OSRT_API@2+1");
}

TEST(NsysOddRows, AViewInsteadOfATableIsNotRead) {
  const Trace trace = of_2024(R"(
    DROP TABLE OSRT_API;
    CREATE VIEW OSRT_API AS WITH RECURSIVE endless(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM endless)
      SELECT i AS start, i AS end, 0 AS globalTid, 7 AS nameId FROM endless;
    INSERT INTO CUBLAS_EVENTS VALUES (1200, 1300, 0, $tid, 11);)");
  EXPECT_EQ(trace_text(trace), "process 111/thread 112 0: cublasSgemm@0+100\n");
}

}  // namespace
}  // namespace runahead::importers
