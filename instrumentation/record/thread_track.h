// ThreadTrack: makes nested slices from the begin and end events of one thread; a stack of open scopes gives
// the depth. It also places slices that arrive complete (enqueues). It closes scopes whose end is missing,
// because events were lost (a gap) or recording stopped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "instrumentation/record/batch_builder.h"
#include "instrumentation/record/deferred_event.h"
#include "instrumentation/record/hooks/thread_buffer.h"

namespace runahead::record {

// group_of(): the group in which threads of this kind are shown. shown_name(): the thread's name in this
// group.
[[nodiscard]] std::string group_of(trace::TrackKind kind);
[[nodiscard]] std::string shown_name(const ThreadFacts& facts);

enum class ScopeKind : std::uint8_t {
  kZone,
  kWait,
  kOp,    // an op that runs on this thread
  kLost,  // a scope whose begin was lost: it takes a depth but makes no slice
};

class ThreadTrack {
 public:
  ThreadTrack(BatchBuilder& batch, std::vector<DeferredEvent>& deferred_events)
      : batch_(batch), deferred_(deferred_events) {}

  struct Begin {
    ScopeKind kind = ScopeKind::kZone;
    Timestamp at{};
    const Site* site = nullptr;
    OpId op = kNoOp;
    std::int64_t size_bytes = 0;

    [[nodiscard]] bool is(ScopeKind a_kind, OpId an_op) const {
      return kind == a_kind && (kind != ScopeKind::kOp || op == an_op);
    }
  };
  void begin(const Begin& scope) { stack_.push_back(scope); }
  // Ends the innermost scope of `kind` (for kOp: the scope of op `op`). Scopes open inside it end as
  // unfinished. If there is no such scope, returns false and counts an end without a begin.
  bool end(ScopeKind kind, Timestamp at, OpId op, std::uint8_t flags) {
    if (stack_.empty() || !stack_.back().is(kind, op)) return end_outer(kind, at, op, flags);
    const Begin scope = stack_.back();
    stack_.pop_back();
    close(scope, at, flags);
    return true;
  }
  // Places a slice that arrives complete. The slice goes to the current depth. If the slice encloses slices
  // that arrived earlier, it goes to the next free depth below them.
  void whole(const trace::Slice& slice) { place(stack_.size(), slice); }
  // Records were lost at `at`. The lost records would have ended `closed` scopes and then begun `opened`
  // scopes.
  void gap(Timestamp at, std::uint64_t closed, std::uint64_t opened);
  // Closes all open scopes as unfinished, because their ends will not be seen.
  void close_all(Timestamp at);

  void open_slices(Timestamp watermark, std::vector<trace::OpenSlice>& out);
  [[nodiscard]] TrackId id() const { return info_.id; }
  // True if a scope that began at or before `t` is open.
  [[nodiscard]] bool open_since(Timestamp t) const { return !stack_.empty() && stack_.front().at <= t; }
  [[nodiscard]] bool idle_since(Timestamp t) const { return stack_.empty() && latest_end_ <= t; }

 private:
  friend class ThreadTracks;
  bool end_outer(ScopeKind kind, Timestamp at, OpId op, std::uint8_t flags);
  void close(const Begin& scope, Timestamp at, std::uint8_t flags) {
    if (at < scope.at) [[unlikely]] {
      batch_.lose(trace::LossCause::kClockWentBack);
      at = scope.at;
    }
    const auto kind = scope.site == nullptr ? trace::SliceKind::kZone : scope.site->kind;
    const trace::Slice slice{scope.at, at,       batch_.name_of(scope.site), kind,
                             flags,    scope.op, scope.size_bytes,           batch_.args_of(scope.site)};
    if (!place(stack_.size(), slice)) batch_.lose(trace::LossCause::kLateRow);
  }
  void close_unfinished(Timestamp at);
  // Places the slice at `depth`, or on the next free lane below.
  bool place(std::size_t depth, const trace::Slice& slice) {
    if (depth >= lanes_.size() || lanes_[depth].last_end > slice.begin) return place_below(depth, slice);
    batch_.add(lanes_[depth], slice);
    latest_end_ = std::max(latest_end_, slice.end);
    return true;
  }
  bool place_below(std::size_t depth, const trace::Slice& slice);

  BatchBuilder& batch_;
  std::vector<DeferredEvent>& deferred_;
  trace::TrackInfo info_;
  std::vector<Begin> stack_;
  std::vector<LaneWriter> lanes_;
  Timestamp latest_end_ = timestamp_from_ns(INT64_MIN);
};

// Decides which thread draws on which track. A living thread does not share its track. When a thread has
// ended, a later thread of the same kind and name continues its track. Once there are kOwnTracks tracks of
// unnamed threads, an unnamed thread that has ended passes its track to the next unnamed thread. Otherwise
// thousands of short-lived threads would make thousands of tracks.
class ThreadTracks {
 public:
  static constexpr std::size_t kOwnTracks = 64;

  ThreadTracks(BatchBuilder& batch, std::vector<DeferredEvent>& deferred_events)
      : batch_(batch), deferred_(deferred_events) {}
  // Returns a track for a thread whose first event is at `first`.
  [[nodiscard]] std::unique_ptr<ThreadTrack> acquire(const ThreadFacts& facts, Timestamp first);
  void rename(ThreadTrack& track, const ThreadFacts& facts);
  // Takes back the track of a thread that has ended or changed its kind. REQUIRES: no scope is open on the
  // track.
  void release(std::unique_ptr<ThreadTrack> track, const ThreadFacts& facts);

 private:
  [[nodiscard]] std::unique_ptr<ThreadTrack> reuse(const ThreadFacts& facts, Timestamp first);

  BatchBuilder& batch_;
  std::vector<DeferredEvent>& deferred_;
  std::unordered_map<std::string, std::vector<std::unique_ptr<ThreadTrack>>> idle_;  // key: kind and name
  std::size_t unnamed_ = 0;
};

}  // namespace runahead::record
