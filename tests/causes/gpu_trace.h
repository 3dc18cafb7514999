// Builds traces of one thread, "main", that uses the streams 7 and 20 of one GPU, "gpu 0".
#pragma once

#include <string>
#include <string_view>

#include "tests/support/trace_builder.h"

namespace runahead::testing {

inline TraceBuilder two_streams() {
  TraceBuilder builder;
  builder.track("main").numbers(100, 100);
  builder.track("stream 7", trace::TrackKind::kStream).device("gpu 0", false).numbers(0, 7);
  builder.track("stream 20", trace::TrackKind::kStream).device("gpu 0", false).numbers(0, 20);
  return builder;
}

// A call of 5 us at `call`, and the kernel or copy that it launched.
inline void launch(TraceBuilder& builder, std::string_view name, Duration call, std::string_view stream,
                   Duration begin, Duration duration, trace::SliceKind kind = trace::SliceKind::kExecute) {
  const bool copy = kind != trace::SliceKind::kExecute;
  builder.on("main").slice(copy ? "cudaMemcpyAsync" : "cudaLaunchKernel", call, 5_us,
                           trace::SliceKind::kEnqueue);
  builder.on(stream).slice(name, begin, duration, kind);
  builder.flow(trace::FlowKind::kLaunchToDevice, "main", call, stream, begin);
}

// In each of four steps of 100 us, a kernel of 30 us, and a call that waits for it until 2 us after its end.
// The GPU is idle afterwards.
inline trace::Trace waiting_steps() {
  TraceBuilder builder = two_streams();
  for (int step = 0; step < 4; ++step) {
    const Duration at = 100_us * step;
    builder.on("main").slice("ProfilerStep#" + std::to_string(step), at, 100_us, trace::SliceKind::kStep);
    launch(builder, "matmul", at + 50_us, "stream 7", at + 60_us, 30_us);
    builder.on("main").slice("cudaDeviceSynchronize", at + 56_us, 36_us, trace::SliceKind::kWait);
  }
  return builder.build();
}

}  // namespace runahead::testing
