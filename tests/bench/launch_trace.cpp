#include "tests/bench/launch_trace.h"

#include <algorithm>
#include <utility>

#include "instrumentation/base/time.h"

namespace runahead::bench {
namespace {

using trace::Batch;
using trace::Slice;
using trace::SliceKind;
using trace::TrackKind;

enum : std::uint32_t { kEmpty, kGpu, kOperator, kLaunch, kKernel, kWait };
constexpr TrackId kMain{0};
TrackId stream_track(std::int64_t stream) { return TrackId{static_cast<std::uint32_t>(stream + 1)}; }

Slice slice(std::uint32_t name, SliceKind kind, std::int64_t begin, std::int64_t end) {
  return {
      .begin = timestamp_from_ns(begin), .end = timestamp_from_ns(end), .name = StringId{name}, .kind = kind};
}

void define(std::int64_t streams, Batch& batch) {
  batch.strings = {"", "gpu 0", "aten::add", "cudaLaunchKernel", "kernel", "cudaStreamSynchronize"};
  batch.tracks = {{.id = kMain, .pid = 1, .tid = 1, .name = "main"}};
  for (std::int64_t i = 0; i < streams; ++i)
    batch.tracks.push_back({.id = stream_track(i),
                            .kind = TrackKind::kStream,
                            .tid = i + 20,
                            .name = "stream",
                            .device = "gpu 0"});
}

}  // namespace

LaunchTraceSource::LaunchTraceSource(const LaunchTrace& wanted)
    : wanted_(wanted), free_at_(static_cast<std::size_t>(wanted.streams)) {}

Batch LaunchTraceSource::next() {
  constexpr std::int64_t kAtOnce = 10'000;
  Batch batch;
  if (next_ == 0) define(wanted_.streams, batch);
  batch.lanes = {{.track = kMain, .depth = 0, .rows = {}}, {.track = kMain, .depth = 1, .rows = {}}};
  for (std::int64_t i = 0; i < wanted_.streams; ++i)
    batch.lanes.push_back({.track = stream_track(i), .depth = 0, .rows = {}});
  const std::int64_t end = std::min(wanted_.launches, next_ + kAtOnce);
  for (std::int64_t i = next_; i < end; ++i) {
    const std::int64_t stream = i % wanted_.streams, call = now_ + 2'000;
    std::int64_t& stream_free_at = free_at_[static_cast<std::size_t>(stream)];
    const std::int64_t begin = std::max(stream_free_at, call + 4'000);
    const std::int64_t kernel_end = begin + 5'000 + i * 7'919 % 9'000;
    batch.lanes[0].rows.push_back(slice(kOperator, SliceKind::kZone, now_, now_ + 7'000));
    batch.lanes[1].rows.push_back(slice(kLaunch, SliceKind::kEnqueue, call, call + 3'000));
    batch.lanes[static_cast<std::size_t>(2 + stream)].rows.push_back(
        slice(kKernel, SliceKind::kExecute, begin, kernel_end));
    batch.flows.push_back({.kind = trace::FlowKind::kLaunchToDevice,
                           .from_track = kMain,
                           .to_track = stream_track(stream),
                           .from_time = timestamp_from_ns(call),
                           .to_time = timestamp_from_ns(begin)});
    stream_free_at = kernel_end + 500;
    last_end_ = std::max(last_end_, stream_free_at);
    now_ += 8'000;
    if (i % 100 != 99) continue;
    const std::int64_t wait_end = std::max(now_, last_end_) + 2'000;
    batch.lanes[0].rows.push_back(slice(kWait, SliceKind::kWait, now_, wait_end));
    now_ = wait_end + 1'000;
  }
  next_ = end;
  batch.watermark = timestamp_from_ns(now_);
  return batch;
}

}  // namespace runahead::bench
