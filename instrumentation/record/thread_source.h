// ThreadSource: the collector's state of one thread: its buffer and its track. It decodes events into slices
// of the thread, slices of other tracks, and deferred events.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "instrumentation/record/async_track.h"
#include "instrumentation/record/batch_builder.h"
#include "instrumentation/record/clock_sync.h"
#include "instrumentation/record/deferred_event.h"
#include "instrumentation/record/hooks/thread_buffer.h"
#include "instrumentation/record/memory_tracker.h"
#include "instrumentation/record/thread_track.h"

namespace runahead::record {

// State shared by all sources of one collector.
struct DecodeContext {
  BatchBuilder& batch;
  ThreadTracks& thread_tracks;
  std::unordered_map<const TrackDesc*, AsyncTrack>& async_tracks;
  std::vector<DeferredEvent>& deferred_events;
  MemoryTracker& memory;
  SessionClock clock;
  // The time at which recording stopped before the latest session began. A block that was live at this time
  // may have been freed while recording was off. The recorder cannot know this.
  Timestamp memory_since{};
  Timestamp stopped_at{};  // the latest stop; kSession closes earlier scopes at this time

  [[nodiscard]] AsyncTrack& async_track(const TrackDesc& desc);
};

class ThreadSource {
 public:
  explicit ThreadSource(std::shared_ptr<ThreadBuffer> buffer) : buffer_(std::move(buffer)) {}

  // Takes the events that the thread has published. Returns the number of slots taken: one or two for each
  // event.
  std::uint64_t drain(DecodeContext& context);
  // Returns the number of events that were lost since the last call. Also ends the blocks whose free events
  // were lost.
  [[nodiscard]] std::uint64_t take_lost(DecodeContext& context);
  // True if the thread had ended before the last drain(), so that no more events can come.
  [[nodiscard]] bool finished() const { return finished_; }
  // Closes the scopes that the thread left open, and returns the thread's track to ThreadTracks.
  void retire(DecodeContext& context);

  [[nodiscard]] const std::shared_ptr<ThreadBuffer>& buffer() const { return buffer_; }
  [[nodiscard]] const ThreadFacts& facts() const { return facts_; }  // as of the last drain
  [[nodiscard]] ThreadTrack* track() { return track_.get(); }        // null before the first event

 private:
  void take(DecodeContext& context, std::span<const Event> events);
  void take_single(DecodeContext& context, const Event& event);
  void take_deferred(DecodeContext& context, const Event& event, Timestamp at);
  [[nodiscard]] static bool join_start(DecodeContext& context, const DeferredEvent& end);
  void take_pair(DecodeContext& context, const Event& event, const Event& rest);
  void take_enqueued(DecodeContext& context, const Event& event, const Event& rest);
  void take_depends(DecodeContext& context, const Event& event);
  void take_ran(DecodeContext& context, const Event& event, const Event& rest);
  void take_memory(DecodeContext& context, const Event& event, const Event& rest);
  void refresh_facts(DecodeContext& context, Timestamp first);

  std::shared_ptr<ThreadBuffer> buffer_;
  std::unique_ptr<ThreadTrack> track_;
  ThreadFacts facts_;
  std::uint64_t facts_version_ = 0;
  std::uint64_t lost_taken_ = 0;
  std::vector<std::uint64_t> blocks_of_next_op_;  // blocks allocated for the op that is enqueued next
  struct {                                        // cache: memory kind of the previous event, and its ids
    const MemoryKind* kind = nullptr;
    TrackId counter{};
    StringId category{};
  } last_memory_;
  struct {  // the last drop that was recorded; its free is the next record of this thread
    std::uint64_t block = 0;
    Timestamp at = trace::kNever;
  } dropped_;
  Timestamp latest_{};
  bool finished_ = false;
};

}  // namespace runahead::record
