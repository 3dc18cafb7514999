// Execution: the graph of what happened in a trace. Its nodes are the work of devices (kernels, copies, ops
// of a worker), the host calls that launch this work or wait for it, and the host time between the calls. Its
// edges say what had to happen before what:
//   program order   on a thread
//   launch          from the call to its work (a flow, or equal correlation ids)
//   stream order    from one piece of work to the next on the same stream
//   stream wait     from the last work before an event to the first work after a wait for this event
//   completion      from work to the return of the call that waited for it
//   threads         from a thread that started the work of another thread, or whose result another one used
// An edge was recorded (the trace states it) or is inferred (a rule of this file gives it). The rules are
// those of CUDA's documentation (streams, events, the legacy default stream) and of tests with traces that
// record their synchronisations (docs/causes.md).
//
// An Execution is built once from a snapshot and never changes. Any thread may read it. Building takes
// O(n log n) for n slices and about 70 bytes for each piece of device work; host slices are not stored.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrumentation/analysis/busy_time.h"
#include "instrumentation/causes/call_role.h"
#include "instrumentation/trace/trace.h"

namespace runahead::causes {

enum class Evidence : std::uint8_t { kRecorded, kInferred };

// Indices into the vectors of an Execution.
using WorkIndex = std::uint32_t;
using StreamIndex = std::uint32_t;
using DeviceIndex = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// A kernel, copy or memset on a stream, or an op on a worker.
struct Work {
  Timestamp begin{}, end{};
  // When the host launched it: the begin of the call, or the time at which the op was enqueued. kNever: the
  // trace does not have the call, for example because the trace begins later.
  Timestamp launched = trace::kNever;
  TrackId launched_by = kNoTrack;
  StreamIndex stream = 0;
  StringId name{};
  trace::SliceKind kind = trace::SliceKind::kExecute;
  OpId op = kNoOp;
  std::int64_t correlation = 0;  // 0: not stated
  std::int64_t size_bytes = 0;   // of a copy

  [[nodiscard]] bool is_launched() const { return launched != trace::kNever; }
  // False only if the work was certainly launched at or after `t`.
  [[nodiscard]] bool launched_before(Timestamp t) const { return !is_launched() || launched < t; }
};

struct Stream {
  TrackId track = kNoTrack;
  DeviceIndex device = 0;
  std::int64_t number = 0;  // as the trace states it, such as CUDA's 7; the track's tid
  std::int64_t pid = 0;     // the process that launches its work; 0: not stated
  // its work is works()[first, last), in the order of ending
  WorkIndex first = 0, last = 0;
};

struct Device {
  std::string name;  // "gpu 0", "virtual:0", "cpu"
  bool simulated = false;
  std::vector<StreamIndex> streams{};
  analysis::Ranges busy{};  // busy_times() of its streams
};

// What the trace states about a synchronisation; -1: not stated.
struct SyncRecord {
  std::int64_t stream = -1;        // the stream that is waited for, or that waits
  std::int64_t event_stream = -1;  // the stream on which the event was recorded
  std::int64_t record_call = -1;   // the correlation id of the call that recorded the event
  DeviceIndex device = kNone;      // the device of `stream`; kNone: not stated
};

// A launch takes a few microseconds. One that takes longer than this may have waited for a place in the
// queue.
inline constexpr Duration kSlowLaunch = std::chrono::microseconds(100);

// A host call that copies, allocates, frees, records an event, waits, or launches slowly (kSlowLaunch). Other
// launches are not stored: Work has their times.
struct HostCall {
  Timestamp begin{}, end{};
  TrackId thread = kNoTrack;
  std::uint32_t depth = 0;
  StringId name{};
  CallRole role = CallRole::kOther;
  bool open = false;        // had not returned at the end of the trace
  bool queue_full = false;  // a launch: the trace states that the queue of launched work was full
  std::int64_t correlation = 0;
  OpId op = kNoOp;  // the op that a wait of our engine waited for
  std::optional<SyncRecord> record{};

  [[nodiscard]] TimeRange range() const { return {begin, end}; }
};

// `before` ended, therefore `after` could begin, although they are on different streams.
struct StreamEdge {
  enum class Kind : std::uint8_t {
    kStreamWait,     // the stream of `after` waited for an event
    kDefaultStream,  // one of the two is on the legacy default stream
    kOp,             // an op of our engine became ready
  };
  WorkIndex before = kNone, after = kNone;
  Evidence evidence = Evidence::kInferred;
  Kind kind = Kind::kStreamWait;
};

// `from` reached from_time, therefore `to` could go on at to_time. kFlow, kSequence: what `to` did uses
// something that `from` did. kFork: `from` started the work of `to`; the times are equal, and `to` worked
// until `until`. kJoin: `from` stopped, and `to`, which had waited for it, went on. thread_edges.h has the
// rules.
struct ThreadEdge {
  enum class Kind : std::uint8_t { kFlow, kSequence, kFork, kJoin };
  TrackId from = kNoTrack, to = kNoTrack;
  Timestamp from_time{}, to_time{};
  Timestamp until{};
  Evidence evidence = Evidence::kInferred;
  Kind kind = Kind::kFlow;
};

// The number of edges of the graph, by evidence.
struct EdgeCounts {
  std::uint64_t recorded = 0, inferred = 0;
  void add(Evidence evidence) { ++(evidence == Evidence::kRecorded ? recorded : inferred); }
};

class Execution {
 public:
  // `group`: only the tracks below this one count, as in a trace of several ranks (ranks_of()); kNoTrack:
  // all. The trace must outlive this.
  explicit Execution(const trace::Trace& trace, TrackId group = kNoTrack);

  [[nodiscard]] const trace::Trace& trace() const { return *trace_; }
  [[nodiscard]] std::span<const Work> works() const { return works_; }
  [[nodiscard]] std::span<const Stream> streams() const { return streams_; }
  [[nodiscard]] std::span<const Device> devices() const { return devices_; }
  // The work of a stream, in the order of ending.
  [[nodiscard]] std::span<const Work> works_of(StreamIndex stream) const {
    return works().subspan(streams_[stream].first, streams_[stream].last - streams_[stream].first);
  }
  // When at least one of the streams worked. O(n log n).
  [[nodiscard]] analysis::Ranges busy_times(std::span<const StreamIndex> streams) const;
  // Sorted by thread, then by begin.
  [[nodiscard]] std::span<const HostCall> calls() const { return calls_; }
  [[nodiscard]] std::span<const TrackId> threads() const { return threads_; }  // host threads
  [[nodiscard]] EdgeCounts edges() const { return edges_; }                    // without completion edges

  [[nodiscard]] const Device& device_of(const Work& work) const {
    return devices_[streams_[work.stream].device];
  }
  // The slice of the work; nullopt: it was evicted. O(lanes * log n).
  [[nodiscard]] std::optional<trace::Slice> slice_of(const Work& work) const;
  // The work of an op of our engine; if it has several pieces, the one that ended last. kNone: not in the
  // trace.
  [[nodiscard]] WorkIndex work_of_op(OpId op) const;
  // The stream with this number (as in a record of a synchronisation) of the process of `call`. If several
  // devices have it, and `only` does not say which: the one to which the thread launched last before the
  // call, otherwise the one whose work was launched last before the call. kNone: not in the trace.
  [[nodiscard]] StreamIndex find_stream(std::int64_t number, const HostCall& call,
                                        DeviceIndex only = kNone) const;
  // The call of the process of `call` that recorded an event, by its correlation id; null: not in the trace.
  [[nodiscard]] const HostCall* record_call(std::int64_t correlation, const HostCall& call) const;
  // The work of the stream after which the call `record` recorded an event: the last that was launched before
  // the call; kNone. Usually the same thread launched it right before.
  [[nodiscard]] WorkIndex last_before_event(const HostCall& record, StreamIndex stream) const;
  // The process of a host thread; 0: unknown.
  [[nodiscard]] std::int64_t pid_of(TrackId thread) const { return trace_->track(thread).info.pid; }

  // The work that was launched during [range.begin, range.end) by `thread`, in the order of launching.
  [[nodiscard]] std::span<const WorkIndex> launched_during(TrackId thread, TimeRange range) const;
  // The last work that `thread` launched before `t`, and the first that it launched at or after `t`; kNone.
  [[nodiscard]] WorkIndex last_launched_before(TrackId thread, Timestamp t) const;
  [[nodiscard]] WorkIndex first_launched_from(TrackId thread, Timestamp t) const;

  // The work of a stream that was launched last before `t`, and the first that was launched at or after `t`;
  // kNone. O(log n). A stream executes its work in the order in which it was launched, so work whose launch
  // is unknown was launched after the known launch before it.
  [[nodiscard]] WorkIndex last_on_stream_launched_before(StreamIndex stream, Timestamp t) const;
  [[nodiscard]] WorkIndex first_on_stream_launched_from(StreamIndex stream, Timestamp t) const;
  // The work of a stream that ended last, of the work that was launched before `launched_before` and ended at
  // or before `ended_by`; kNone. O(log n).
  [[nodiscard]] WorkIndex last_ended(StreamIndex stream, Timestamp launched_before, Timestamp ended_by) const;
  // The last work of a stream that was launched before `t`, and the last one that ended at or before `t`;
  // kNone. `near` is a guess, such as the result for a time near `t`, and gets the index after the result.
  // O(log of the distance): for a caller who asks all streams again and again.
  [[nodiscard]] WorkIndex last_launched_before(StreamIndex stream, Timestamp t, WorkIndex& near) const;
  [[nodiscard]] WorkIndex last_ended_by(StreamIndex stream, Timestamp t, WorkIndex& near) const;
  // How many launches of the stream were before `t`, whose work had not ended at `t`; at most `most`.
  // Launches that are not in the trace count only at the beginning of the trace. O(most + log n).
  [[nodiscard]] std::size_t pending_at(StreamIndex stream, Timestamp t, std::size_t most) const;
  // True if the trace has the launch of any work of the stream.
  [[nodiscard]] bool knows_launches(StreamIndex stream) const;
  // The work before it on its stream (in the order of ending); kNone.
  [[nodiscard]] WorkIndex before_on_stream(WorkIndex work) const;
  // The stream edges that end at `work`.
  [[nodiscard]] std::span<const StreamEdge> stream_edges_to(WorkIndex work) const;
  [[nodiscard]] std::span<const StreamEdge> stream_edges() const { return stream_edges_; }

  // The edges between threads that enter `thread` within `range`, by time.
  [[nodiscard]] std::span<const ThreadEdge> thread_edges_to(TrackId thread, TimeRange range) const;
  [[nodiscard]] std::span<const ThreadEdge> thread_edges() const { return thread_edges_; }
  // The thread that starts the work of `thread`, such as the one that called backward(). kNoTrack: `thread`
  // is the main thread of its process, or its process is not known.
  [[nodiscard]] TrackId parent_of(TrackId thread) const;

  // The work that had to end before `work` could begin: of the work before it on its stream and the work at
  // the other ends of its stream edges, the one that ended last. kNone: there is none.
  struct Predecessor {
    WorkIndex work = kNone;
    Evidence evidence = Evidence::kRecorded;
  };
  [[nodiscard]] Predecessor predecessor(WorkIndex work) const;

 private:
  friend class ExecutionBuilder;
  const trace::Trace* trace_;
  std::vector<Device> devices_;
  std::vector<Stream> streams_;
  std::vector<TrackId> threads_;
  std::vector<Work> works_;           // by stream, then by end
  std::vector<WorkIndex> by_launch_;  // launched work, by thread, then by time of launch
  std::vector<std::pair<OpId, WorkIndex>> by_op_;
  std::vector<HostCall> calls_;
  struct RecordCall {
    std::int64_t pid = 0, correlation = 0;
    std::uint32_t call = 0;  // index into calls_
    friend auto operator<=>(const RecordCall&, const RecordCall&) = default;
  };
  std::vector<RecordCall> record_calls_;  // sorted
  // For each work: the latest known launch of the work of its stream up to this one; Timestamp::min(): none.
  std::vector<Timestamp> latest_launch_;
  std::vector<StreamEdge> stream_edges_;              // by `after`
  std::vector<ThreadEdge> thread_edges_;              // by `to`, then by to_time
  std::vector<std::pair<TrackId, TrackId>> parents_;  // of threads; sorted
  EdgeCounts edges_;
};

}  // namespace runahead::causes
