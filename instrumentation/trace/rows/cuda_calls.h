// Finds the SliceKind of a call to a GPU's runtime or driver, by the name of the call.
#pragma once

#include <chrono>
#include <string_view>

#include "instrumentation/trace/rows/slice.h"

namespace runahead::trace {

// Recognises CUDA's names. The names of HIP, MUSA and Ascend differ from them only in the first letters, so
// they are recognised too. Also recognises MTIA's work submission, XPU's launches, copies and allocations,
// and the waits of XPU (urEventWait, urQueueFinish) and Cambricon (cnrtQueueSync, cnrtWaitNotifier).
[[nodiscard]] constexpr SliceKind kind_of_call(std::string_view name) {
  const auto says = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (says("Synchronize") || says("synchronize")) return SliceKind::kWait;
  if (says("EventWait") || says("QueueFinish") || says("QueueSync")) return SliceKind::kWait;
  if (says("tWaitNotifier")) return SliceKind::kWait;  // not QueueWaitNotifier, in which the queue waits
  if (says("Launch") || says("Memcpy") || says("Memset")) return SliceKind::kEnqueue;
  if (says("MemoryCopy") || says("MemoryFill") || says("USMFill")) return SliceKind::kEnqueue;
  if (says("MemBufferRead") || says("MemBufferWrite")) return SliceKind::kEnqueue;
  if (says("submit_for_execution") || says("ExecuteCommandLists") || says("CommandBufferExp"))
    return SliceKind::kEnqueue;
  if (says("Malloc") || says("Free") || says("HostAlloc") || says("MemAlloc")) return SliceKind::kAllocation;
  if (says("USMDeviceAlloc") || says("USMSharedAlloc")) return SliceKind::kAllocation;
  return SliceKind::kZone;
}

// True if the call is a copy and took so long that the calling thread must have waited in it. An asynchronous
// copy of pageable memory may return only when the copy has ended. Such a call takes milliseconds. A call
// that only enqueues a copy takes microseconds.
inline constexpr Duration kBlockingCopyCall = std::chrono::milliseconds(1);
[[nodiscard]] constexpr bool copy_call_waits(std::string_view name, Duration duration) {
  return duration >= kBlockingCopyCall && name.find("Memcpy") != name.npos;
}

}  // namespace runahead::trace
