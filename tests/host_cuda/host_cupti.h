// The CUPTI module played by the host: says of the host's streams what CUPTI would of a card's, so that the
// whole way from a launch to its row on the timeline is run without a GPU. Its device is marked simulated.
//
// What it does not play: waits, graphs, memory, NVTX, and the buffers' own troubles (tests/cupti).
#pragma once

#include <cstddef>
#include <cstdint>

#include "instrumentation/cupti/records.h"

namespace runahead::host_cuda {

// A call that launches work, on the calling thread, and the work on its stream. Any thread; where nothing
// records, each costs one load.
class HostCall {
 public:
  explicit HostCall(const char* name);  // static storage
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
  std::uint32_t device = 0, stream = 0, correlation = 0;  // correlation 0: nothing recorded when it was put
  const char* kernel = nullptr;                           // static storage; null: a copy
  std::size_t bytes = 0;                                  // of a copy
  cupti::CopyKind kind = cupti::CopyKind::kUnknown;
  std::int64_t begin_ns = 0;
};
[[nodiscard]] std::int64_t host_cupti_now_ns();  // 0: nothing records
void work_ended(const HostWork& work);           // now

// What cudaStream_t is here: the address of one of these.
struct HostStreamId {
  std::uint32_t device = 0, stream = 0;
};

}  // namespace runahead::host_cuda
