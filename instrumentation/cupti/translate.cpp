#include "instrumentation/cupti/translate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace runahead::cupti {
namespace {

// 0 stays 0: the device could not record the time. A time that cannot be right may be any number.
std::int64_t time_of(std::uint64_t cupti_ns) {
  return cupti_ns == 0 ? 0 : static_cast<std::int64_t>(cupti_ns - std::uint64_t{kClockShiftNs});
}

// An enumerator at this offset of a record. A damaged record may have any number there, and to read a number
// beyond the range of the enum is undefined. It becomes the largest one, which no record has.
template <typename Enum>
Enum enum_at(const void* record, std::size_t offset) {
  std::uint32_t number = 0;
  static_assert(sizeof(Enum) == sizeof number);
  std::memcpy(&number, static_cast<const char*>(record) + offset, sizeof number);
  return static_cast<Enum>(std::min(number, std::uint32_t{0x7fffffff}));
}

// The names of calls have static storage in CUPTI. CUPTI's function for a call's name is slow, because it
// searches. So the names are cached here.
const char* name_of_call(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  static constexpr std::size_t kMost = 2048;
  static std::array<std::array<std::atomic<const char*>, kMost>, 2> known{};
  std::atomic<const char*>* const place =
      id < kMost ? &known[domain == CUPTI_CB_DOMAIN_DRIVER_API ? 1 : 0][id] : nullptr;
  const char* name = place != nullptr ? place->load(std::memory_order_relaxed) : nullptr;
  if (name != nullptr) return name;
  if (cuptiGetCallbackName(domain, id, &name) != CUPTI_SUCCESS || name == nullptr) name = "CUDA call";
  if (place != nullptr) place->store(name, std::memory_order_relaxed);
  return name;
}

MemoryKind memory_kind(std::uint32_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return MemoryKind::kPageable;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return MemoryKind::kPinned;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return MemoryKind::kDevice;
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return MemoryKind::kArray;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return MemoryKind::kManaged;
    default:
      return MemoryKind::kUnknown;
  }
}

CopyKind copy_kind(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return CopyKind::kToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return CopyKind::kToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return CopyKind::kOnHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return CopyKind::kBetweenDevices;
    case CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN:
      return CopyKind::kUnknown;
    default:
      return CopyKind::kOnDevice;
  }
}

const char* name_of_overhead(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return "driver compiles";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return "buffer flush";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return "instrumentation";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return "resources";
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
      return "module loading";
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return "lazy function loading";
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL:
      return "command buffer full";
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST:
      return "activity buffer request";
    case CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT:
      return "managed memory set-up";
    default:
      return "overhead";
  }
}

std::int64_t thread_of(CUpti_ActivityObjectKind kind, const CUpti_ActivityObjectKindId& id) {
  return kind == CUPTI_ACTIVITY_OBJECT_THREAD ? std::int64_t{id.pt.threadId} : 0;
}

// The records of kernels, copies and memsets have the same names for these members.
template <typename Activity>
Work work_of(const Activity& activity) {
  return {.begin_ns = time_of(activity.start),
          .end_ns = time_of(activity.end),
          .device = activity.deviceId,
          .context = activity.contextId,
          .stream = activity.streamId,
          .correlation = activity.correlationId,
          .graph = activity.graphId,
          .graph_node = activity.graphNodeId};
}

KernelRecord kernel_of(const CUpti_ActivityKernel10& from) {
  return {.work = work_of(from),
          .name = from.name,
          .grid = {from.gridX, from.gridY, from.gridZ},
          .block = {from.blockX, from.blockY, from.blockZ},
          .registers_per_thread = from.registersPerThread,
          .static_shared_bytes = static_cast<std::uint32_t>(from.staticSharedMemory),
          .dynamic_shared_bytes = static_cast<std::uint32_t>(from.dynamicSharedMemory),
          .local_bytes_per_thread = from.localMemoryPerThread};
}

template <typename Activity>
CopyRecord copy_of(const Activity& from) {
  return {.work = work_of(from),
          .bytes = from.bytes,
          .kind = copy_kind(from.copyKind),
          .from = memory_kind(from.srcKind),
          .to = memory_kind(from.dstKind),
          .asynchronous = (from.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0,
          .from_device = from.deviceId,
          .to_device = from.deviceId};
}

CopyRecord copy_between_devices(const CUpti_ActivityMemcpyPtoP4& from) {
  CopyRecord copy = copy_of(from);
  copy.kind = CopyKind::kBetweenDevices;
  copy.from_device = from.srcDeviceId;
  copy.to_device = from.dstDeviceId;
  return copy;
}

MemsetRecord memset_of(const CUpti_ActivityMemset4& from) {
  return {.work = work_of(from),
          .bytes = from.bytes,
          .value = from.value,
          .memory = memory_kind(from.memoryKind),
          .asynchronous = (from.flags & CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC) != 0};
}

GraphRecord graph_of(const CUpti_ActivityGraphTrace2& from) {
  return {.work = {.begin_ns = time_of(from.start),
                   .end_ns = time_of(from.end),
                   .device = from.deviceId,
                   .context = from.contextId,
                   .stream = from.streamId,
                   .correlation = from.correlationId,
                   .graph = from.graphId}};
}

SynchronizationKind synchronization_kind(CUpti_ActivitySynchronizationType type) {
  switch (type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
      return SynchronizationKind::kEvent;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT:
      return SynchronizationKind::kStreamWaitsForEvent;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
      return SynchronizationKind::kStream;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
      return SynchronizationKind::kContext;
    default:
      return SynchronizationKind::kUnknown;
  }
}

SynchronizationRecord synchronization_of(const CUpti_ActivitySynchronization2& from) {
  const bool of_event = from.cudaEventId != CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  const bool of_stream = from.streamId != CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  return {.begin_ns = time_of(from.start),
          .end_ns = time_of(from.end),
          .correlation = from.correlationId,
          .context = from.contextId,
          .stream = of_stream ? from.streamId : kNoStream,
          .event = of_event ? from.cudaEventId : 0,
          .kind = synchronization_kind(enum_at<CUpti_ActivitySynchronizationType>(
              &from, offsetof(CUpti_ActivitySynchronization2, type)))};
}

CallRecord call_of(const CUpti_ActivityAPI& from, bool driver) {
  return {.begin_ns = time_of(from.start),
          .end_ns = time_of(from.end),
          .name = name_of_call(driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, from.cbid),
          .correlation = from.correlationId,
          .tid = from.threadId,
          .result = static_cast<std::int32_t>(from.returnValue),
          .driver = driver};
}

MemoryRecord memory_of(const CUpti_ActivityMemory4& from) {
  const auto& pool = from.memoryPoolConfig;
  const bool pooled =
      enum_at<CUpti_ActivityMemoryPoolType>(&pool, 0) == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  const auto memory = enum_at<CUpti_ActivityMemoryKind>(&from, offsetof(CUpti_ActivityMemory4, memoryKind));
  const auto operation =
      enum_at<CUpti_ActivityMemoryOperationType>(&from, offsetof(CUpti_ActivityMemory4, memoryOperationType));
  return {.at_ns = time_of(from.timestamp),
          .address = from.address,
          .bytes = from.bytes,
          .device = from.deviceId,
          .context = from.contextId,
          .stream = from.streamId,
          .correlation = from.correlationId,
          .memory = memory_kind(memory),
          .allocated = operation == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION,
          .pooled = pooled,
          .pool_reserved_bytes = pooled ? pool.pool.size : 0,
          .pool_used_bytes = pooled ? pool.utilizedSize : 0};
}

MarkerRecord marker_of(const CUpti_ActivityMarker2& from) {
  const auto flags = enum_at<CUpti_ActivityFlag>(&from, offsetof(CUpti_ActivityMarker2, flags));
  const auto object = enum_at<CUpti_ActivityObjectKind>(&from, offsetof(CUpti_ActivityMarker2, objectKind));
  const MarkerKind kind = (flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0 ? MarkerKind::kBegin
                          : (flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0 ? MarkerKind::kEnd
                                                                          : MarkerKind::kInstant;
  return {.at_ns = time_of(from.timestamp),
          .kind = kind,
          .id = from.id,
          .tid = thread_of(object, from.objectId),
          .name = from.name,
          .domain = from.domain};
}

template <typename Activity>
const Activity& as(const CUpti_Activity& activity) {
  return reinterpret_cast<const Activity&>(activity);
}

}  // namespace

bool translate(const CUpti_Activity& activity, Record& out) {
  const auto kind = enum_at<CUpti_ActivityKind>(&activity, offsetof(CUpti_Activity, kind));
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      out.kind = RecordKind::kKernel;
      out.kernel = kernel_of(as<CUpti_ActivityKernel10>(activity));
      return true;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      out.kind = RecordKind::kCopy;
      out.copy = copy_of(as<CUpti_ActivityMemcpy6>(activity));
      return true;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      out.kind = RecordKind::kCopy;
      out.copy = copy_between_devices(as<CUpti_ActivityMemcpyPtoP4>(activity));
      return true;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      out.kind = RecordKind::kMemset;
      out.memset = memset_of(as<CUpti_ActivityMemset4>(activity));
      return true;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      out.kind = RecordKind::kGraph;
      out.graph = graph_of(as<CUpti_ActivityGraphTrace2>(activity));
      return true;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      out.kind = RecordKind::kSynchronization;
      out.synchronization = synchronization_of(as<CUpti_ActivitySynchronization2>(activity));
      return true;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      out.kind = RecordKind::kCall;
      out.call = call_of(as<CUpti_ActivityAPI>(activity), kind == CUPTI_ACTIVITY_KIND_DRIVER);
      return true;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& from = as<CUpti_ActivityExternalCorrelation>(activity);
      const auto external = enum_at<CUpti_ExternalCorrelationKind>(
          &from, offsetof(CUpti_ActivityExternalCorrelation, externalKind));
      if (external != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) return false;
      out.kind = RecordKind::kExternalCorrelation;
      out.external = {from.externalId, from.correlationId};
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      out.kind = RecordKind::kMemory;
      out.memory = memory_of(as<CUpti_ActivityMemory4>(activity));
      return true;
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto& from = as<CUpti_ActivityOverhead3>(activity);
      out.kind = RecordKind::kOverhead;
      const auto what =
          enum_at<CUpti_ActivityOverheadKind>(&from, offsetof(CUpti_ActivityOverhead3, overheadKind));
      const auto object =
          enum_at<CUpti_ActivityObjectKind>(&from, offsetof(CUpti_ActivityOverhead3, objectKind));
      out.overhead = {time_of(from.start), time_of(from.end), name_of_overhead(what),
                      thread_of(object, from.objectId)};
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MARKER:
      out.kind = RecordKind::kMarker;
      out.marker = marker_of(as<CUpti_ActivityMarker2>(activity));
      return true;
    case CUPTI_ACTIVITY_KIND_DEVICE: {
      const auto& from = as<CUpti_ActivityDevice5>(activity);
      out.kind = RecordKind::kDevice;
      out.device = {from.id, from.name};
      return true;
    }
    case CUPTI_ACTIVITY_KIND_CONTEXT: {
      const auto& from = as<CUpti_ActivityContext3>(activity);
      out.kind = RecordKind::kContext;
      out.context = {from.contextId, from.deviceId, from.nullStreamId};
      return true;
    }
    case CUPTI_ACTIVITY_KIND_STREAM: {
      const auto& from = as<CUpti_ActivityStream>(activity);
      out.kind = RecordKind::kStream;
      out.stream = {from.contextId, from.streamId, static_cast<std::int32_t>(from.priority)};
      return true;
    }
    default:
      return false;
  }
}

}  // namespace runahead::cupti
