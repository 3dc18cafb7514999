// Damaged traces of a GPU, for tests of code that must read any trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::testing {

// A trace in which nothing fits together: calls, work, records, arrows and ops with random times and ids.
inline trace::Trace random_gpu_trace(Random& random) {
  constexpr std::array<const char*, 14> kNames{
      "cudaLaunchKernel",      "cudaMemcpyAsync", "cudaMemcpy",      "cudaStreamSynchronize",
      "cudaDeviceSynchronize", "cudaFree",        "cudaEventRecord", "cudaStreamWaitEvent",
      "hipEventSynchronize",   "cudaGraphLaunch", "aten::item",      "train.py(3): step",
      "ProfilerStep#3",        "ncclDevKernel"};
  constexpr std::array<const char*, 4> kTracks{"main", "other", "stream 7", "stream 20"};
  TraceBuilder builder;
  builder.track("main").numbers(1, 1).track("other").numbers(random.integer(1, 2), 2);
  builder.track("stream 7", trace::TrackKind::kStream)
      .device("gpu 0", false)
      .numbers(random.integer(0, 1), 7);
  builder.track("stream 20", trace::TrackKind::kStream).device("gpu 1", false).numbers(0, 20);
  const auto track = [&] { return kTracks[static_cast<std::size_t>(random.integer(0, 3))]; };
  const auto time = [&] {
    return Duration{random.integer(0, 2'000)} * (random.chance(0.1) ? 1'000'000 : 1'000);
  };
  for (std::int64_t i = random.integer(0, 200); i > 0; --i) {
    const auto kind = static_cast<trace::SliceKind>(random.integer(0, trace::kSliceKindCount - 1));
    const OpId op{static_cast<std::uint64_t>(random.chance(0.2) ? random.integer(1, 9) : 0)};
    builder.on(track()).slice(kNames[static_cast<std::size_t>(random.integer(0, 13))], time(), time() / 10,
                              kind, op);
    for (const char* key : {"correlation", "stream", "wait_on_stream", "wait_on_cuda_event_record_corr_id"}) {
      if (random.chance(0.4)) builder.arg(key, random.integer(-1, 30));
    }
    if (random.chance(0.2)) builder.arg("Sequence number", random.integer(-1, 9));
    if (random.chance(0.2)) builder.arg("Fwd thread id", random.integer(0, 1));
    if (random.chance(0.2)) builder.flow(trace::FlowKind::kOther, track(), time(), track(), time());
    if (random.chance(0.3)) builder.flow(trace::FlowKind::kLaunchToDevice, track(), time(), track(), time());
    if (random.chance(0.1))
      builder.flow(trace::FlowKind::kExecuteToWait, track(), time(), track(), time(), op);
  }
  if (random.chance(0.5))
    builder.on("main").open_slice("cudaDeviceSynchronize", 1'000_ms, trace::SliceKind::kWait);
  return builder.build();
}

}  // namespace runahead::testing
