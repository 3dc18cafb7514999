// ExecutionBuilder: builds an Execution from a trace, in these steps: finds streams and threads, reads the
// work of devices, joins it to the calls that launched it, reads the host calls and what the trace states
// about them, and finds the edges between streams.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrumentation/causes/execution.h"

namespace runahead::causes {

class ExecutionBuilder {
 public:
  ExecutionBuilder(Execution& out, TrackId group) : out_(out), trace_(*out.trace_), group_(group) {}
  void run();

 private:
  // The ids of the strings that are keys of arguments. nullopt: no argument of the trace has the key.
  struct Keys {
    std::optional<StringId> correlation, stream, wait_on_stream, record_call;
  };
  // A record of a synchronisation on the track of a stream, as PyTorch's profiler writes it (cuda_sync).
  using Records = std::unordered_map<std::int64_t, SyncRecord>;  // by correlation id

  void find_keys();
  void find_tracks();
  [[nodiscard]] bool counts(const trace::Track& track) const;  // below group_
  [[nodiscard]] DeviceIndex device(const trace::TrackInfo& track);
  void read_works();
  void add_works(StreamIndex stream);
  void add_record(const trace::Slice& slice, DeviceIndex device);
  void join_launches();
  void find_ops();
  void find_released_waits();
  void sort_launches();
  void read_calls();
  void add_call(const trace::Track& track, std::uint32_t depth, const trace::Slice& slice, bool open);
  [[nodiscard]] bool contains_full_queue(const trace::Track& track, std::uint32_t depth,
                                         const trace::Slice& call) const;
  void add_open_calls();
  void find_busy_times();
  void find_stream_edges();
  // records: the calls of the thread before `wait` that recorded an event
  using RecordedEvents = std::span<const HostCall* const>;
  void find_recorded_edge(const HostCall& wait, RecordedEvents records);
  void find_inferred_edge(const HostCall& wait, RecordedEvents records);
  [[nodiscard]] WorkIndex first_after_wait(const HostCall& wait, StreamIndex stream) const;
  [[nodiscard]] WorkIndex inferred_by_events(WorkIndex after, RecordedEvents records) const;
  [[nodiscard]] bool may_share_process(WorkIndex a, WorkIndex b) const;
  [[nodiscard]] std::optional<SyncRecord> record_of(const trace::Slice& slice, const HostCall& call) const;
  void find_op_edges();
  void find_default_stream_edges();
  void find_edges_between_threads();
  void add_stream_edge(const StreamEdge& edge);
  [[nodiscard]] std::optional<std::int64_t> integer(ArgsId args, std::optional<StringId> key) const;
  [[nodiscard]] CallRole role_of(StringId name);

  Execution& out_;
  const trace::Trace& trace_;
  const TrackId group_;
  Keys keys_;
  Records records_;
  bool one_process_ = true;                            // all host threads are of one process
  std::unordered_map<std::uint32_t, CallRole> roles_;  // by string id
};

}  // namespace runahead::causes
