// The CUPTI module simulated on the host. It reports about the host's streams what CUPTI reports about a
// card's streams. Therefore the whole path from a launch to its row on the timeline is tested without a GPU.
// Its device is marked simulated.
//
// Not simulated: waits, graphs, memory, NVTX, and problems of CUPTI's buffers (tests/cupti).
#pragma once

#include <cstddef>
#include <cstdint>

#include "instrumentation/cupti/records.h"

namespace runahead::host_cuda {

// A call that launches work: it begins in the constructor and returns in the destructor, on the calling
// thread. Any thread. While nothing records it costs one load each.
class HostCall {
 public:
  explicit HostCall(const char* name);  // name: static storage
  ~HostCall();                          // the call returns
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  [[nodiscard]] std::uint32_t correlation() const { return correlation_; }  // 0: nothing records

 private:
  const char* const name_;
  std::int64_t begin_ns_ = 0;
  std::uint32_t correlation_ = 0;
};

struct HostWork {
  // correlation 0: nothing recorded when the work was put on the stream
  std::uint32_t device = 0, stream = 0, correlation = 0;
  const char* kernel = nullptr;  // static storage; null: a copy
  std::size_t bytes = 0;         // bytes of a copy
  cupti::CopyKind kind = cupti::CopyKind::kUnknown;
  std::int64_t begin_ns = 0;
};
[[nodiscard]] std::int64_t host_cupti_now_ns();  // 0: nothing records
void work_ended(const HostWork& work);           // the work ends now

// The simulated cudaStream_t: a pointer to one of these.
struct HostStreamId {
  std::uint32_t device = 0, stream = 0;
};

}  // namespace runahead::host_cuda
