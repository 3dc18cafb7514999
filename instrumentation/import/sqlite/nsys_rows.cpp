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

constexpr std::int64_t kNsysDeviceMemory = 2;  // a value of memKind

SliceKind kind_of_copy_number(std::int64_t copy_kind) {
  if (copy_kind == 1 || copy_kind == 11) return SliceKind::kCopyToDevice;
  if (copy_kind == 2 || copy_kind == 12) return SliceKind::kCopyToHost;
  return SliceKind::kCopyOnDevice;
}

bool is_storable_size(std::int64_t bytes) {
  return bytes >= -recordings::kMaxSizeBytes && bytes <= recordings::kMaxSizeBytes;
}

std::string triple(std::int64_t x, std::int64_t y, std::int64_t z) {
  return "[" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + "]";
}

}  // namespace

// ---- what the rows share ----------------------------------------------------------------------------------

Slice NsysImport::slice_of(const TimedTable& row) {
  Slice slice;
  slice.begin = timestamp_from_ns(row.start_ns() - base_ns_);
  const std::int64_t end_ns = row.end_ns().value_or(row.start_ns());
  const bool closed = row.end_ns() && end_ns - base_ns_ <= recordings::kMaxTimeNs;
  slice.end = closed ? timestamp_from_ns(end_ns - base_ns_) : kNeverClosed;
  last_ = std::max({last_, slice.begin, closed ? slice.end : slice.begin});
  return slice;
}

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

void NsysImport::put(std::string_view key, std::int64_t value) {
  args_.push_back({intern_.intern(key), value});
}

void NsysImport::put_work(const DeviceWork& work) {
  put("device", work.device);
  put("context", work.context);
  put("stream", work.stream);
  put("correlation", work.correlation);
}

void NsysImport::put_bandwidth(const Slice& slice) {
  put("bytes", slice.size_bytes);
  const auto duration_ns = slice.end == kNeverClosed ? 0 : slice.duration().count();
  if (duration_ns <= 0) return;
  const double bytes_per_ns = static_cast<double>(slice.size_bytes) / static_cast<double>(duration_ns);
  args_.push_back({intern_.intern("memory bandwidth (GB/s)"), bytes_per_ns});
}

ArgsId NsysImport::take_args() {
  const ArgsId id = intern_.add_args(args_);
  args_.clear();
  return id;
}

void NsysImport::add_instant(Timestamp at, TrackId track, StringId name) {
  last_ = std::max(last_, at);
  batch_.instants.push_back({at, track, name, kNoOp, take_args()});
}

void NsysImport::add_flow(const LaunchCall& call, TrackId to, Timestamp at) {
  batch_.flows.push_back(
      {FlowKind::kLaunchToDevice, call.track, to, call.begin, at, kNoOp, intern_.intern("ac2g")});
}

void NsysImport::skip(std::string_view kind, std::uint64_t count) {
  losses_.add(LossCause::kImportSkipped, count);
  skipped_.add("row", kind, count);
}

void NsysImport::show_work(const DeviceWork& work, Slice& slice) {
  slice.args = take_args();
  const TrackId track = tracks_.stream({work.device, work.pid, work.context, work.stream});
  slices_.add(track, slice);
  if (work.correlation == 0) return;
  const NsysCall call{work.pid, work.correlation};
  if (const auto found = calls_.find(call); found != calls_.end()) {
    add_flow(found->second, track, slice.begin);
  } else {
    late_launches_.push_back({call, track, slice.begin});
  }
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
  if (const auto registers = row.integer(kRegisters)) put("registers per thread", *registers);
  if (const auto fixed = row.integer(kStaticShared)) {
    std::int64_t shared = 0;
    if (!__builtin_add_overflow(*fixed, row.integer_or(kDynamicShared, 0), &shared))
      put("shared memory", shared);
  }
  const auto put_size = [&](std::string_view key, std::size_t x) {
    const auto value = [&](std::size_t i) { return row.integer_or(x + i, 1); };
    if (row.integer(x))
      args_.push_back({intern_.intern(key), intern_.intern(triple(value(0), value(1), value(2)))});
  };
  put_size("grid", kGridX);
  put_size("block", kBlockX);
  if (const auto node = row.integer(kKernelGraphNode); node.value_or(0) != 0) put("graph node id", *node);
  show_work(work, slice);
}

void NsysImport::show_copy(const TimedTable& row) {
  const DeviceWork work = work_of(row);
  Slice slice = slice_of(row);
  const std::int64_t kind = row.integer_or(kCopyKind, -1);
  slice.name = names_.copy(kind, row.integer_or(kSourceKind, -1), row.integer_or(kTargetKind, -1));
  slice.kind = kind_of_copy_number(kind);
  if (const std::int64_t bytes = row.integer_or(kBytes, 0); is_storable_size(bytes)) slice.size_bytes = bytes;
  put_work(work);
  put_bandwidth(slice);
  if (const auto node = row.integer(kCopyGraphNode); node.value_or(0) != 0) put("graph node id", *node);
  show_work(work, slice);
}

void NsysImport::show_memset(const TimedTable& row) {
  const DeviceWork work = work_of(row);
  Slice slice = slice_of(row);
  slice.name = names_.memset(row.integer_or(kMemoryKind, -1));
  slice.kind = SliceKind::kExecute;
  if (const std::int64_t bytes = row.integer_or(kBytes, 0); is_storable_size(bytes)) slice.size_bytes = bytes;
  put_work(work);
  put_bandwidth(slice);
  if (const auto node = row.integer(kMemsetGraphNode); node.value_or(0) != 0) put("graph node id", *node);
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
  put("graph id", graph);
  if (const auto exec = row.integer(kGraphExec)) put("graph exec id", *exec);
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
  NsysWaits::put(*wait, intern_, args_);
  put("correlation", work.correlation);
  put("device", device);
  put("context", work.context);
  slice.args = take_args();
  slices_.add(tracks_.stream({device, work.pid, work.context, work.stream}), slice);
}

void NsysImport::show_event(const TimedTable& row) {
  const DeviceWork work = work_of(row);
  put_work(work);
  put("event", row.integer_or(kEvent, -1));
  add_instant(timestamp_from_ns(row.start_ns() - base_ns_),
              tracks_.stream({work.device, work.pid, work.context, work.stream}),
              intern_.intern("CUDA event"));
}

// ---- threads ----------------------------------------------------------------------------------------------

void NsysImport::show_call(const TimedTable& row) {
  const auto thread = row.integer(kCallThread), name = row.integer(kCallName);
  const std::int64_t global = thread.value_or(0), correlation = row.integer_or(kCallCorrelation, 0);
  Slice slice = slice_of(row);
  slice.name = names_.call(name.value_or(-1));
  if (slice.name == kEmptyString) slice.name = intern_.intern("CUDA call");
  const auto [kind, is_new] = call_kinds_.try_emplace(name.value_or(-1));
  if (is_new) kind->second = kind_of_call(intern_.text(slice.name));
  slice.kind = kind->second;
  const bool waits = slice.kind == SliceKind::kEnqueue && slice.end != kNeverClosed &&
                     copy_call_waits(intern_.text(slice.name), slice.duration());
  if (waits) slice.kind = SliceKind::kWait;
  const NsysCall call{pid_of_global(global), correlation};
  put("correlation", correlation);
  if (const std::int64_t value = row.integer_or(kReturnValue, 0); value != 0) put("return value", value);
  if (const NsysWait* const wait = waits_.of(call)) {
    NsysWaits::put(*wait, intern_, args_);
  } else if (const NsysRecording* const recorded = waits_.recorded_by(call)) {
    put("event", recorded->event);
    put("stream", recorded->stream);
  }
  slice.args = take_args();
  const TrackId track = tracks_.thread(global);
  slices_.add(track, slice);
  if (correlation != 0) calls_.try_emplace(call, LaunchCall{track, slice.begin});
}

StringId NsysImport::nvtx_text(const TimedTable& row) {
  if (const std::string_view text = row.text(kText); !text.empty()) return intern_.intern(text);
  const auto id = row.integer(kTextId);
  const StringId text = id ? names_.string(*id) : kEmptyString;
  return text != kEmptyString ? text : intern_.intern("NVTX range");
}

void NsysImport::put_payload(const TimedTable& row) {
  for (const std::size_t column : {kInt64, kUint64, kInt32, kUint32}) {
    if (const auto value = row.integer(column)) return put("payload", *value);
  }
  for (const std::size_t column : {kDouble, kFloat}) {
    const auto value = row.real(column);
    if (value && std::isfinite(*value)) {
      args_.push_back({intern_.intern("payload"), *value});
      return;
    }
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
    args_.push_back({intern_.intern("domain"), domain->second});
  if (const std::int64_t category = row.integer_or(kCategory, 0); category != 0) put("category", category);
  put_payload(row);
  if (type == kNvtxPushPopRange || type == kNvtxtPushPopRange) {
    show_range(row, tracks_.thread(thread));
  } else if (type == kNvtxStartEndRange || type == kNvtxtStartEndRange) {
    show_range(row, tracks_.ranges(pid_of_global(thread)));
  } else if (type == kNvtxMark || type == kNvtxtMark) {
    add_instant(timestamp_from_ns(row.start_ns() - base_ns_), tracks_.thread(thread), nvtx_text(row));
  } else {
    args_.clear();
    skip("NVTX_EVENTS_of_type_" + std::to_string(type));
  }
}

void NsysImport::show_zone(const TimedTable& row) {
  Slice slice = slice_of(row);
  const auto name = row.integer(kZoneName);
  slice.name = name ? names_.string(*name) : kEmptyString;
  if (slice.name == kEmptyString) slice.name = intern_.intern(row.name());
  slices_.add(tracks_.thread(row.integer_or(kZoneThread, 0)), slice);
}

void NsysImport::show_overhead(const TimedTable& row) {
  Slice slice = slice_of(row);
  slice.name = intern_.intern(names_.overhead(row.integer_or(kZoneType, -1)));
  slices_.add(tracks_.thread(row.integer_or(kZoneThread, 0)), slice);
}

// ---- counters ---------------------------------------------------------------------------------------------

void NsysImport::show_memory_use(const TimedTable& row) {
  const std::int64_t operation = row.integer_or(kUseOperation, -1);
  const auto bytes = row.integer(kUseBytes);
  if (operation != 0 && operation != 1) return skip("memory_use_of_unknown_kind");
  if (!bytes || !is_storable_size(*bytes)) return losses_.add(LossCause::kImportBroken);
  const std::int64_t pid = pid_of_global(row.integer_or(kUsePid, 0));
  const TrackId counter =
      tracks_.memory(pid, row.integer_or(kUseDevice, 0), row.integer_or(kUseKind, kNsysDeviceMemory));
  MemoryUse& use = memory_[counter];
  use.bytes += (operation == 0 ? 1.0 : -1.0) * static_cast<double>(*bytes);
  const Timestamp at = timestamp_from_ns(row.start_ns() - base_ns_);
  last_ = std::max(last_, at);
  use.samples.push_back({at, use.bytes});
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
