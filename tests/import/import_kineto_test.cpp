// Tests the meaning of the events of PyTorch's profiler. Also tests that a user sees the same trace after
// Runahead has exported it to Chrome JSON and imported it again.
#include <gtest/gtest.h>

#include <set>

#include "instrumentation/export/chrome_json.h"
#include "instrumentation/files/json_text.h"
#include "instrumentation/import/chrome/chrome_import.h"
#include "instrumentation/import/chrome/json_event.h"
#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/labels.h"
#include "tests/import/import_support.h"
#include "tests/recording/random_batches.h"
#include "tests/support/random.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::importers {
using namespace trace;
using namespace exporters;
using namespace files;
using namespace recordings;
namespace {

using namespace runahead::testing;

// A launch on the CPU's thread 9, and a kernel and a copy on stream 7 of GPU 0.
constexpr const char* kKineto =
    R"json({"schemaVersion":1,"baseTimeNanoseconds":1735632360000000000,"traceEvents":[
  {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":100.5,"dur":20,"args":{"External id":3}},
  {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":105,"dur":4,"args":{"correlation":11}},
  {"ph":"s","id":11,"pid":9,"tid":9,"ts":105,"cat":"ac2g","name":"ac2g"},
  {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":130,"dur":50,"args":{"correlation":11,"stream":7}},
  {"ph":"f","id":11,"pid":0,"tid":7,"ts":130,"cat":"ac2g","name":"ac2g","bp":"e"},
  {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Pinned)","pid":0,"tid":7,"ts":190,"dur":5,
   "args":{"bytes":4096,"memory bandwidth (GB/s)":0.8}},
  {"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":9,"tid":9,"ts":100,"dur":200},
  {"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize","pid":9,"tid":9,"ts":200,"dur":9},
  {"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","pid":0,"tid":7,"ts":185,"dur":2,"args":{"wait_on_stream":20}},
  {"ph":"M","name":"process_name","pid":0,"tid":0,"ts":0,"args":{"name":"python"}},
  {"ph":"M","name":"process_labels","pid":0,"tid":0,"ts":0,"args":{"labels":"GPU 0"}},
  {"ph":"M","name":"thread_name","pid":0,"tid":7,"ts":0,"args":{"name":"stream 7 "}}]
})json";

TEST(ImportKineto, AStreamIsAStreamOfItsDevice) {
  const Trace trace = imported(kKineto);
  const TrackInfo& stream = track_named(trace, "python (GPU 0)/stream 7").info;
  EXPECT_EQ(stream.kind, TrackKind::kStream);
  EXPECT_EQ(stream.device, "gpu 0");
  EXPECT_FALSE(stream.simulated);
  EXPECT_EQ(track_named(trace, "process 9/thread 9").info.kind, TrackKind::kThread);
}

// Some writers of Kineto's format write no names of processes and threads.
TEST(ImportKineto, AProcessWithoutANameWhoseThreadsAreAllStreamsIsADevice) {
  const Trace device = imported(
      events(R"({"ph":"X","cat":"kernel","name":"gemm","pid":2,"tid":7,"ts":0,"dur":40},)"
             R"({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":2,"tid":8,"ts":0,"dur":40})"));
  EXPECT_EQ(track_named(device, "gpu 2/stream 7").info.device, "gpu 2");
  EXPECT_EQ(track_named(device, "gpu 2/stream 8").info.device, "gpu 2");
  const Trace both =
      imported(events(R"({"ph":"X","cat":"kernel","name":"gemm","pid":2,"tid":7,"ts":0,"dur":40},)"
                      R"({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":2,"tid":8,"ts":0,"dur":40})"));
  EXPECT_EQ(track_named(both, "process 2/stream 7").info.kind, TrackKind::kStream);
  EXPECT_EQ(track_named(both, "process 2/thread 8").info.kind, TrackKind::kThread);
}

TEST(ImportKineto, SlicesHaveTheirKind) {
  const Trace trace = imported(kKineto);
  EXPECT_EQ(slice_named(trace, "gemm").kind, SliceKind::kExecute);
  EXPECT_EQ(slice_named(trace, "aten::mm").kind, SliceKind::kZone);
  EXPECT_EQ(slice_named(trace, "cudaLaunchKernel").kind, SliceKind::kEnqueue);
  EXPECT_EQ(slice_named(trace, "cudaDeviceSynchronize").kind, SliceKind::kWait);
  EXPECT_EQ(slice_named(trace, "Stream Wait Event").kind, SliceKind::kWait);
  EXPECT_EQ(slice_named(trace, "ProfilerStep#4").kind, SliceKind::kStep);
}

TEST(ImportKineto, ACopyCallThatBlocksIsAWait) {
  const Trace trace = imported(events(
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaMemcpyAsync","pid":9,"tid":9,"ts":0,"dur":40},)"
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaMemcpy","pid":9,"tid":9,"ts":100,"dur":138000},)"
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":200000,"dur":5000})"));
  EXPECT_EQ(slice_named(trace, "cudaMemcpyAsync").kind, SliceKind::kEnqueue);
  EXPECT_EQ(slice_named(trace, "cudaMemcpy").kind, SliceKind::kWait);
  EXPECT_EQ(slice_named(trace, "cudaLaunchKernel").kind, SliceKind::kEnqueue)
      << "only copies are known to block";
}

TEST(ImportKineto, ACopyHasItsDirectionAndItsBytesAndKeepsItsArguments) {
  const Trace trace = imported(kKineto);
  const Slice copy = slice_named(trace, "Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(copy.kind, SliceKind::kCopyToHost);
  EXPECT_EQ(copy.size_bytes, 4096);
  EXPECT_EQ(trace.args(copy.args).size(), 2u);
  const auto kind_of = [](const char* name) {
    return slice_named(
               imported(events(R"({"ph":"X","cat":"gpu_memcpy","pid":0,"tid":7,"ts":0,"dur":5,"name":")" +
                               std::string(name) + "\"}")),
               name)
        .kind;
  };
  EXPECT_EQ(kind_of("Memcpy HtoD (Pageable -> Device)"), SliceKind::kCopyToDevice);
  EXPECT_EQ(kind_of("Memcpy DtoD (Device -> Device)"), SliceKind::kCopyOnDevice);
}

TEST(ImportKineto, ALaunchLeadsToItsKernel) {
  const Trace trace = imported(kKineto);
  ASSERT_EQ(trace.flow_count(), 1u);
  const Flow flow = trace.flow(0);
  EXPECT_EQ(flow.kind, FlowKind::kLaunchToDevice);
  EXPECT_EQ(flow.to_track, track_named(trace, "python (GPU 0)/stream 7").info.id);
  EXPECT_EQ(ns_from(flow.from_time), 5'000);
  EXPECT_EQ(ns_from(flow.to_time), 30'000);
}

TEST(ImportKineto, AKernelWhoseClockSaysItRanBeforeItsLaunchHasItsArrow) {
  const Trace trace = imported(events(R"(
      {"ph":"X","cat":"cuda_runtime","name":"l","pid":9,"tid":9,"ts":10,"dur":4}, {"ph":"s","id":1,"pid":9,"tid":9,"ts":10,"cat":"ac2g","name":"ac2g"},
      {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2}, {"ph":"f","id":1,"pid":0,"tid":7,"ts":5,"cat":"ac2g","name":"ac2g","bp":"e"})"));
  EXPECT_EQ(lines_of(trace, "flow "), "ac2g: process 9/thread 9@5000 -> gpu 0/stream 7@0");
}

TEST(ImportKineto, TheEpochIsTheBaseAndTheTime) {
  const Trace trace = imported(kKineto);
  EXPECT_EQ(trace.metadata().at("chrome.baseTimeNanoseconds"), "1735632360000000000");
  EXPECT_EQ(trace.metadata().at("started_at"), "2024-12-31T08:06:00Z");
}

TEST(ImportKineto, TheAllocatorsTimelineIsACounterOfEachDevice) {
  const Trace trace = imported(events(R"(
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":3,"args":{"Device Type":1,"Device Id":0,"Bytes":-4,"Total Allocated":6,"Total Reserved":20}},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":0,"args":{"Device Type":1,"Device Id":0,"Bytes":10,"Total Allocated":10,"Total Reserved":20}},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":1,"args":{"Device Type":0,"Device Id":-1,"Bytes":5}},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":2,"args":{"Device Type":0,"Device Id":-1,"Bytes":-2}})"));
  EXPECT_EQ(lines_of(trace, "counter process 9/"),
            "gpu 0 allocated: 0=10 3000=6 | gpu 0 reserved: 0=20 3000=20 | host allocated since the start: "
            "1000=5 2000=3");
  const TrackInfo& live = track_named(trace, "process 9/gpu 0 allocated").info;
  EXPECT_EQ(live.role, CounterRole::kLiveBytes);
  EXPECT_EQ(live.unit, Unit::kBytes);
  EXPECT_EQ(trace.instant_count(), 4u);
}

TEST(ImportKineto, AnAddressSaysWhoHeldMemoryFromWhenToWhen) {
  const Trace trace = imported(events(R"(
      {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":9,"ts":0,"dur":5}, {"ph":"X","cat":"cpu_op","name":"aten::empty","pid":9,"tid":9,"ts":1,"dur":2},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":2,"args":{"Device Type":1,"Device Id":0,"Bytes":10,"Addr":7,"Total Allocated":10}},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":6,"args":{"Device Type":1,"Device Id":0,"Bytes":-10,"Addr":7,"Total Allocated":0}},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":7,"args":{"Device Type":1,"Device Id":0,"Bytes":30,"Addr":7,"Total Allocated":30}},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":8,"args":{"Device Type":1,"Device Id":0,"Bytes":-4,"Addr":8,"Total Allocated":26}})"));
  std::vector<Allocation> found;
  trace.allocations().each(Timestamp::max(), [&](const Allocation& row) { found.push_back(row); });
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(trace.track(found[0].counter).info.name, "gpu 0 allocated");
  EXPECT_EQ(trace.string(found[0].name), "aten::mm") << "not aten::empty, which only allocates memory";
  EXPECT_EQ(found[0].size_bytes, 10);
  EXPECT_EQ(ns_from(found[0].begin), 2'000);
  EXPECT_EQ(ns_from(found[0].end), 6'000);
  EXPECT_EQ(found[1].end, kNever);
  EXPECT_EQ(trace.string(found[1].name), "") << "no op was running";
  EXPECT_EQ(found[2].flags, kAllocationBeganBefore);
  EXPECT_EQ(ns_from(found[2].begin), 0);
  EXPECT_EQ(ns_from(found[2].end), 8'000);
}

TEST(ImportKineto, TheOlderWordsAreKnown) {
  const Trace trace = imported(events(R"json(
      {"ph":"X","cat":"Operator","name":"ProfilerStep#5","pid":9,"tid":"9","ts":0,"dur":9},
      {"ph":"X","cat":"Runtime","name":"cudaMemcpyAsync","pid":9,"tid":"9","ts":0,"dur":4}, {"ph":"s","id":1,"pid":9,"tid":9,"ts":0,"cat":"async","name":"launch"},
      {"ph":"X","cat":"Memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":"stream 7","ts":5,"dur":2,"args":{
  "bytes" : 8}},
      {"ph":"f","id":1,"pid":0,"tid":"stream 7","ts":5,"cat":"async","name":"launch","bp":"e"})json"));
  EXPECT_EQ(lines_of(trace, "flow "), "launch: process 9/thread 9@0 -> gpu 0/stream 7@5000");
  EXPECT_EQ(trace.flow(0).kind, FlowKind::kLaunchToDevice);
  EXPECT_EQ(slice_named(trace, "ProfilerStep#5").kind, SliceKind::kStep);
  EXPECT_EQ(slice_named(trace, "Memcpy HtoD (Pageable -> Device)").size_bytes, 8);
  EXPECT_EQ(track_named(trace, "gpu 0/stream 7").info.kind, TrackKind::kStream);
}

// ---- our own exports --------------------------------------------------------------------------------------

Trace exported_and_imported(const Trace& trace) {
  const ScratchFolder folder;
  const auto counts = export_chrome_json(trace, folder / "a.json", {}, kEventsOnly);
  EXPECT_TRUE(counts.ok()) << counts.error().message;
  return imported(file_bytes(folder / "a.json"));
}

TEST(ImportOfExport, WhatAPersonSeesIsTheSame) {
  const Trace trace = TraceBuilder{}
                          .group("Workers")
                          .track("w0", TrackKind::kWorker)
                          .slice("tick", 1000_ns, 11_ns, SliceKind::kExecute, OpId{3})
                          .bytes(64)
                          .flags(kSliceLate)
                          .arg("shape", "2x3")
                          .slice("inner", 1002_ns, 5_ns)
                          .instant("mark", 1003_ns)
                          .track("w1", TrackKind::kWorker)
                          .slice("tock", 2000_ns, 1_us, SliceKind::kWait)
                          .counter("live", CounterRole::kLiveBytes, Unit::kBytes)
                          .sample(1000_ns, 5)
                          .sample(1010_ns, 7.25)
                          .flow(FlowKind::kExecuteToWait, "w0", 1005_ns, "w1", 2500_ns, OpId{3})
                          .build();
  const Trace again = exported_and_imported(trace);
  EXPECT_EQ(trace_text(again),
            "Workers/w0 0: tick@0+11{shape='2x3'}\n"
            "Workers/w0 1: inner@2+5\n"
            "Workers/w1 0: tock@1000+1000\n"
            "counter Workers/live: 0=5 10=7.25\n"
            "flow : Workers/w0@5 -> Workers/w1@1500\n"
            "instant Workers/w0: mark@3\n");
  const Slice tick = slice_named(again, "tick");
  EXPECT_EQ(tick.kind, SliceKind::kExecute);
  EXPECT_EQ(tick.op, OpId{3});
  EXPECT_EQ(tick.size_bytes, 64);
  EXPECT_EQ(tick.flags, kSliceLate);
  EXPECT_EQ(again.flow(0).kind, FlowKind::kExecuteToWait);
}

// Every slice of all tracks as "begin end name". In names, bytes that are not UTF-8 are replaced, as in an
// export.
std::multiset<std::string> kineto_slices(const Trace& trace) {
  std::multiset<std::string> out;
  const Timestamp start = trace.extent().begin;
  const auto add = [&](const Slice& slice, Timestamp end) {
    std::string line =
        std::to_string(ns_from(slice.begin - start)) + " " + std::to_string(ns_from(end - start)) + " ";
    std::string written, name;
    append_json_string(written, trace.string(slice.name));
    unescape_json(written, name);
    line += name;
    out.insert(std::move(line));
  };
  for (const Track& track : trace.tracks()) {
    for (const Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row)
        add(lane.slice(row), lane.end(row));
    }
  }
  for (const OpenSlice& open : trace.open_slices()) {
    add(open.slice, std::max(open.slice.begin, trace.watermark()));
  }
  return out;
}

TEST(ImportOfExport, TheAllocatorsCountersAreThereOnce) {
  const Trace trace = imported(events(R"(
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":0,"args":{"Device Type":1,"Device Id":0,"Bytes":10,"Addr":7,"Total Allocated":10,"Total Reserved":20}},
      {"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":3,"args":{"Device Type":1,"Device Id":0,"Bytes":-4,"Addr":8,"Total Allocated":6,"Total Reserved":20}})"));
  ASSERT_EQ(trace.counts().counter_samples, 4u);
  const Trace again = exported_and_imported(trace);
  EXPECT_EQ(again.counts().counter_samples, 4u);
  EXPECT_EQ(again.counts().counters, trace.counts().counters);
  EXPECT_EQ(again.instant_count(), trace.instant_count());
}

TEST(ImportKineto, AWaitForADeviceOfAnyMakerIsAWait) {
  for (const std::string name : {"cudaStreamSynchronize", "hipDeviceSynchronize", "cuCtxSynchronize",
                                 "runFunction - stream_synchronize"}) {
    const Trace trace = imported(
        events(R"({"ph":"X","cat":"mtia_runtime","name":")" + name + R"(","pid":9,"tid":9,"ts":0,"dur":5})"));
    EXPECT_EQ(slice_named(trace, name).kind, SliceKind::kWait) << name;
  }
}

TEST(ImportKineto, ACallIsWhatItDoesWhateverTheMaker) {
  const auto kind_of_event = [](const std::string& category, const std::string& name) {
    const Trace trace = imported(events(R"({"ph":"X","cat":")" + category + R"(","name":")" + name +
                                        R"(","pid":9,"tid":9,"ts":0,"dur":5})"));
    return slice_named(trace, name).kind;
  };
  for (const char* name : {"aclrtSynchronizeStream", "musaDeviceSynchronize", "cnrtQueueSync"})
    EXPECT_EQ(kind_of_event("privateuse1_runtime", name), SliceKind::kWait) << name;
  for (const char* name : {"urEventWait", "urQueueFinish"})
    EXPECT_EQ(kind_of_event("xpu_runtime", name), SliceKind::kWait) << name;
  EXPECT_EQ(kind_of_event("xpu_driver", "zeEventHostSynchronize"), SliceKind::kWait);
  for (const char* name : {"urEnqueueUSMMemcpy", "urEnqueueMemBufferWrite", "zeCommandListAppendMemoryCopy"})
    EXPECT_EQ(kind_of_event("xpu_runtime", name), SliceKind::kEnqueue) << name;
  EXPECT_EQ(kind_of_event("xpu_runtime", "urUSMDeviceAlloc"), SliceKind::kAllocation);
  EXPECT_EQ(kind_of_event("gpu_memcpy", "Memcpy M2D (MEMORY(Unknown) -> DEVICE)"), SliceKind::kCopyToDevice);
  EXPECT_EQ(kind_of_event("gpu_memcpy", "Memcpy D2M (DEVICE -> MEMORY(Unknown))"), SliceKind::kCopyToHost);
  EXPECT_EQ(kind_of_event("gpu_memcpy", "Memcpy D2D (DEVICE -> DEVICE)"), SliceKind::kCopyOnDevice);
  EXPECT_EQ(kind_of_event("cuda_runtime", "cudaStreamWaitEvent"), SliceKind::kZone) << "the stream waits";
  EXPECT_EQ(kind_of_event("mtia_runtime", "runFunction - job_prep_and_submit_for_execution"),
            SliceKind::kEnqueue);
}

TEST(ImportKineto, WorkOfAnMtiaDeviceExecutesAndItsTransfersAreCopies) {
  const Trace trace = imported(events(R"(
      {"ph":"X","cat":"mtia_ccp_events","name":"fc-dtype_Float","pid":9,"tid":4,"ts":0,"dur":5,"args":{"stream":102}},
      {"ph":"X","cat":"mtia_ccp_events","name":"dma_request","pid":9,"tid":4,"ts":9,"dur":5,"args":{"direction":"DEVICE_TO_HOST","size":16}})"));
  EXPECT_EQ(slice_named(trace, "fc-dtype_Float").kind, SliceKind::kExecute);
  EXPECT_EQ(slice_named(trace, "dma_request").kind, SliceKind::kCopyToHost);
  EXPECT_EQ(slice_named(trace, "dma_request").size_bytes, 16);
  EXPECT_EQ(trace.tracks()[1].info.kind, TrackKind::kStream);
}

TEST(ImportKineto, WhatABeginSaysOfItselfStaysThere) {
  const Trace trace = imported(events(R"(
      {"ph":"B","cat":"wait","name":"a","pid":9,"tid":4,"ts":0,"args":{"bytes":16,"op":3,"flags":"late"}},
      {"ph":"E","pid":9,"tid":4,"ts":2})"));
  EXPECT_EQ(lines_of(trace, "process 9/thread 4 0: "), "a@0+2000{bytes=16,op=3,flags='late'}");
}

TEST(ImportOfExport, RandomTracesComeBackRowForRow) {
  for (std::uint64_t round = 0; round < 5; ++round) {
    RandomSource source(test_seed() + round);
    Trace trace;
    for (int i = 0; i < 20; ++i) trace.append(source.next());
    const ScratchFolder folder;
    const auto counts = export_chrome_json(trace, folder / "a.json", {}, kEventsOnly);
    ASSERT_TRUE(counts.ok());
    const Trace again = imported(file_bytes(folder / "a.json"));
    EXPECT_EQ(again.counts().slices, counts->slices);
    EXPECT_EQ(again.counts().instants, counts->instants);
    EXPECT_EQ(again.counts().counter_samples, counts->counter_samples);
    EXPECT_EQ(again.counts().flows, counts->flows);
    EXPECT_EQ(kineto_slices(again), kineto_slices(trace));
  }
}

}  // namespace
}  // namespace runahead::importers
