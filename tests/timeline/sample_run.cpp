#include "tests/timeline/sample_run.h"

namespace runahead::gui::testing {

using trace::CounterRole;
using trace::FlowKind;
using trace::SliceKind;
using trace::TrackKind;
using trace::Unit;

namespace {

TraceBuilder tracks() {
  TraceBuilder builder;
  builder.track("barrier", TrackKind::kMarkers);
  builder.group("Frontend", 10).track("main", TrackKind::kFrontend);
  builder.group("Queue", 20);
  builder.counter("run-ahead virtual:0", CounterRole::kRunAheadOps, Unit::kCount).device("virtual:0");
  builder.track("op lives virtual:0", TrackKind::kQueue).device("virtual:0");
  builder.group("virtual:0", 40).device("virtual:0");
  builder.track("compute", TrackKind::kStream).device("virtual:0");
  builder.track("copy to host", TrackKind::kStream).device("virtual:0");
  builder.group("Memory", 80)
      .counter("live virtual:0", CounterRole::kLiveBytes, Unit::kBytes)
      .device("virtual:0");
  return builder;
}

void add_frontend(TraceBuilder& builder) {
  builder.on("barrier").instant("start: none", 0_us).instant("none -> wait_to_read", 240_us);
  builder.on("main").slice("step", 10_us, 680_us, SliceKind::kStep);
  builder.slice("matmul", 20_us, 40_us, SliceKind::kEnqueue, kMatmul);
  builder.slice("copy", 60_us, 60_us, SliceKind::kEnqueue, kCopy);
  builder.slice("relu", 130_us, 30_us, SliceKind::kEnqueue, kRelu);
  builder.slice("wait_to_read", 250_us, 350_us, SliceKind::kWait, kCopy);
  builder.open_slice("wait_to_read", 700_us, SliceKind::kWait, kRelu).depth(0);
}

void add_device(TraceBuilder& builder) {
  builder.on("compute").slice("matmul", 100_us, 300_us, SliceKind::kExecute, kMatmul);
  builder.slice("relu", 600_us, 50_us, SliceKind::kExecute, kRelu).flags(trace::kSliceLate);
  builder.instant("trim", 300_us);
  builder.on("copy to host").slice("copy", 400_us, 200_us, SliceKind::kCopyToHost, kCopy).bytes(64'000);
  builder.on("op lives virtual:0").slice("matmul", 20_us, 380_us, SliceKind::kExecute, kMatmul);
  builder.slice("copy", 60_us, 540_us, SliceKind::kExecute, kCopy);
  builder.on("run-ahead virtual:0").sample(0_us, 0).sample(60_us, 1).sample(120_us, 2).sample(160_us, 3);
  builder.sample(400_us, 2).sample(600_us, 1).sample(650_us, 0);
  builder.on("live virtual:0").sample(50_us, 4096).sample(500_us, 68'096);
}

void add_ops(TraceBuilder& builder) {
  builder.op(kMatmul, "matmul", {60_us, 60_us, 100_us, 400_us}, {0, 4096, "main", "compute"});
  builder.op(kCopy, "copy", {120_us, 400_us, 400_us, 600_us}, {0, 4096, "main", "copy to host"});
  builder.op(kRelu, "relu", {160_us, 160_us, 600_us, 650_us},
             {0, 4096, "main", "compute", trace::kSliceLate});
  builder.flow(FlowKind::kEnqueueToExecute, "main", 60_us, "compute", 100_us, kMatmul);
  builder.flow(FlowKind::kEnqueueToExecute, "main", 120_us, "copy to host", 400_us, kCopy);
  builder.flow(FlowKind::kExecuteToWait, "copy to host", 600_us, "main", 600_us, kCopy);
}

}  // namespace

trace::Trace sample_run() {
  TraceBuilder builder = tracks();
  add_frontend(builder);
  add_device(builder);
  add_ops(builder);
  return builder.watermark(1000_us).build();
}

trace::Trace dense_run(int rows) {
  TraceBuilder builder;
  builder.track("cpu 0", TrackKind::kWorker);
  for (int i = 0; i < rows; ++i) builder.slice("tick", 2_us * i, 1_us, SliceKind::kExecute);
  return builder.watermark(2_us * rows).build();
}

Scene scene_of(const trace::Trace& trace, const TimelineState& state, SceneSize size) {
  Scene scene;
  build_scene(trace, state, size, scene);
  return scene;
}

}  // namespace runahead::gui::testing
