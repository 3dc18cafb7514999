// NsysImport: what becomes of each row. Kernels, copies and calls become the same slices as those of
// PyTorch's profiler (import/chrome/event_meaning.cpp), so that questions about a trace need not know its
// format.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "instrumentation/import/sqlite/nsys_import.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/trace/rows/cuda_calls.h"

namespace runahead::importers {
using namespace trace;
namespace {

// The columns of known_tables(), by their index.
enum WorkColumn : std::size_t { kDevice, kContext, kStream, kCorrelation, kGlobalPid, kFirstOfWork };
enum KernelColumn : std::size_t {
  kDemangledName = kFirstOfWork,
  kShortName,
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kKernelGraphNode,
};
enum CopyColumn : std::size_t { kBytes = kFirstOfWork, kCopyKind, kSourceKind, kTargetKind, kCopyGraphNode };
enum MemsetColumn : std::size_t { kMemoryKind = kFirstOfWork + 1, kMemsetGraphNode };
enum GraphColumn : std::size_t { kGraph = kFirstOfWork, kGraphExec };
enum CallColumn : std::size_t { kCallThread, kCallCorrelation, kCallName, kReturnValue };
enum EventColumn : std::size_t { kEvent = kFirstOfWork };
enum NvtxColumn : std::size_t {
  kEventType,
  kNvtxThread,
  kText,
  kTextId,
  kDomain,
  kCategory,
  kInt64,
  kUint64,
  kDouble,
  kInt32,
  kUint32,
  kFloat,
};
enum ZoneColumn : std::size_t { kZoneThread, kZoneName, kZoneType };
enum MemoryColumn : std::size_t { kUseDevice, kUsePid, kUseBytes, kUseKind, kUseOperation };

SliceKind kind_of_copy_number(std::int64_t copy_kind) {
  if (copy_kind == 1 || copy_kind == 11) return SliceKind::kCopyToDevice;
  if (copy_kind == 2 || copy_kind == 12) return SliceKind::kCopyToHost;
  return SliceKind::kCopyOnDevice;
}

}  // namespace

// ---- what the rows share ----------------------------------------------------------------------------------

NsysImport::DeviceWork NsysImport::work_of(const TimedTable& row) const {
  DeviceWork work;
  work.device = row.integer_or(kDevice, 0);
  work.context = row.integer_or(kContext, 0);
  work.stream = stream_number(row.integer_or(kStream, -1));
  work.correlation = row.integer_or(kCorrelation, 0);
  const auto pid = row.integer(kGlobalPid);
  work.pid = pid ? pid_of_global(*pid) : only_pid_;
  return work;
}

void NsysImport::put_work(const DeviceWork& work) {
  put(keys_.device, work.device);
  put(keys_.context, work.context);
  put(keys_.stream, work.stream);
  put(keys_.correlation, work.correlation);
}

void NsysImport::put_graph_node(std::optional<std::int64_t> node) {
  if (node.value_or(0) != 0) put(keys_.graph_node, *node);
}

void NsysImport::show_work(const DeviceWork& work, Slice& slice) {
  slice.args = take_args();
  const TrackId track = tracks_.stream({work.device, work.pid, work.context, work.stream});
  slices_.add(track, slice);
  if (work.correlation != 0) add_launch({work.pid, work.correlation}, track, slice.begin);
}

void NsysImport::put_waits(const CallKey& call) {
  if (const NsysWait* const wait = waits_.of(call)) {
    put_wait(*wait);
  } else if (const NsysRecording* const recorded = waits_.recorded_by(call)) {
    put(keys_.event, recorded->event);
    put(keys_.stream, recorded->stream);
  }
}

void NsysImport::put_wait(const NsysWait& wait) {
  put_name(wait_keys_.kind, intern_.intern(wait_name(wait.type)));
  if (wait.event >= 0) {
    put(wait_keys_.on_stream, wait.recorded_on);
    put(wait_keys_.recorded_by, wait.recorded_by);
    put(wait_keys_.on_event, wait.event);
  }
  put(keys_.stream, wait.stream);
}

// ---- work of a device -------------------------------------------------------------------------------------

StringId NsysImport::kernel_name(const TimedTable& row) {
  for (const std::size_t column : {std::size_t{kDemangledName}, std::size_t{kShortName}}) {
    const auto id = row.integer(column);
    if (!id) continue;
    if (const StringId name = names_.string(*id); name != kEmptyString) return name;
  }
  return intern_.intern("kernel");
}

void NsysImport::show_kernel(const TimedTable& row) {
  const DeviceWork work = work_of(row);
  Slice slice = slice_of(row);
  slice.name = kernel_name(row);
  slice.kind = SliceKind::kExecute;
  put_work(work);
  if (const auto registers = row.integer(kRegisters)) put(keys_.registers, *registers);
  if (const auto fixed = row.integer(kStaticShared)) {
    std::int64_t shared = 0;
    if (!__builtin_add_overflow(*fixed, row.integer_or(kDynamicShared, 0), &shared))
      put(keys_.shared_memory, shared);
  }
  const auto size_at = [&](std::size_t x) {
    return std::array{row.integer_or(x, 1), row.integer_or(x + 1, 1), row.integer_or(x + 2, 1)};
  };
  if (row.integer(kGridX)) put_size(keys_.grid, size_at(kGridX));
  if (row.integer(kBlockX)) put_size(keys_.block, size_at(kBlockX));
  put_graph_node(row.integer(kKernelGraphNode));
  show_work(work, slice);
}

void NsysImport::show_copy(const TimedTable& row) {
  const DeviceWork work = work_of(row);
  Slice slice = slice_of(row);
  const std::int64_t kind = row.integer_or(kCopyKind, -1);
  slice.name = names_.copy(kind, row.integer_or(kSourceKind, -1), row.integer_or(kTargetKind, -1));
  slice.kind = kind_of_copy_number(kind);
  put_work(work);
  put_bytes(slice, row.integer_or(kBytes, 0));
  put_graph_node(row.integer(kCopyGraphNode));
  show_work(work, slice);
}

void NsysImport::show_memset(const TimedTable& row) {
  const DeviceWork work = work_of(row);
  Slice slice = slice_of(row);
  slice.name = names_.memset(row.integer_or(kMemoryKind, -1));
  slice.kind = SliceKind::kExecute;
  put_work(work);
  put_bytes(slice, row.integer_or(kBytes, 0));
  put_graph_node(row.integer(kMemsetGraphNode));
  show_work(work, slice);
}

// A graph that was traced as a whole: its kernels have no rows of their own.
void NsysImport::show_graph(const TimedTable& row) {
  const DeviceWork work = work_of(row);
  Slice slice = slice_of(row);
  const std::int64_t graph = row.integer_or(kGraph, 0);
  slice.name = intern_.intern("CUDA graph " + std::to_string(graph));
  slice.kind = SliceKind::kExecute;
  put_work(work);
  put(keys_.graph, graph);
  if (const auto exec = row.integer(kGraphExec)) put(keys_.graph_exec, *exec);
  show_work(work, slice);
}

// The table has the times in which the host waited. As in a trace of PyTorch's profiler they are on the track
// of the stream.
void NsysImport::show_synchronization(const TimedTable& row) {
  const DeviceWork work = work_of(row);
  Slice slice = slice_of(row);
  slice.kind = SliceKind::kWait;
  const NsysWait* const wait = waits_.of({work.pid, work.correlation});
  const std::int64_t device = waits_.device_of(work.pid, work.context).value_or(work.device);
  if (wait == nullptr) return skip("synchronization_without_call");
  slice.name = intern_.intern(wait_name(wait->type));
  put_wait(*wait);
  put(keys_.correlation, work.correlation);
  put(keys_.device, device);
  put(keys_.context, work.context);
  slice.args = take_args();
  slices_.add(tracks_.stream({device, work.pid, work.context, work.stream}), slice);
}

void NsysImport::show_event(const TimedTable& row) {
  const DeviceWork work = work_of(row);
  put_work(work);
  put(keys_.event, row.integer_or(kEvent, -1));
  add_instant(time_of(row), tracks_.stream({work.device, work.pid, work.context, work.stream}),
              intern_.intern("CUDA event"));
}

// ---- threads ----------------------------------------------------------------------------------------------

void NsysImport::show_call(const TimedTable& row) {
  const auto thread = row.integer(kCallThread), name = row.integer(kCallName);
  const std::int64_t global = thread.value_or(0), correlation = row.integer_or(kCallCorrelation, 0);
  Slice slice = slice_of(row);
  slice.name = names_.call(name.value_or(-1));
  if (slice.name == kEmptyString) slice.name = intern_.intern("CUDA call");
  const auto [known, is_new] = call_kinds_.try_emplace(name.value_or(-1));
  if (is_new) {
    const std::string_view text = intern_.text(slice.name);
    known = {kind_of_call(text), text.find("LaunchKernel") == text.npos};
  }
  slice.kind = known.kind;
  const bool waits = slice.kind == SliceKind::kEnqueue && slice.end != kNeverClosed &&
                     copy_call_waits(intern_.text(slice.name), slice.duration());
  if (waits) slice.kind = SliceKind::kWait;
  const CallKey call{pid_of_global(global), correlation};
  put(keys_.correlation, correlation);
  if (const std::int64_t value = row.integer_or(kReturnValue, 0); value != 0) put(keys_.return_value, value);
  if (known.may_wait) put_waits(call);
  slice.args = take_args();
  const TrackId track = thread_of(global);
  slices_.add(track, slice);
  if (correlation != 0) calls_.add(call, {track, slice.name, slice.begin});
}

TrackId NsysImport::thread_of(std::int64_t global) {
  return tracks_.thread(pid_of_global(global), tid_of_global(global));
}

StringId NsysImport::nvtx_text(const TimedTable& row) {
  if (const std::string_view text = row.text(kText); !text.empty()) return intern_.intern(text);
  const auto id = row.integer(kTextId);
  const StringId text = id ? names_.string(*id) : kEmptyString;
  return text != kEmptyString ? text : intern_.intern("NVTX range");
}

void NsysImport::put_payload(const TimedTable& row) {
  for (const std::size_t column : {kInt64, kUint64, kInt32, kUint32}) {
    if (const auto value = row.integer(column)) return put(keys_.payload, *value);
  }
  for (const std::size_t column : {kDouble, kFloat}) {
    const auto value = row.real(column);
    if (value && std::isfinite(*value)) return put_real(keys_.payload, *value);
  }
}

void NsysImport::show_range(const TimedTable& row, TrackId track) {
  Slice slice = slice_of(row);
  slice.args = take_args();
  slice.name = nvtx_text(row);
  const bool step = intern_.text(slice.name).starts_with("ProfilerStep#");
  slice.kind = step ? SliceKind::kStep : SliceKind::kZone;
  slices_.add(track, slice);
}

void NsysImport::show_nvtx(const TimedTable& row) {
  // Numbers of ENUM_NSYS_EVENT_TYPE. The names that begin with Nvtxt are of events that were imported from a
  // text.
  enum NvtxType : std::int64_t {
    kNvtxMark = 34,
    kNvtxPushPopRange = 59,
    kNvtxStartEndRange = 60,
    kNvtxtMark = 65,
    kNvtxtPushPopRange = 70,
    kNvtxtStartEndRange = 71,
  };
  const std::int64_t type = row.integer_or(kEventType, kNvtxPushPopRange);
  const std::int64_t thread = row.integer_or(kNvtxThread, 0);
  if (const auto domain = domains_.find(row.integer_or(kDomain, 0)); domain != domains_.end())
    put_name(keys_.domain, domain->second);
  if (const std::int64_t category = row.integer_or(kCategory, 0); category != 0)
    put(keys_.category, category);
  put_payload(row);
  if (type == kNvtxPushPopRange || type == kNvtxtPushPopRange) {
    show_range(row, thread_of(thread));
  } else if (type == kNvtxStartEndRange || type == kNvtxtStartEndRange) {
    show_range(row, tracks_.ranges(pid_of_global(thread)));
  } else if (type == kNvtxMark || type == kNvtxtMark) {
    add_instant(time_of(row), thread_of(thread), nvtx_text(row));
  } else {
    drop_args();
    skip("NVTX_EVENTS_of_type_" + std::to_string(type));
  }
}

void NsysImport::show_zone(const TimedTable& row) {
  Slice slice = slice_of(row);
  const auto name = row.integer(kZoneName);
  slice.name = name ? names_.string(*name) : kEmptyString;
  if (slice.name == kEmptyString) slice.name = intern_.intern(row.name());
  slices_.add(thread_of(row.integer_or(kZoneThread, 0)), slice);
}

void NsysImport::show_overhead(const TimedTable& row) {
  Slice slice = slice_of(row);
  slice.name = intern_.intern(names_.overhead(row.integer_or(kZoneType, -1)));
  slices_.add(thread_of(row.integer_or(kZoneThread, 0)), slice);
}

// ---- counters ---------------------------------------------------------------------------------------------

void NsysImport::show_memory_use(const TimedTable& row) {
  const std::int64_t operation = row.integer_or(kUseOperation, -1);
  const auto bytes = row.integer(kUseBytes);
  if (operation != 0 && operation != 1) return skip("memory_use_of_unknown_kind");
  if (!bytes || !is_storable_size(*bytes)) return lose(LossCause::kImportBroken);
  const std::int64_t pid = pid_of_global(row.integer_or(kUsePid, 0));
  const TrackId counter =
      tracks_.memory(pid, row.integer_or(kUseDevice, 0), row.integer_or(kUseKind, kDeviceMemory));
  double& live_bytes = memory_bytes_[counter];
  live_bytes += (operation == 0 ? 1.0 : -1.0) * static_cast<double>(*bytes);
  add_sample(counter, time_of(row), live_bytes);
}

// ---- tables -----------------------------------------------------------------------------------------------

std::vector<NsysImport::KnownTable> NsysImport::known_tables() {
  const auto work = [](std::vector<std::string_view> columns) {
    columns.insert(columns.begin(), {"deviceId", "contextId", "streamId", "correlationId", "globalPid"});
    return columns;
  };
  return {
      {"CUPTI_ACTIVITY_KIND_RUNTIME",
       {"globalTid", "correlationId", "nameId", "returnValue"},
       &NsysImport::show_call},
      {"NVTX_EVENTS",
       {"eventType", "globalTid", "text", "textId", "domainId", "category", "int64Value", "uint64Value",
        "doubleValue", "int32Value", "uint32Value", "floatValue"},
       &NsysImport::show_nvtx,
       // Categories, names of threads, and domains define names, and are not events.
       "start",
       "eventType",
       "eventType NOT IN (33, 39, 64, 75, 76)"},
      {"OSRT_API", {"globalTid", "nameId"}, &NsysImport::show_zone},
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       work({"demangledName", "shortName", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory",
             "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "graphNodeId"}),
       &NsysImport::show_kernel},
      {"CUPTI_ACTIVITY_KIND_MEMCPY", work({"bytes", "copyKind", "srcKind", "dstKind", "graphNodeId"}),
       &NsysImport::show_copy},
      {"CUPTI_ACTIVITY_KIND_MEMSET", work({"bytes", "memKind", "graphNodeId"}), &NsysImport::show_memset},
      {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", work({"graphId", "graphExecId"}), &NsysImport::show_graph},
      {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", work({}), &NsysImport::show_synchronization},
      {"CUPTI_ACTIVITY_KIND_CUDA_EVENT", work({"eventId"}), &NsysImport::show_event,
       // 0: the time was not recorded. Such an event is shown by the call that recorded it.
       "timestamp", "timestamp", "timestamp <> 0"},
      {"CUDA_GPU_MEMORY_USAGE_EVENTS",
       {"deviceId", "globalPid", "bytes", "memKind", "memoryOperationType"},
       &NsysImport::show_memory_use},
      {"CUPTI_ACTIVITY_KIND_OVERHEAD", {"globalTid", "nameId", "overheadType"}, &NsysImport::show_overhead},
      {"PROFILER_OVERHEAD", {"globalTid", "nameId", "overheadType"}, &NsysImport::show_overhead},
  };
}

}  // namespace runahead::importers
