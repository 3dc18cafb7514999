// A trace like one of PyTorch's profiler, of any size, for benchmarks of what reads the whole trace:
// operators that launch kernels on streams, and a synchronisation after every 100 launches. Each launch makes
// three slices and a flow. A kernel takes 5 to 14 us, an operator 7 us.
#pragma once

#include <cstdint>
#include <vector>

#include "instrumentation/trace/rows/batch.h"

namespace runahead::bench {

struct LaunchTrace {
  std::int64_t launches = 1'000'000;
  std::int64_t streams = 2;  // of one device; the launches take turns
};

// Makes the trace piece by piece.
class LaunchTraceSource {
 public:
  explicit LaunchTraceSource(const LaunchTrace& wanted);
  [[nodiscard]] bool ended() const { return next_ >= wanted_.launches; }
  // Returns the next 10,000 launches. The first batch has the names and the tracks as well.
  [[nodiscard]] trace::Batch next();

 private:
  LaunchTrace wanted_;
  std::int64_t next_ = 0, now_ = 0, last_end_ = 0;  // launches; ns
  std::vector<std::int64_t> free_at_;               // of each stream, ns
};

}  // namespace runahead::bench
