// Builds traces of one thread, "main", that uses the streams 7 and 20 of one GPU, "gpu 0".
#pragma once

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

}  // namespace runahead::testing
