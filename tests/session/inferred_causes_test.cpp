// Runs workloads on a virtual device, and leaves of each recording only what a trace of PyTorch's profiler
// has: launches, kernels and copies with correlation ids, synchronising calls, and calls that let a stream
// wait. Ops, dependencies, and what a wait waited for are removed. What the layer `causes` infers from the
// rest is compared with what the engine knows.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gui/session/session.h"
#include "instrumentation/analysis/waits/wait_reason.h"
#include "instrumentation/causes/synchronisation.h"
#include "tests/support/between_checks.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

using runahead::testing::TraceBuilder;
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

Duration since_start(Timestamp t) { return t.time_since_epoch(); }

// Adds the waits of a frontend as calls that do not say what they wait for, and its other slices unchanged.
void add_host_slices(const trace::Track& track, const Trace& from, TraceBuilder& out) {
  for (const trace::Lane& lane : track.lanes) {
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
      const trace::Slice slice = lane.slice(row);
      if (slice.kind == SliceKind::kEnqueue) continue;
      std::string name(from.string(slice.name));
      if (slice.kind == SliceKind::kWait)
        name = slice.op == kNoOp ? "cudaDeviceSynchronize" : "cudaEventSynchronize";
      out.on(track.info.name).slice(name, since_start(slice.begin), slice.duration(), slice.kind);
    }
  }
}

// The call that enqueued an op, and, if the op depends on another stream's op, a call that lets its stream
// wait.
void add_launch(const Trace& from, const trace::OpRow& op, TraceBuilder& out) {
  std::vector<trace::Dependency> dependencies;
  from.dependencies_of(op.id, 64, dependencies);
  const bool waits = std::ranges::any_of(dependencies, [&](const trace::Dependency& dependency) {
    const auto on = from.op(dependency.on);
    return on && on->execute_track != op.execute_track;
  });
  out.on(from.track(op.enqueue_track).info.name);
  if (waits) out.slice("cudaStreamWaitEvent", since_start(op.enqueued), Duration{0});
  out.slice("cudaLaunchKernel", since_start(op.enqueued), Duration{0}, SliceKind::kEnqueue)
      .arg("correlation", static_cast<std::int64_t>(op_number(op.id)));
}

Trace as_other_tool(const Trace& from) {
  TraceBuilder out;
  std::int64_t number = 20;
  for (const trace::Track& track : from.tracks()) {
    if (track.info.kind == TrackKind::kFrontend) out.track(track.info.name).numbers(1, 1);
    if (track.info.kind == TrackKind::kStream || track.info.kind == TrackKind::kWorker)
      out.track(track.info.name, TrackKind::kStream).device("gpu", false).numbers(0, ++number);
  }
  for (const trace::Track& track : from.tracks()) {
    if (track.info.kind == TrackKind::kFrontend) add_host_slices(track, from, out);
    if (track.info.kind != TrackKind::kStream && track.info.kind != TrackKind::kWorker) continue;
    for (const trace::Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const trace::Slice slice = lane.slice(row);
        if (slice.kind != SliceKind::kExecute && !trace::is_copy(slice.kind)) continue;
        out.on(track.info.name)
            .slice(from.string(slice.name), since_start(slice.begin), slice.duration(), slice.kind)
            .arg("correlation", static_cast<std::int64_t>(op_number(slice.op)));
      }
    }
  }
  for (std::uint64_t i = 0; i < from.op_count(); ++i) add_launch(from, from.op_row(i), out);
  return out.build();
}

struct Agreement {
  double blocked = 0, same_op = 0, same_part = 0;  // ns
};

// The op for which the engine's wait waited; 0: none.
std::int64_t op_of_engine(const Trace& trace, const causes::HostCall& call) {
  for (const trace::Lane& lane : trace.track(call.thread).lanes) {
    const std::uint64_t row = lane.first_row_beginning_from(call.begin);
    if (row == lane.end_row() || lane.slice(row).begin != call.begin ||
        lane.slice(row).kind != SliceKind::kWait)
      continue;
    const analysis::WaitReason reason = analysis::wait_reason(trace, {lane.slice(row), call.thread, false});
    if (reason.split.ops_before() == Duration{}) return 0;
    return reason.chain.empty() ? 0 : static_cast<std::int64_t>(op_number(reason.chain.front()));
  }
  return 0;
}

void compare(const Trace& trace, Agreement& sum) {
  const Trace other = as_other_tool(trace);
  const causes::Execution known(trace), inferred(other);
  const auto truth = causes::find_synchronisations(known);
  std::map<std::int64_t, const causes::Synchronisation*> by_begin;
  for (const auto& sync : truth) by_begin[ns_from(known.calls()[sync.call].begin)] = &sync;
  for (const auto& sync : causes::find_synchronisations(inferred)) {
    const causes::HostCall& call = inferred.calls()[sync.call];
    const auto found = by_begin.find(ns_from(call.begin));
    ASSERT_NE(found, by_begin.end());
    const auto blocked = static_cast<double>((call.end - call.begin).count());
    sum.blocked += blocked;
    const std::int64_t op = sync.awaited == causes::kNone ? 0 : inferred.works()[sync.awaited].correlation;
    if (op == op_of_engine(trace, known.calls()[found->second->call])) sum.same_op += blocked;
    for (std::size_t i = 0; i < causes::kSyncPartCount; ++i)
      sum.same_part +=
          static_cast<double>(std::min(sync.parts.times[i], found->second->parts.times[i]).count());
  }
}

void run_completely(Session& session, const samples::RunConfig& config) {
  const auto error = session.start(config);
  ASSERT_FALSE(error) << error->error.message;
  while (session.live()) {
    if (!session.poll()) between_checks();
  }
  session.settle();
}

TEST(InferredCauses, OfARunAreThoseThatTheEngineKnows) {
  Agreement sum;
  for (const char* workload : {"training_memory", "inference_memory", "overlap"}) {
    for (const char* barrier : {"none", "waitall", "item"}) {
      samples::RunConfig config;
      config.workload = workload;
      config.devices = {"virtual:0"};
      config.barrier = *engine::parse_barrier(barrier);
      config.settings["steps"] = "4";
      Session session;
      run_completely(session, config);
      compare(session.trace(), sum);
    }
  }
  RecordProperty("same_op", std::to_string(sum.same_op / sum.blocked));
  RecordProperty("same_part", std::to_string(sum.same_part / sum.blocked));
  EXPECT_GT(sum.blocked, 1e6);
  EXPECT_GE(sum.same_op, 0.97 * sum.blocked);
  EXPECT_GE(sum.same_part, 0.97 * sum.blocked);
}

}  // namespace
}  // namespace runahead::gui
