// Tests the meaning of events of MXNet's profiler, of TensorFlow's timeline, and of the trace viewer of
// TensorFlow and JAX.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "instrumentation/import/common/framework_places.h"
#include "instrumentation/trace/labels.h"
#include "tests/import/import_support.h"

namespace runahead::importers {
using namespace trace;
namespace {

using namespace runahead::testing;

// The kind of each slice. The key is "track path: slice name".
std::map<std::string, std::string> kinds_of(const Trace& trace) {
  std::map<std::string, std::string> out;
  for (const Track& track : trace.tracks()) {
    for (const Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const Slice slice = lane.slice(row);
        out[track_path(trace, track.info.id) + ": " + std::string(trace.string(slice.name))] =
            slice_kind_key(slice.kind);
      }
    }
  }
  return out;
}

const TrackInfo& track_at(const Trace& trace, std::string_view path) {
  for (const Track& track : trace.tracks()) {
    if (track_path(trace, track.info.id) == path) return track.info;
  }
  ADD_FAILURE() << "no track " << path;
  return trace.tracks()[0].info;
}

std::string process(std::string_view pid, std::string_view name) {
  return R"({"ph":"M","pid":)" + std::string(pid) + R"(,"name":"process_name","args":{"name":")" +
         std::string(name) + R"("}},)";
}

std::string complete(std::string_view pid, std::string_view name, std::string_view category) {
  return R"({"ph":"X","pid":)" + std::string(pid) + R"(,"tid":0,"ts":1,"dur":2,"name":")" +
         std::string(name) + R"(","cat":")" + std::string(category) + R"("})";
}

// A trace in the format of MXNet's profiler. Each device is a process. An operator is in the file twice: as a
// pair of B and E events in the process of its device, and as a task (a pair of asynchronous b and e events)
// in the process "operator". Calls of the C API are tasks too. The id of a task is the hash of its thread.
constexpr std::string_view kMxnet = R"json({"traceEvents": [
  {"ph":"M","args":{"name":"cpu/0"},"pid":0,"name":"process_name"},
  {"ph":"M","args":{"name":"gpu/0"},"pid":8,"name":"process_name"},
  {"ph":"M","args":{"name":"cpu pinned/"},"pid":40,"name":"process_name"},
  {"name":"dot","cat":"operator","ph":"B","ts":10,"pid":0,"tid":13957160837735741261},
  {"name":"dot","cat":"operator","ph":"E","ts":20,"pid":0,"tid":13957160837735741261},
  {"name":"FullyConnectedin: [[1,2]]","cat":"operator","ph":"B","ts":10,"pid":8,"tid":7},
  {"name":"FullyConnectedin: [[1,2]]","cat":"operator","ph":"E","ts":20,"pid":8,"tid":7},
  {"name":"CopyCPU2GPU","cat":"operator","ph":"B","ts":21,"pid":8,"tid":7},
  {"name":"CopyCPU2GPU","cat":"operator","ph":"E","ts":22,"pid":8,"tid":7},
  {"name":"_copyto_GPU2CPU","cat":"operator","ph":"B","ts":23,"pid":8,"tid":7},
  {"name":"_copyto_GPU2CPU","cat":"operator","ph":"E","ts":24,"pid":8,"tid":7},
  {"ph":"M","args":{"name":"operator"},"pid":16284362783,"name":"process_name"},
  {"name":"dot","cat":"operator","ph":"b","ts":10,"id":13957160837735741261,"pid":16284362783,"tid":1},
  {"name":"dot","cat":"operator","ph":"e","ts":20,"id":13957160837735741261,"pid":16284362783,"tid":1},
  {"ph":"M","args":{"name":"MXNET_C_API"},"pid":11212,"name":"process_name"},
  {"name":"MXImperativeInvokeEx","cat":"MXNET_C_API","ph":"b","ts":1,"id":5,"pid":11212,"tid":5},
  {"name":"MXImperativeInvokeEx","cat":"MXNET_C_API","ph":"e","ts":2,"id":5,"pid":11212,"tid":5},
  {"name":"MXNDArrayWaitToRead","cat":"MXNET_C_API","ph":"b","ts":3,"id":5,"pid":11212,"tid":5},
  {"name":"MXNDArrayWaitToRead","cat":"MXNET_C_API","ph":"e","ts":4,"id":5,"pid":11212,"tid":5},
  {"name":"MXNDArrayGetShape","cat":"MXNET_C_API","ph":"b","ts":5,"id":5,"pid":11212,"tid":5},
  {"name":"MXNDArrayGetShape","cat":"MXNET_C_API","ph":"e","ts":6,"id":5,"pid":11212,"tid":5},
  {"name":"Memory: gpu/0","cat":"Device Storage","ph":"C","ts":1,"args":{"Memory: gpu/0":4096},"pid":9,"tid":5}
],"displayTimeUnit":"ms"})json";

TEST(ImportMxnet, OperatorsExecuteOnTheirDeviceAndCallsAreWhatTheyDo) {
  const Trace trace = imported(kMxnet);
  EXPECT_EQ(kinds_of(trace),
            (std::map<std::string, std::string>{{"cpu/0/thread 13957160837735741261: dot", "execute"},
                                                {"gpu/0/thread 7: FullyConnectedin: [[1,2]]", "execute"},
                                                {"gpu/0/thread 7: CopyCPU2GPU", "copy_to_device"},
                                                {"gpu/0/thread 7: _copyto_GPU2CPU", "copy_to_host"},
                                                // the task of the operator "dot"
                                                {"operator/operator: dot", "zone"},
                                                {"MXNET_C_API/MXNET_C_API: MXImperativeInvokeEx", "enqueue"},
                                                {"MXNET_C_API/MXNET_C_API: MXNDArrayWaitToRead", "wait"},
                                                {"MXNET_C_API/MXNET_C_API: MXNDArrayGetShape", "zone"}}));
  EXPECT_EQ(track_at(trace, "gpu/0/thread 7").kind, TrackKind::kStream);
  EXPECT_EQ(track_at(trace, "gpu/0/thread 7").device, "gpu/0");
  EXPECT_EQ(track_at(trace, "cpu/0/thread 13957160837735741261").kind, TrackKind::kWorker);
  EXPECT_TRUE(trace.losses().none());
}

TEST(ImportMxnet, TheMemoryOfADeviceIsInBytes) {
  const Trace trace = imported(kMxnet);
  for (const Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kCounter) continue;
    EXPECT_EQ(track.info.name, "Memory: gpu/0");
    EXPECT_EQ(track.info.unit, Unit::kBytes);
    EXPECT_EQ(track.info.role, CounterRole::kLiveBytes);
  }
  EXPECT_EQ(trace.counts().counter_samples, 1u);
}

TEST(ImportMxnet, CallsOfTheCApiByName) {
  const auto kind = [](const char* name) { return slice_kind_key(kind_of_mxnet_call(name)); };
  for (const char* name : {"MXNDArrayWaitToRead", "MXNDArrayWaitToWrite", "MXNDArrayWaitAll",
                           "MXNDArraySyncCopyToCPU", "MXNDArraySyncCopyFromCPU", "MXKVStoreBarrier"})
    EXPECT_EQ(kind(name), "wait") << name;
  for (const char* name : {"MXImperativeInvoke", "MXInvokeCachedOpEx", "MXExecutorForward", "MXFuncInvokeEx",
                           "MXExecutorBackwardEx", "MXAutogradBackwardEx", "MXKVStorePushEx",
                           "MXKVStorePullEx", "MXKVStorePushPullEx", "MXEnginePushAsync"})
    EXPECT_EQ(kind(name), "enqueue") << name;
  for (const char* name : {"MXNDArrayCreateEx", "MXNDArrayFree", "MXStorageEmptyCache"})
    EXPECT_EQ(kind(name), "allocation") << name;
  for (const char* name : {"MXNDArrayReshape64", "MXNDArrayGetContext", "MXNDArrayCreateNone", ""})
    EXPECT_EQ(kind(name), "zone") << name;
}

TEST(ImportMxnet, ACategoryOrAProcessOfThatNameAloneMakesNoOperator) {
  EXPECT_EQ(kinds_of(imported(events(process("1", "my program") + complete("1", "a", "operator")))),
            (std::map<std::string, std::string>{{"my program/thread 0: a", "zone"}}));
  EXPECT_EQ(kinds_of(imported(events(process("1", "cpu/0") + complete("1", "a", "mine")))),
            (std::map<std::string, std::string>{{"cpu/0/thread 0: a", "zone"}}));
}

TEST(ImportTensorflow, OpsOfTheTimelineExecuteOrLaunchByTheirDevice) {
  const std::string job = "/job:localhost/replica:0/task:0/device:";
  const Trace trace = imported(events(
      process("1", job + "CPU:0 Compute") + process("3", job + "GPU:0 Compute") +
      process("4", job + "CPU:0 Tensors") + process("5", "/device:GPU:0/stream:13 Compute") +
      process("6", "/device:GPU:0/stream:all Compute") + process("7", "/device:GPU:0/memcpy Compute") +
      process("0", "Allocators") + complete("1", "MatMul", "Op") + "," + complete("3", "Conv2D", "Op") + "," +
      complete("4", "x", "Op") + "," + complete("5", "Conv2D", "Op") + "," +
      complete("5", "MEMCPYHtoD", "Op") + "," + complete("5", "MEMCPYDtoH", "Op") + "," +
      complete("6", "Conv2D", "Op") + "," + complete("7", "MEMCPYHtoD", "Op") + "," +
      complete("1", "RecvTensor", "Op") +
      R"(,{"ph":"C","cat":"Memory","name":"GPU_0_bfc","pid":0,"tid":0,"ts":1,"args":{"GPU_0_bfc":4096}})"));
  EXPECT_EQ(kinds_of(trace), (std::map<std::string, std::string>{
                                 {job + "CPU:0 Compute/thread 0: MatMul", "execute"},
                                 {job + "CPU:0 Compute/thread 0: RecvTensor", "zone"},
                                 {job + "GPU:0 Compute/thread 0: Conv2D", "enqueue"},
                                 {job + "CPU:0 Tensors/thread 0: x", "zone"},
                                 {"/device:GPU:0/stream:13 Compute/thread 0: Conv2D", "execute"},
                                 {"/device:GPU:0/stream:13 Compute/thread 0: MEMCPYHtoD", "copy_to_device"},
                                 {"/device:GPU:0/stream:13 Compute/thread 0: MEMCPYDtoH", "copy_to_host"},
                                 {"/device:GPU:0/stream:all Compute/thread 0: Conv2D", "zone"},
                                 {"/device:GPU:0/memcpy Compute/thread 0: MEMCPYHtoD", "zone"}}));
  EXPECT_EQ(track_at(trace, "/device:GPU:0/stream:13 Compute/thread 0").device, "/device:GPU:0");
  EXPECT_EQ(track_at(trace, "Allocators/GPU_0_bfc").role, CounterRole::kLiveBytes);
}

TEST(ImportTensorflow, AllStreamsTogetherExecuteWhereTheyAreNotThereOneByOne) {
  const Trace trace =
      imported(events(complete("6", "Conv2D", "Op") + "," + process("6", "/device:GPU:0/stream:all Compute") +
                      complete("7", "x", "Op")));
  EXPECT_EQ(kinds_of(trace).at("/device:GPU:0/stream:all Compute/thread 0: Conv2D"), "execute");
}

TEST(ImportTensorflow, StreamsOfTheTraceViewerExecuteAndItsDerivedRowsDoNot) {
  const auto thread = [](std::string_view pid, std::string_view tid, std::string_view name) {
    return R"({"ph":"M","pid":)" + std::string(pid) + R"(,"tid":)" + std::string(tid) +
           R"(,"name":"thread_name","args":{"name":")" + std::string(name) + R"("}},)";
  };
  const auto event = [](std::string_view pid, std::string_view tid, std::string_view name, int ts) {
    return R"({"ph":"X","pid":)" + std::string(pid) + R"(,"tid":)" + std::string(tid) + R"(,"ts":)" +
           std::to_string(ts) + R"(,"dur":1,"name":")" + std::string(name) + R"("},)";
  };
  const Trace trace = imported(events(
      process("1", "/device:GPU:0") + process("2", "/device:TPU:0") + process("3", "/host:CPU") +
      thread("1", "13", "Stream #13(Compute,MemcpyH2D)") + thread("1", "99", "Steps") +
      thread("2", "1", "XLA Ops") + thread("2", "2", "XLA Modules") + event("1", "13", "loop_fusion", 1) +
      event("1", "13", "MemcpyH2D", 3) + event("1", "13", "MemcpyD2H", 5) + event("1", "99", "7", 1) +
      event("2", "1", "fusion.1", 1) + event("2", "2", "jit_step", 1) + event("3", "5", "cuLaunchKernel", 1) +
      event("3", "5", "cuStreamSynchronize", 3) + event("3", "5", "custom_call", 5) + R"({"ph":"M"})"));
  EXPECT_EQ(kinds_of(trace), (std::map<std::string, std::string>{
                                 {"/device:GPU:0/Stream #13(Compute,MemcpyH2D): loop_fusion", "execute"},
                                 {"/device:GPU:0/Stream #13(Compute,MemcpyH2D): MemcpyH2D", "copy_to_device"},
                                 {"/device:GPU:0/Stream #13(Compute,MemcpyH2D): MemcpyD2H", "copy_to_host"},
                                 {"/device:GPU:0/Steps: 7", "zone"},
                                 {"/device:TPU:0/XLA Ops: fusion.1", "execute"},
                                 {"/device:TPU:0/XLA Modules: jit_step", "zone"},
                                 {"/host:CPU/thread 5: cuLaunchKernel", "enqueue"},
                                 {"/host:CPU/thread 5: cuStreamSynchronize", "wait"},
                                 {"/host:CPU/thread 5: custom_call", "zone"}}));
}

}  // namespace
}  // namespace runahead::importers
