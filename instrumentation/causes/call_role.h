// CallRole: what a call of a GPU's runtime or driver does, by its name. trace::kind_of_call() gives the kind
// of the call's slice, which is coarser: it decides a colour.
#pragma once

#include <cstdint>
#include <string_view>

namespace runahead::causes {

enum class CallRole : std::uint8_t {
  kOther,
  kLaunch,  // launches a kernel
  kGraphLaunch,
  kAsyncCopy,  // returns when the copy is enqueued, unless memory is pageable
  kCopy,       // returns when the copy has ended
  kMemset,
  kAllocate,  // may wait for the device
  kFree,      // waits for the device
  kEventRecord,
  kStreamWait,  // a stream waits for an event; the calling thread does not wait
  kEventSync,   // the thread waits for an event
  kStreamSync,  // the thread waits for a stream
  kDeviceSync,  // the thread waits for all streams of a device
};

// The names of CUDA's runtime and driver. The names of HIP and MUSA differ from them only in the
// first letters. Also the names of XPU (Unified Runtime, Level Zero), Cambricon, Ascend, and MTIA's launch.
[[nodiscard]] constexpr CallRole call_role(std::string_view name) {
  const auto says = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (says("StreamWaitEvent") || says("WaitOnEvent") || says("EnqueueEventsWait") ||
      says("QueueWaitNotifier"))
    return CallRole::kStreamWait;
  if (says("EventRecord") || says("RecordEvent") || says("AppendSignalEvent") || says("PlaceNotifier"))
    return CallRole::kEventRecord;
  if (says("EventSynchronize") || says("EventWait") || says("EventHostSynchronize") ||
      says("FenceHostSynchronize") || says("SynchronizeEvent") || says("event_synchronize") ||
      says("WaitNotifier"))
    return CallRole::kEventSync;
  if (says("StreamSynchronize") || says("SynchronizeStream") || says("stream_synchronize") ||
      says("QueueFinish") || says("QueueSync") || says("ListHostSynchronize"))
    return CallRole::kStreamSync;
  if (says("Synchronize") || says("synchronize")) return CallRole::kDeviceSync;
  if (says("GraphLaunch") || says("EnqueueCommandBuffer") || says("CommandBufferEnqueue"))
    return CallRole::kGraphLaunch;
  if (says("Launch") || says("ExecuteCommandLists") || says("submit_for_execution")) return CallRole::kLaunch;
  if (says("MemoryCopy") || says("EnqueueUSMMemcpy") || says("MemBufferRead") || says("MemBufferWrite"))
    return CallRole::kAsyncCopy;
  if (says("Memcpy")) return says("Async") ? CallRole::kAsyncCopy : CallRole::kCopy;
  if (says("Memset") || says("MemoryFill") || says("USMFill")) return CallRole::kMemset;
  if (says("MallocAsync") || says("AllocAsync") || says("FreeAsync")) return CallRole::kOther;
  if (says("Malloc") || says("HostAlloc") || says("MemAlloc") || says("DeviceAlloc") || says("SharedAlloc"))
    return CallRole::kAllocate;
  if (says("Free")) return CallRole::kFree;
  return CallRole::kOther;
}

// True if the only purpose of the call is to wait.
[[nodiscard]] constexpr bool is_synchronisation(CallRole role) {
  return role == CallRole::kEventSync || role == CallRole::kStreamSync || role == CallRole::kDeviceSync;
}

// True if the call usually returns as soon as its work is in the queue: it waits only if the queue is full.
[[nodiscard]] constexpr bool is_launch(CallRole role) {
  return role == CallRole::kLaunch || role == CallRole::kGraphLaunch || role == CallRole::kMemset;
}

}  // namespace runahead::causes
