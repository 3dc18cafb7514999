// Drain: the work of the collector without its thread, queue and file. Drain empties every buffer, sorts
// events up to a watermark, and makes the batch. Single-threaded: use it under the collector's work mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "instrumentation/record/async_track.h"
#include "instrumentation/record/batch_builder.h"
#include "instrumentation/record/clock_sync.h"
#include "instrumentation/record/derived_counters.h"
#include "instrumentation/record/flow_matcher.h"
#include "instrumentation/record/hooks/recorder_state.h"
#include "instrumentation/record/memory_tracker.h"
#include "instrumentation/record/op_tracker.h"
#include "instrumentation/record/row_taker.h"
#include "instrumentation/record/thread_source.h"
#include "instrumentation/record/thread_track.h"

namespace runahead::record {

struct DrainOptions {
  bool sample_rss = true;
  std::size_t open_ops = 1024;
};

struct DrainTotals {
  std::uint64_t events = 0, slices = 0, lives_undrawn = 0;
  std::size_t open_ops = 0;
  Duration clock_drift{};
};

class Drain {
 public:
  Drain(Recorder::State& recorder, DrainOptions options);

  // Takes everything that the threads have published. `everything`: also takes the most recent events,
  // although another thread may still publish an earlier event. Otherwise these events stay until the next
  // call.
  void take_events(bool everything);
  // The batch of everything taken since the last batch, plus the slices and ops that are open now.
  [[nodiscard]] trace::Batch take_batch();

  // The start of a new file: all definitions, and the live allocations.
  [[nodiscard]] trace::Batch beginning() const;

  [[nodiscard]] BatchBuilder& batch() { return batch_; }
  [[nodiscard]] DrainTotals totals() const;

 private:
  void follow_session();
  void drain_sources();
  [[nodiscard]] ThreadSource* find_thread(std::int64_t tid) const;
  void apply_deferred(Timestamp watermark);
  void apply(const DeferredEvent& deferred);
  void apply_counter(const DeferredEvent& deferred);
  void apply_memory(const DeferredEvent& deferred);
  [[nodiscard]] CounterWriter& counter_of(const TrackDesc& desc);
  [[nodiscard]] std::vector<std::span<const DeferredEvent>> runs_in_order();
  void update_counters(Timestamp now);
  void close_everything(Timestamp at);

  Recorder::State& recorder_;
  const DrainOptions options_;
  BatchBuilder batch_;
  // Events that apply_deferred() has not applied yet, as consecutive runs. The first run has the events that
  // the last call of apply_deferred() left, in time order. Each further run has the new events of one thread.
  std::vector<DeferredEvent> deferred_;
  // the end of each run in deferred_, except the last run, which ends at the end of deferred_
  std::vector<std::size_t> run_ends_;
  ThreadTracks thread_tracks_{batch_, deferred_};
  std::unordered_map<const TrackDesc*, AsyncTrack> async_tracks_;
  std::vector<std::unique_ptr<ThreadSource>> sources_;
  std::unordered_map<const TrackDesc*, CounterWriter> counters_;
  // Cache: the counters for the memory kind of the previous event. Consecutive events usually have the same
  // kind. The pointers point into counters_, whose elements do not move.
  struct {
    const MemoryKind* kind = nullptr;
    CounterWriter* live = nullptr;
    CounterWriter* of_category = nullptr;
  } last_memory_;
  CopyBandwidth bandwidth_{batch_};
  StepsPerSecond steps_per_second_{batch_};
  ProcessRss rss_{batch_};
  OpTracker ops_{batch_, bandwidth_};
  FlowMatcher flows_{batch_};
  MemoryTracker memory_{batch_};
  DecodeContext context_{batch_, thread_tracks_, async_tracks_, deferred_, memory_, {}, {}, {}};
  RowTaker rows_{context_, bandwidth_, [this](std::int64_t tid) { return find_thread(tid); }};
  ClockDrift drift_;
  RecordingSession session_;
  Timestamp watermark_{};
  std::uint64_t events_ = 0, lost_elsewhere_ = 0;
};

}  // namespace runahead::record
