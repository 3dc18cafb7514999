// The CUPTI module simulated on the host. It reports the work of the simulated streams, as CUPTI reports the
// work of a card's streams. Therefore the tests cover the whole path from a launch to its row on the timeline
// without a GPU. In the trace, the device is marked as simulated.
//
// Not simulated: waits, graphs, memory, NVTX, and problems of CUPTI's buffers (see tests/cupti).
#pragma once

#include <cstddef>
#include <cstdint>

#include "instrumentation/cupti/records.h"

namespace runahead::host_cuda {

// A call that launches a work item: it begins in the constructor and returns in the destructor, on the
// calling thread. Any thread. While no recording is active, the constructor and the destructor only do one
// atomic load each.
class HostCall {
 public:
  explicit HostCall(const char* name);  // name: static storage
  ~HostCall();                          // the call returns
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  [[nodiscard]] std::uint32_t correlation() const { return correlation_; }  // 0: no recording is active

 private:
  const char* const name_;
  std::int64_t begin_ns_ = 0;
  std::uint32_t correlation_ = 0;
};

struct HostWork {
  // correlation 0: no recording was active when the work was put on the stream
  std::uint32_t device = 0, stream = 0, correlation = 0;
  const char* kernel = nullptr;  // name, in static storage; null: the work is a copy
  std::size_t bytes = 0;         // bytes of a copy
  cupti::CopyKind kind = cupti::CopyKind::kUnknown;
  std::int64_t begin_ns = 0;
};
[[nodiscard]] std::int64_t host_cupti_now_ns();  // 0: no recording is active
void work_ended(const HostWork& work);           // reports work that ends now

// In the simulation, a cudaStream_t is a pointer to a HostStreamId.
struct HostStreamId {
  std::uint32_t device = 0, stream = 0;
};

}  // namespace runahead::host_cuda
