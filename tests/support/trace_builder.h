// TraceBuilder builds traces for tests in one expression.
//
//   const Trace trace = TraceBuilder{}
//       .group("Workers").track("w0", TrackKind::kWorker).slice("tick", 1000_ns, 1_ns)
//       .counter("live", CounterRole::kLiveBytes, Unit::kBytes).sample(0_ns, 5).sample(10_ns, 7)
//       .build();
//
// Times are Durations since the start. A row is added to the track that was defined last. Rows may be added
// in any order. build() sorts them and assigns depths: on most tracks by nesting. On queues and asynchronous
// tracks, a slice gets the lowest free lane.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/trace/trace.h"
#include "tests/support/literals.h"

namespace runahead::testing {

class TraceBuilder {
 public:
  TraceBuilder();

  // ---- tracks ------------------------------------------------------------------------------------
  TraceBuilder& group(std::string_view name,
                      std::int32_t sort_order = 0);  // parent of the tracks that follow
  TraceBuilder& end_group();                         // the tracks that follow have no parent
  TraceBuilder& track(std::string_view name, trace::TrackKind kind = trace::TrackKind::kThread);
  TraceBuilder& counter(std::string_view name, trace::CounterRole role = trace::CounterRole::kOther,
                        trace::Unit unit = trace::Unit::kNone);
  TraceBuilder& device(std::string_view name, bool simulated = true);  // applies to the last track
  TraceBuilder& sort_order(std::int32_t order);                        // applies to the last track
  TraceBuilder& numbers(std::int64_t pid, std::int64_t tid);           // applies to the last track
  TraceBuilder& on(std::string_view track);                            // continues with an earlier track
  [[nodiscard]] TrackId track_id(std::string_view name) const;         // the last track with this name
  [[nodiscard]] TrackId last_track() const;

  // ---- rows --------------------------------------------------------------------------------------
  TraceBuilder& slice(std::string_view name, Duration begin, Duration duration,
                      trace::SliceKind kind = trace::SliceKind::kZone, OpId op = kNoOp);
  TraceBuilder& open_slice(std::string_view name, Duration begin,
                           trace::SliceKind kind = trace::SliceKind::kZone, OpId op = kNoOp);
  TraceBuilder& bytes(std::int64_t size_bytes);  // applies to the last slice or open slice
  TraceBuilder& flags(std::uint8_t flags);       // applies to the last slice or open slice
  TraceBuilder& depth(
      std::uint32_t depth);  // applies to the last slice or open slice, instead of the depth by nesting
  TraceBuilder& arg(std::string_view key, std::int64_t value);  // applies to the last slice or open slice
  TraceBuilder& arg(std::string_view key, double value);
  TraceBuilder& arg(std::string_view key, std::string_view value);
  TraceBuilder& sample(Duration when, double value);  // applies to the last track, which must be a counter
  TraceBuilder& instant(std::string_view name, Duration when, OpId op = kNoOp);
  TraceBuilder& flow(trace::FlowKind kind, std::string_view from_track, Duration from_time,
                     std::string_view to_track, Duration to_time, OpId op = kNoOp,
                     std::string_view name = {});
  // The two halves of a message between processes (trace::Flow). `track` is the track of this process.
  TraceBuilder& message_out(std::string_view track, Duration when, std::uint64_t id, std::string_view name);
  TraceBuilder& message_in(std::string_view track, Duration when, std::uint64_t id);

  // The four times of an op. A time is nullopt if the op did not reach that point. An op without an end is
  // open.
  struct OpTimes {
    std::optional<Duration> enqueued, ready, started, ended;
  };
  struct OpFacts {
    std::int64_t step = -1;
    std::int64_t output_bytes = 0;
    std::string_view enqueue_track, execute_track;
    std::uint8_t flags = 0;
  };
  TraceBuilder& op(OpId id, std::string_view name, OpTimes times);
  TraceBuilder& op(OpId id, std::string_view name, OpTimes times, OpFacts facts);

  // `op` had to wait for `on`. If the row of `op` was already added, the dependency gets the time of the
  // enqueue of `op`.
  TraceBuilder& depends(OpId op, OpId on,
                        trace::DependencyKind kind = trace::DependencyKind::kReadAfterWrite);

  // A block of memory. It belongs to the last track, which must be a counter of live bytes. If end is
  // nullopt, the block is still allocated.
  struct BlockFacts {
    std::string_view name, category;
    OpId op = kNoOp;
    std::int64_t size_bytes = 0;
  };
  TraceBuilder& allocation(const BlockFacts& block, Duration begin, std::optional<Duration> end);

  TraceBuilder& loss(trace::LossCause cause, std::uint64_t count);
  TraceBuilder& metadata(std::string key, std::string value);
  // Sets the watermark. The default is the latest end of all rows.
  TraceBuilder& watermark(Duration when);

  // ---- done --------------------------------------------------------------------------------------
  [[nodiscard]] trace::Batch batch() const;  // all rows in one batch, without the metadata
  [[nodiscard]] trace::Trace build() const;

 private:
  struct PendingSlice {
    TrackId track = kNoTrack;
    std::optional<std::uint32_t> depth;
    bool open = false;
    trace::Slice slice;
    trace::ArgSet args;
  };

  StringId intern(std::string_view text);
  TrackId add_track(trace::TrackInfo info);
  TraceBuilder& add_arg(std::string_view key, trace::ArgValue value);
  PendingSlice& last_slice();
  void place_slices(trace::Batch& batch) const;
  [[nodiscard]] Timestamp last_end() const;

  std::map<std::string, StringId, std::less<>> ids_;
  std::vector<std::string> strings_;
  std::vector<trace::TrackInfo> tracks_;
  TrackId group_ = kNoTrack, current_ = kNoTrack;
  std::vector<PendingSlice> slices_;
  std::map<TrackId, std::vector<trace::CounterSample>> samples_;
  std::vector<trace::Instant> instants_;
  std::vector<trace::OpRow> ops_, open_ops_;
  std::vector<trace::Flow> flows_;
  std::vector<trace::Dependency> dependencies_;
  std::vector<trace::Allocation> allocations_;
  trace::LossCounts losses_;
  std::map<std::string, std::string> metadata_;
  std::optional<Timestamp> watermark_;
};

}  // namespace runahead::testing
