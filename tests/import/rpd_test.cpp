// Tests the import of rocmProfileData's databases (.rpd): what becomes of each row.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "instrumentation/trace/skipped_kinds.h"
#include "tests/import/import_support.h"
#include "tests/import/rocm_files.h"
#include "tests/import/sqlite_trace.h"

namespace runahead::importers {
using namespace trace;
namespace {

using namespace runahead::testing;

constexpr std::string_view kRpdStrings = R"sql(
  INSERT INTO rocpd_string VALUES (1, ''), (2, 'hipLaunchKernel'), (3, 'hipMemcpyAsync'), (4, 'UserMarker'), (5, 'gemm'),
    (6, 'KernelExecution'), (7, 'CopyHostToDevice'), (8, 'CopyDeviceToHost'), (9, 'aten::mm'), (10, 'hipStreamSynchronize'),
    (11, 'hipExtModuleLaunchKernel'), (12, 'run_to_completion'), (13, 'Barrier'), (14, 'FillBuffer'),
    (15, 'hipMemcpyWithStream'), (16, 'ptr = 0x10 | size = 8'), (17, 'ProfilerStep#3'), (18, 'SQ_WAVES'), (19, 'roctx');
)sql";
Trace rpd_2(std::string_view statements) {
  return sqlite_trace(std::string(kRpd2) + std::string(kRpdStrings), statements);
}

TEST(Rpd, AKernelIsASliceOfItsQueueWithAnArrowFromItsLaunch) {
  const Trace trace = rpd_2(R"(
    INSERT INTO rocpd_api VALUES (101, 111, 112, 1000, 1010, 2, 1);
    INSERT INTO rocpd_op VALUES (201, 2, 3, 0, '', 1050, 1080, 5, 6);
    INSERT INTO rocpd_api_ops VALUES (1, 101, 201);
    INSERT INTO rocpd_kernelapi VALUES (101, '0x0', 4, 2, 1, 256, 1, 1, 1024, 8, '', 5);)");
  EXPECT_EQ(
      trace_text(trace),
      "flow ac2g: process 111/thread 112@0 -> gpu 2/stream 3@50\n"
      "gpu 2/stream 3 0: gemm@50+30{device=2,stream=3,correlation=101,shared memory=1024,scratch memory=8,"
      "grid='[4, 2, 1]',block='[256, 1, 1]'}\n"
      "process 111/thread 112 0: hipLaunchKernel@0+10{correlation=101}\n");
  EXPECT_EQ(trace.flow(0).kind, FlowKind::kLaunchToDevice);
  EXPECT_EQ(slice_named(trace, "gemm").kind, SliceKind::kExecute);
  EXPECT_EQ(slice_named(trace, "hipLaunchKernel").kind, SliceKind::kEnqueue);
  EXPECT_EQ(track_named(trace, "gpu 2/stream 3").info.kind, TrackKind::kStream);
  EXPECT_EQ(track_named(trace, "gpu 2/stream 3").info.device, "gpu 2");
  EXPECT_EQ(trace.metadata().at("format"), "rpd sqlite");
  EXPECT_EQ(trace.metadata().at("rpd.schema"), "2");
  EXPECT_FALSE(trace.metadata().contains("started_at")) << "the times of the file are no dates";
}

TEST(Rpd, CopiesHaveTheBytesOfTheirCall) {
  const Trace trace = rpd_2(R"(
    INSERT INTO rocpd_api VALUES (101, 111, 112, 1000, 1010, 3, 16), (102, 111, 112, 1020, 2001020, 15, 1);
    INSERT INTO rocpd_op VALUES (201, 0, 0, 0, '', 1050, 1150, 1, 7), (202, 0, 0, 0, '', 1200, 1210, 1, 8),
      (203, 0, 0, 0, '', 1300, 1310, 1, 14), (204, 0, 0, 0, '', 1400, 1410, 1, 13);
    INSERT INTO rocpd_api_ops VALUES (1, 101, 201), (2, 102, 202);
    INSERT INTO rocpd_copyapi VALUES (101, '0x0', 400, '', '', 1, '', '', 0, 0, 0, 0), (102, '0x0', 8, '', '', 2, '', '', 0, 0, 0, 0);)");
  EXPECT_EQ(lines_of(trace, "gpu 0/stream 0 0: "),
            "Memcpy HtoD@50+100{device=0,stream=0,correlation=101,bytes=400,memory bandwidth (GB/s)=4} "
            "Memcpy DtoH@200+10{device=0,stream=0,correlation=102,bytes=8,memory bandwidth (GB/s)=0.8} "
            "Memset@300+10{device=0,stream=0,correlation=0} Barrier@400+10{device=0,stream=0,correlation=0}");
  EXPECT_EQ(slice_named(trace, "Memcpy HtoD").kind, SliceKind::kCopyToDevice);
  EXPECT_EQ(slice_named(trace, "Memcpy HtoD").size_bytes, 400);
  EXPECT_EQ(slice_named(trace, "Memcpy DtoH").kind, SliceKind::kCopyToHost);
  EXPECT_EQ(slice_named(trace, "Memset").kind, SliceKind::kExecute);
  EXPECT_EQ(slice_named(trace, "Barrier").kind, SliceKind::kZone);
  EXPECT_EQ(slice_named(trace, "hipMemcpyAsync").kind, SliceKind::kEnqueue);
  EXPECT_EQ(slice_named(trace, "hipMemcpyWithStream").kind, SliceKind::kWait) << "it took 2 ms";
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 0: "),
            "hipMemcpyAsync@0+10{correlation=101,args='ptr = 0x10 | size = 8'} "
            "hipMemcpyWithStream@20+2000000{correlation=102}");
}

TEST(Rpd, TheGridOfSomeCallsIsInWorkItems) {
  const Trace trace = rpd_2(R"(
    INSERT INTO rocpd_api VALUES (101, 111, 112, 1000, 1010, 11, 1);
    INSERT INTO rocpd_op VALUES (201, 0, 0, 0, '', 1050, 1080, 5, 6);
    INSERT INTO rocpd_api_ops VALUES (1, 101, 201);
    INSERT INTO rocpd_kernelapi VALUES (101, '0x0', 151552, 1, 1, 256, 1, 1, 0, 0, '', 5);)");
  EXPECT_NE(trace_text(trace).find("grid='[592, 1, 1]',block='[256, 1, 1]'"), std::string::npos);
}

TEST(Rpd, RangesMarksAndWaitsOfAThread) {
  const Trace trace = rpd_2(R"(
    INSERT INTO rocpd_api VALUES (1, 111, 112, 1000, 1500, 4, 9), (2, 111, 112, 1100, 1100, 4, 9),
      (3, 111, 112, 1200, 1300, 4, 17), (4, 111, 112, 1310, 1400, 10, 1), (5, 111, 112, 990, 1600, 12, 1);)");
  EXPECT_EQ(trace_text(trace),
            "instant process 111/thread 112: aten::mm@110\n"
            "process 111/thread 112 0: run_to_completion@0+610{correlation=5}\n"
            "process 111/thread 112 1: aten::mm@10+500\n"
            "process 111/thread 112 2: ProfilerStep#3@210+100 hipStreamSynchronize@320+90{correlation=4}\n");
  EXPECT_EQ(slice_named(trace, "ProfilerStep#3").kind, SliceKind::kStep);
  EXPECT_EQ(slice_named(trace, "hipStreamSynchronize").kind, SliceKind::kWait);
  EXPECT_EQ(slice_named(trace, "run_to_completion").kind, SliceKind::kZone);
}

TEST(Rpd, AMonitorIsACounterOfItsDevice) {
  const Trace trace = rpd_2(R"(
    INSERT INTO rocpd_monitor VALUES (1, 'gpu', 4, 'sclk', 1000, 1100, '134'), (2, 'gpu', 4, 'sclk', 1100, 1200, '1700.5'),
      (3, 'gpu', 4, 'mclk', 1000, 1200, 900), (4, 'gpu', 4, 'sclk', 1200, 1300, 'no number'),
      (5, 'cpu', 4, 'sclk', 1000, 1300, '3');)");
  EXPECT_EQ(trace_text(trace),
            "counter gpu 4/cpu sclk: 0=3\n"
            "counter gpu 4/mclk: 0=900\n"
            "counter gpu 4/sclk: 0=134 100=1700.5\n"
            "lost import_skipped: 1\n");
}

TEST(Rpd, AGraphsLaunchHasAnArrowToEachOfItsOps) {
  const Trace trace = rpd_2(R"(
    INSERT INTO rocpd_api VALUES (101, 111, 112, 1000, 1010, 2, 1);
    INSERT INTO rocpd_op VALUES (201, 0, 0, 0, '', 1050, 1080, 5, 6), (202, 0, 0, 0, '', 1090, 1099, 5, 6),
      (203, 0, 0, 0, '', 900, 910, 5, 6);
    INSERT INTO rocpd_api_ops VALUES (1, 101, 202), (2, 101, 201), (3, 101, 203), (4, 999, 201), (5, 101, 888), (6, NULL, 201);)");
  EXPECT_EQ(lines_of(trace, "flow "),
            "ac2g: process 111/thread 112@100 -> gpu 0/stream 0@0 | "
            "ac2g: process 111/thread 112@100 -> gpu 0/stream 0@150 | "
            "ac2g: process 111/thread 112@100 -> gpu 0/stream 0@190");
  EXPECT_EQ(trace.losses().of(LossCause::kUnboundFlow), 3u) << "call 999, op 888 and a call without a number";
}

TEST(Rpd, Schema3HasTextsCountersAndDomains) {
  const Trace trace = sqlite_trace(std::string(kRpd3) + std::string(kRpdStrings), R"(
    INSERT INTO rocpd_ustring VALUES (1, 'aten::add'), (2, 'n = 4');
    INSERT INTO rocpd_api VALUES (1, 111, 112, 1000, 1500, 4, 1, 19, 1), (2, 111, 112, 1010, 1020, 3, 1, 1, 2);
    INSERT INTO rocpd_op VALUES (7, 0, 0, 0, 1050, 1150, 1, 7);
    INSERT INTO rocpd_api_ops VALUES (1, 2, 7);
    INSERT INTO rocpd_copyapi VALUES (2, '0x0', 400);
    INSERT INTO rocpd_counter VALUES (1, 5.5, 7, 18), (2, 2.5, 7, 18), (3, 9.0, 8, 18);)");
  EXPECT_EQ(trace_text(trace),
            "counter gpu 0/SQ_WAVES: 50=8\n"
            "flow ac2g: process 111/thread 112@10 -> gpu 0/stream 0@50\n"
            "gpu 0/stream 0 0: Memcpy HtoD@50+100{device=0,stream=0,correlation=2,bytes=400,memory bandwidth "
            "(GB/s)=4,SQ_WAVES=8}\n"
            "lost import_skipped: 1\n"
            "process 111/thread 112 0: aten::add@0+500{domain='roctx'}\n"
            "process 111/thread 112 1: hipMemcpyAsync@10+10{correlation=2,args='n = 4'}\n");
  EXPECT_EQ(trace.metadata().at("rpd.schema"), "3");
}

// ---- odd rows ---------------------------------------------------------------------------------------------

TEST(RpdOddRows, MissingTablesAndColumnsAreNoErrors) {
  const Trace trace = sqlite_trace("", R"(
    CREATE TABLE rocpd_op (id integer PRIMARY KEY, start integer, end integer);
    INSERT INTO rocpd_op VALUES (1, 10, 20);
    CREATE TABLE rocpd_other (start integer);
    INSERT INTO rocpd_other VALUES (1), (2);)");
  EXPECT_EQ(trace_text(trace),
            "gpu 0/stream 0 0: kernel@0+10{device=0,stream=0,correlation=0}\n"
            "lost import_skipped: 2\n"
            "lost import_undefined: 1\n");
  EXPECT_EQ(skipped_text(skipped_kinds(trace.metadata()), 5), "rows: rocpd_other 2");
}

TEST(RpdOddRows, NullsHugeTimesAndMissingStringsAreCounted) {
  const Trace trace = rpd_2(R"(
    INSERT INTO rocpd_api VALUES (1, 111, 112, NULL, 10, 2, 1), (2, 111, 112, 'now', 10, 2, 1),
      (3, 111, 112, 1000, 9223372036854775807, 999, NULL), (4, 111, 112, 9223372036854775807, 1, 2, 1),
      (5, 111, 112, 1010, 1005, 2, 998);
    INSERT INTO rocpd_op VALUES (1, -5, -7, 0, '', 1002, NULL, NULL, NULL);)");
  EXPECT_EQ(trace.losses().of(LossCause::kImportBroken), 3u);
  EXPECT_EQ(trace.losses().of(LossCause::kUnfinishedSlice), 2u);
  EXPECT_EQ(trace.losses().of(LossCause::kClockWentBack), 1u);
  EXPECT_EQ(trace.losses().of(LossCause::kImportUndefined), 3u) << "999, 998 and the type of the op";
  EXPECT_EQ(lines_of(trace, "process 111/thread 112 0: "), "HIP call@0+10{correlation=3}!");
}

TEST(RpdOddRows, RowsInAnyOrderNestByTime) {
  const Trace trace = rpd_2(R"(
    INSERT INTO rocpd_api VALUES (1, 1, 1, 1200, 1300, 12, 1), (2, 1, 1, 1000, 1100, 2, 1), (3, 1, 1, 1000, 1500, 3, 1),
      (40, 1, 1, 990, 2000, 10, 1), (41, 1, 1, 995, 1800, 11, 1);)");
  EXPECT_EQ(lines_of(trace, "process 1/thread 1 0: "), "hipStreamSynchronize@0+1010{correlation=40}");
  EXPECT_EQ(lines_of(trace, "process 1/thread 1 1: "), "hipExtModuleLaunchKernel@5+805{correlation=41}");
  EXPECT_EQ(lines_of(trace, "process 1/thread 1 2: "), "hipMemcpyAsync@10+500{correlation=3}");
  EXPECT_EQ(lines_of(trace, "process 1/thread 1 3: "),
            "hipLaunchKernel@10+100{correlation=2} run_to_completion@210+100{correlation=1}");
}

}  // namespace
}  // namespace runahead::importers
