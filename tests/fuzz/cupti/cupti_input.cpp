#include "tests/fuzz/cupti/cupti_input.h"

#include <cupti.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "instrumentation/base/check.h"
#include "instrumentation/base/tick_clock.h"
#include "instrumentation/cupti/activity_buffers.h"
#include "instrumentation/cupti/decoder.h"
#include "instrumentation/cupti/translate.h"
#include "instrumentation/record/collector.h"
#include "instrumentation/record/hooks/recorder.h"
#include "instrumentation/record/hooks/recorder_state.h"
#include "instrumentation/trace/trace.h"
#include "tests/record/batch_rules.h"

namespace runahead::testing {
namespace {

using namespace cupti;

constexpr std::size_t kBufferBytes = 4096;

// The steps. A higher byte means the same as its rest by kSteps.
enum Step : std::uint8_t {
  kKernel,
  kCopy,
  kPeerCopy,
  kMemset,
  kGraph,
  kSynchronization,
  kCall,
  kExternal,
  kMemory,
  kOverhead,
  kMarker,
  kDevice,
  kContext,
  kStream,
  kUnknownRecord,
  kEndBuffer,
  kDeliver,
  kCollect,
  kLose,
  kNameStream,
  kClockError,
  kSteps
};

class Input {
 public:
  Input(std::string_view bytes, std::int64_t origin_ns) : bytes_(bytes), origin_ns_(origin_ns) {}
  [[nodiscard]] bool ended() const { return bytes_.empty(); }

  template <typename T>
  T raw() {
    T value{};
    const std::size_t size = std::min(sizeof value, bytes_.size());
    std::memcpy(&value, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return value;
  }
  std::uint8_t byte() { return raw<std::uint8_t>(); }
  // One of few values: names of tracks are made of them, and a process keeps each name.
  std::uint32_t number() {
    constexpr std::array kLimits{0xffffffffu, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 1u << 20, 0xffffu};
    const std::uint8_t value = byte();
    return value < 0xf0 ? value % 16u : kLimits[value % kLimits.size()];
  }
  // In units of 10 us since the begin of the recording, or 0, or any time of CUPTI's clock.
  std::uint64_t time() {
    const std::uint8_t value = byte();
    if (value == 0xff) return raw<std::uint64_t>();
    if (value == 0xfe) return 0;
    const std::int64_t ns = origin_ns_ + (std::int64_t{value} - 8) * 10'000;
    return static_cast<std::uint64_t>(ns + kClockShiftNs);
  }
  std::int64_t our_time() {
    const std::uint8_t value = byte();
    if (value == 0xff) return raw<std::int64_t>();
    if (value == 0xfe) return std::numeric_limits<std::int64_t>::max();
    return origin_ns_ + std::int64_t{value} * 10'000;
  }
  const char* name() {
    static constexpr std::array<const char*, 12> kNames{
        nullptr,
        "",
        "a",
        "_Z4gemmPfi",
        "_Z",
        "_ZN",
        "cudaLaunchKernel_v7000",
        "step",
        "\xff\xfe",
        "\n\t",
        "_ZNSt6vectorIfSaIfEE9push_backERKf",
        "a name of a kernel that is longer than the text of a row"};
    return kNames[byte() % kNames.size()];
  }

 private:
  std::string_view bytes_;
  const std::int64_t origin_ns_;
};

template <typename Activity>
void read_work(Input& in, Activity& work) {
  work.start = in.time();
  work.end = in.time();
  work.deviceId = in.number();
  work.contextId = in.number();
  work.streamId = in.number();
  work.correlationId = in.number();
  work.graphId = in.number();
}

CUpti_ActivityKernel10 next_kernel(Input& in) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = in.name();
  read_work(in, kernel);
  kernel.graphNodeId = in.number();
  kernel.gridX = static_cast<std::int32_t>(in.number());
  kernel.blockX = static_cast<std::int32_t>(in.number());
  kernel.registersPerThread = in.raw<std::uint16_t>();
  kernel.staticSharedMemory = in.raw<std::int32_t>();
  kernel.dynamicSharedMemory = in.raw<std::int32_t>();
  kernel.localMemoryPerThread = in.number();
  return kernel;
}

template <typename Activity>
void read_copy(Input& in, Activity& copy) {
  read_work(in, copy);
  copy.bytes = in.raw<std::uint64_t>();
  copy.copyKind = in.byte();
  copy.srcKind = in.byte();
  copy.dstKind = in.byte();
  copy.flags = in.byte();
}

CUpti_ActivityMemcpy6 next_copy(Input& in) {
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  read_copy(in, copy);
  return copy;
}

CUpti_ActivityMemcpyPtoP4 next_peer_copy(Input& in) {
  CUpti_ActivityMemcpyPtoP4 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  read_copy(in, copy);
  copy.srcDeviceId = in.number();
  copy.dstDeviceId = in.number();
  return copy;
}

CUpti_ActivityMemset4 next_memset(Input& in) {
  CUpti_ActivityMemset4 memset{};
  memset.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  read_work(in, memset);
  memset.bytes = in.raw<std::uint64_t>();
  memset.value = in.raw<std::uint32_t>();
  memset.memoryKind = in.byte();
  memset.flags = in.byte();
  return memset;
}

CUpti_ActivityGraphTrace2 next_graph(Input& in) {
  CUpti_ActivityGraphTrace2 graph{};
  graph.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  read_work(in, graph);
  return graph;
}

CUpti_ActivitySynchronization2 next_synchronization(Input& in) {
  CUpti_ActivitySynchronization2 wait{};
  wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  wait.type = static_cast<CUpti_ActivitySynchronizationType>(in.byte());
  wait.start = in.time();
  wait.end = in.time();
  wait.correlationId = in.number();
  wait.contextId = in.number();
  wait.streamId = in.number();
  wait.cudaEventId = in.number();
  return wait;
}

CUpti_ActivityAPI next_call(Input& in) {
  CUpti_ActivityAPI call{};
  const std::uint8_t how = in.byte();
  call.kind = (how & 1) != 0 ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = (how & 2) != 0 ? in.raw<std::uint32_t>() : in.byte();
  call.start = in.time();
  call.end = in.time();
  call.threadId = in.number();
  call.correlationId = in.number();
  call.returnValue = in.byte();
  return call;
}

CUpti_ActivityExternalCorrelation next_external(Input& in) {
  CUpti_ActivityExternalCorrelation external{};
  external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  external.externalKind = (in.byte() & 3) != 3 ? CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
                                               : CUPTI_EXTERNAL_CORRELATION_KIND_UNKNOWN;
  external.externalId = in.raw<std::uint64_t>();
  external.correlationId = in.number();
  return external;
}

CUpti_ActivityMemory4 next_memory(Input& in) {
  CUpti_ActivityMemory4 memory{};
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  memory.memoryOperationType = static_cast<CUpti_ActivityMemoryOperationType>(in.byte() % 3);
  memory.memoryKind = static_cast<CUpti_ActivityMemoryKind>(in.byte());
  memory.timestamp = in.time();
  memory.address = in.number();
  memory.bytes = in.raw<std::uint64_t>();
  memory.deviceId = in.number();
  memory.memoryPoolConfig.memoryPoolType = static_cast<CUpti_ActivityMemoryPoolType>(in.byte() % 3);
  memory.memoryPoolConfig.pool.size = in.raw<std::uint64_t>();
  memory.memoryPoolConfig.utilizedSize = in.raw<std::uint64_t>();
  return memory;
}

// The members of CUPTI's records are packed, so no reference can lead to them.
template <typename Activity>
void read_thread(Input& in, Activity& activity) {
  activity.objectKind = (in.byte() & 1) != 0 ? CUPTI_ACTIVITY_OBJECT_THREAD : CUPTI_ACTIVITY_OBJECT_PROCESS;
  activity.objectId.pt.threadId = in.number();
}

CUpti_ActivityOverhead3 next_overhead(Input& in) {
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = static_cast<CUpti_ActivityOverheadKind>(in.raw<std::uint16_t>());
  read_thread(in, overhead);
  overhead.start = in.time();
  overhead.end = in.time();
  return overhead;
}

CUpti_ActivityMarker2 next_marker(Input& in) {
  constexpr std::array kFlags{CUPTI_ACTIVITY_FLAG_MARKER_START, CUPTI_ACTIVITY_FLAG_MARKER_END,
                              CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS};
  CUpti_ActivityMarker2 marker{};
  marker.kind = CUPTI_ACTIVITY_KIND_MARKER;
  marker.flags = kFlags[in.byte() % kFlags.size()];
  marker.timestamp = in.time();
  marker.id = in.number();
  read_thread(in, marker);
  marker.name = in.name();
  marker.domain = in.name();
  return marker;
}

CUpti_ActivityDevice5 next_device(Input& in) {
  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.id = in.number();
  device.name = in.name();
  return device;
}

CUpti_ActivityContext3 next_context(Input& in) {
  CUpti_ActivityContext3 context{};
  context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  context.contextId = in.number();
  context.deviceId = in.number();
  context.nullStreamId = static_cast<std::uint16_t>(in.number());
  return context;
}

CUpti_ActivityStream next_stream(Input& in) {
  CUpti_ActivityStream stream{};
  stream.kind = CUPTI_ACTIVITY_KIND_STREAM;
  stream.contextId = in.number();
  stream.streamId = in.number();
  return stream;
}

CUpti_ActivityName next_unknown(Input& in) {
  CUpti_ActivityName name{};
  name.kind = CUPTI_ACTIVITY_KIND_NAME;
  name.name = in.name();
  return name;
}

class DecodedRows final : public record::RowSource {
 public:
  [[nodiscard]] bool take(record::SourceRows& rows) override {
    decoder.take(rows);
    return true;
  }
  Decoder decoder{{.correlations = 8}};
};

std::uint64_t count_no_records(const FullBuffer&) { return 0; }

// What the CUPTI module, its source and the collector do, on one thread.
class Pipeline {
 public:
  Pipeline() : rows_(std::make_shared<DecodedRows>()) {
    record::CollectorOptions options;
    options.run_thread = options.sample_rss = false;
    collector_.emplace(recorder_, options);
    recorder_.start();
    recorder_.add(rows_);
  }
  [[nodiscard]] std::int64_t origin_ns() {
    return TickClock::get().ns_from_ticks(recorder_.state().current_session().origin_ticks);
  }
  [[nodiscard]] Decoder& decoder() { return rows_->decoder; }

  template <typename Activity>
  void put(const Activity& activity) {
    static_assert(sizeof activity % 8 == 0, "CUPTI aligns records to 8 bytes");
    if (filling_.bytes != nullptr && filling_.used + sizeof activity > kBufferBytes) end_buffer();
    if (filling_.bytes == nullptr) filling_ = {buffers_.give(0), 0};
    std::memcpy(filling_.bytes + filling_.used, &activity, sizeof activity);
    filling_.used += sizeof activity;
  }
  void end_buffer() {
    buffers_.filled(std::exchange(filling_, {}));
    while (const auto buffer = buffers_.next()) {
      CUpti_Activity* activity = nullptr;
      while (cuptiActivityGetNextRecord(buffer->bytes, buffer->used, &activity) == CUPTI_SUCCESS) {
        Record record{};
        if (translate(*activity, record)) decoder().add(record);
      }
      buffers_.give_back(buffer->bytes);
    }
  }
  void collect() {
    collector_->flush();
    for (std::size_t left = collector_->stats().queued_batches; left > 0; --left) {
      std::optional<trace::Batch> batch = collector_->take();
      if (!batch) return;
      const std::string broken = rules_.broken_by(*batch);
      RUNAHEAD_CHECK_OP(broken, ==, std::string());
      trace_.append(std::move(*batch));
    }
  }

 private:
  ActivityBuffers buffers_{kBufferBytes, 4 * kBufferBytes, count_no_records};
  FullBuffer filling_;
  std::shared_ptr<DecodedRows> rows_;
  record::Recorder recorder_;
  std::optional<record::Collector> collector_;
  trace::Trace trace_;
  BatchRules rules_;
};

void put_record(Step step, Input& in, Pipeline& pipeline) {
  switch (step) {
    case kKernel:
      return pipeline.put(next_kernel(in));
    case kCopy:
      return pipeline.put(next_copy(in));
    case kPeerCopy:
      return pipeline.put(next_peer_copy(in));
    case kMemset:
      return pipeline.put(next_memset(in));
    case kGraph:
      return pipeline.put(next_graph(in));
    case kSynchronization:
      return pipeline.put(next_synchronization(in));
    case kCall:
      return pipeline.put(next_call(in));
    case kExternal:
      return pipeline.put(next_external(in));
    case kMemory:
      return pipeline.put(next_memory(in));
    case kOverhead:
      return pipeline.put(next_overhead(in));
    case kMarker:
      return pipeline.put(next_marker(in));
    case kDevice:
      return pipeline.put(next_device(in));
    case kContext:
      return pipeline.put(next_context(in));
    case kStream:
      return pipeline.put(next_stream(in));
    default:
      return pipeline.put(next_unknown(in));
  }
}

void take_step(Step step, Input& in, Pipeline& pipeline) {
  switch (step) {
    case kEndBuffer:
      return pipeline.end_buffer();
    case kDeliver:
      pipeline.end_buffer();
      return pipeline.decoder().commit(in.our_time());
    case kCollect:
      return pipeline.collect();
    case kLose:
      return pipeline.decoder().lose_records(in.byte());
    case kNameStream: {
      const std::uint32_t device = in.number(), stream = in.number();
      const char* const name = in.name();
      return pipeline.decoder().name_stream(device, stream, name != nullptr ? name : "stream");
    }
    case kClockError:
      return pipeline.decoder().note_clock_error(in.raw<std::int64_t>());
    default:
      return put_record(step, in, pipeline);
  }
}

}  // namespace

void decode_cupti_input(std::string_view bytes) {
  Pipeline pipeline;
  Input in(bytes, pipeline.origin_ns());
  while (!in.ended()) take_step(static_cast<Step>(in.byte() % kSteps), in, pipeline);
  pipeline.end_buffer();
  pipeline.decoder().close(pipeline.origin_ns() + 5'000'000);
  pipeline.collect();
}

std::string good_cupti_input() {
  const auto text = [](auto... bytes) { return std::string{static_cast<char>(bytes)...}; };
  const auto eight = [&](int value) { return text(value, 0, 0, 0, 0, 0, 0, 0); };
  std::string all = text(kDevice, 0, 7) + text(kContext, 1, 0, 7) + text(kStream, 1, 7);
  for (int i = 0; i < 4; ++i) {
    const int at = 10 + 20 * i, id = i + 1;
    all += text(kMarker, 0, at, id, 1, 5, 7, 0);
    all += text(kExternal, 0) + eight(id) + text(id);
    all += text(kCall, 0, 211, at + 1, at + 2, 5, id, 0);
    all += text(kKernel, 3, at + 3, at + 6, 0, 1, 7, id, 0, 0, 4, 8, 32, 0) + eight(0) + text(0);
    all += text(kCopy, at + 6, at + 8, 0, 1, 7, id, 0) + eight(64) + text(1, 1, 3, 1);
    all += text(kMemset, at + 8, at + 9, 0, 1, 7, id, 0) + eight(64) + text(0, 0, 0, 0, 3, 0);
    all += text(kSynchronization, 3, at + 7, at + 9, id, 1, 7, 0xf0);
    all += text(kMemory, 1, 3, at, id) + eight(64) + text(0, 1) + eight(64) + eight(32);
    all += text(kOverhead, 1, 0, 1, 5, at, at + 1);
    all += text(kMarker, 1, at + 9, id, 1, 5, 0, 0);
    all += text(kDeliver, at + 4) + text(kCollect);
  }
  return all + text(kGraph, 100, 110, 0, 1, 8, 9, 1) + text(kDeliver, 0xfe);
}

}  // namespace runahead::testing
