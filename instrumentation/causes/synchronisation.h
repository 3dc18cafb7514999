// Synchronisation: a host call that waited for a device, what it waited for, and its time in parts that add
// up to the call. Found for every trace: recorded if the trace states it, otherwise by this rule: the call
// waited for the latest-ending work that was launched before the call, on a stream that the call covers, and
// that ended by the call's end.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"
#include "instrumentation/causes/execution.h"

namespace runahead::causes {

enum class SyncPart : std::uint8_t {
  kRunning,   // the work that was waited for, or work before it, computed
  kCopying,   // the same, for copies
  kQueued,    // that work was launched and had not begun, and nothing that it waited for ran
  kFinished,  // everything had ended before the call: its whole time is its own cost
  kWakeUp,    // from the end of the work to the return of the call
  kUnknown,   // the trace does not say what the call waited for
};
inline constexpr std::size_t kSyncPartCount = 6;
[[nodiscard]] std::string_view key_of(SyncPart part);  // "running" and so on

struct SyncParts {
  std::array<Duration, kSyncPartCount> times{};

  [[nodiscard]] Duration of(SyncPart part) const { return times[static_cast<std::size_t>(part)]; }
  [[nodiscard]] Duration& of(SyncPart part) { return times[static_cast<std::size_t>(part)]; }
  [[nodiscard]] Duration total() const;
  void add(const SyncParts& other);
};

struct Synchronisation {
  std::size_t call = 0;       // index into Execution::calls()
  WorkIndex awaited = kNone;  // kNone: nothing, or unknown
  Evidence evidence = Evidence::kInferred;
  SyncParts parts{};
  // How long the device of `awaited` was idle around the return of the call, from the end of its last work
  // (or the begin of the call, if that is later) to its next work or the thread's next synchronisation. 0: it
  // was not idle, or had no more work.
  Duration idle_after{};
};

// The parts of a synchronisation as those of a wait of our engine.
[[nodiscard]] analysis::WaitSplit wait_split(const SyncParts& parts);

inline constexpr TimeRange kAllTime{Timestamp::min(), Timestamp::max()};

// All calls that waited within `range`, in the order of Execution::calls(). Of each call, only the part
// within the range counts. A call within such a call is omitted, so the calls of a thread are disjoint. A
// copy is included if it waited for its own copy, an allocation or a free if it waited for the device, a
// launch if it waited for its own work, or for a place in the full queue of launched work. O(log n) for each
// call and stream, plus the work that ran during the calls.
[[nodiscard]] std::vector<Synchronisation> find_synchronisations(const Execution& execution,
                                                                 TimeRange range = kAllTime);

// True if the call launched the work that it waited for: a launch or a copy that does not return earlier.
[[nodiscard]] bool waited_for_own_work(const Execution& execution, const Synchronisation& sync);

// All synchronisations of a trace, to be found by their call.
class Synchronisations {
 public:
  explicit Synchronisations(const trace::Trace& trace);  // must outlive this

  // A trace of several ranks has a graph for each of them; other traces have one.
  struct Part {
    Execution execution;
    std::vector<Synchronisation> all;
    TrackId group = kNoTrack;  // of the rank; kNoTrack: the whole trace
  };
  [[nodiscard]] std::span<const Part> parts() const { return parts_; }
  // The part with this host thread or stream; null: no part has the track.
  [[nodiscard]] const Part* part_of(TrackId track) const;

  // The synchronisation whose call is this slice of `thread`; both null: there is none.
  struct Found {
    const Execution* execution = nullptr;
    const Synchronisation* synchronisation = nullptr;
  };
  [[nodiscard]] Found find(TrackId thread, const trace::Slice& slice) const;

 private:
  std::vector<Part> parts_;
};

// Synchronisations with the same call, made at the same place.
struct SyncGroup {
  std::string call, place;
  // False: the program asked for something else, such as a value (item), a copy or an allocation.
  bool is_explicit = true;
  std::uint64_t count = 0;
  std::uint64_t recorded = 0, inferred = 0;  // calls whose awaited work was recorded, inferred
  SyncParts parts;
  Duration idle_after{};
  std::string awaited, stream;  // name and stream of the work for which the group waited longest
  std::size_t worst = 0;        // index of the longest synchronisation
};
// Longest time first.
[[nodiscard]] std::vector<SyncGroup> group_by_place(const Execution& execution,
                                                    const std::vector<Synchronisation>& all);

}  // namespace runahead::causes
