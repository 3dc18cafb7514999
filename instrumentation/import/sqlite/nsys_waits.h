// NsysWaits: what the synchronising calls of an export waited for. A call, its row in the table of
// synchronisations and the recording of an event have a correlation id in common, which is unique in a
// process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/import/sqlite/launch_calls.h"
#include "instrumentation/import/sqlite/sqlite_database.h"

namespace runahead::importers {
using namespace trace;

struct CallKeyHash {
  std::size_t operator()(const CallKey& call) const {
    return (static_cast<std::uint64_t>(call.process) << 40 ^ static_cast<std::uint64_t>(call.correlation)) *
           0x9e3779b97f4a7c15ull;
  }
};
template <typename Value>
using CallMap = std::unordered_map<CallKey, Value, CallKeyHash>;

// What a call waited for. -1: none, or not known, as in a trace of PyTorch's profiler.
struct NsysWait {
  std::int64_t type = 0;  // 1 event, 2 a stream waits for an event, 3 stream, 4 context
  std::int64_t stream = -1, event = -1;
  std::int64_t recorded_on = -1,
               recorded_by = -1;  // the event's stream, and the correlation id of its recording
  std::int64_t device = -1, context = -1;
};

// An event that a call recorded on a stream.
struct NsysRecording {
  std::int64_t event = -1, stream = -1;
  bool timed = false;  // the time at which the stream reached the event is known
};

// A stream id as a number of PyTorch's profiler: -1 for "no stream" (4294967295).
[[nodiscard]] std::int64_t stream_number(std::int64_t id);
// "Stream Sync" and so on: the names of PyTorch's profiler. They begin with a capital letter.
[[nodiscard]] const char* wait_name(std::int64_t type);

class NsysWaits {
 public:
  // Reads the synchronisations and the recorded events. It keeps their ids, which is about 100 bytes for
  // each.
  explicit NsysWaits(SqliteDatabase& database);

  [[nodiscard]] const NsysWait* of(const CallKey& call) const;  // nullptr: the call has no such row
  // The device of a context. Some versions of Nsight Systems write device 0 into every synchronisation, so
  // this is the device that the context's kernels and copies ran on, if there are any.
  [[nodiscard]] std::optional<std::int64_t> device_of(std::int64_t pid, std::int64_t context) const;
  // The event that a call recorded; nullptr: none.
  [[nodiscard]] const NsysRecording* recorded_by(const CallKey& call) const;
  [[nodiscard]] const CallMap<NsysRecording>& recordings() const { return recordings_; }

 private:
  struct Recorded {
    std::int64_t correlation = 0, stream = 0;
  };
  using EventKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // process, context, event
  void read_contexts(SqliteDatabase& database);
  void read_events(SqliteDatabase& database);
  void read_waits(SqliteDatabase& database);
  void find_recording(std::int64_t pid, std::int64_t correlation, std::optional<std::int64_t> sync_id,
                      NsysWait& wait) const;

  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> devices_;  // by process and context
  std::map<std::pair<std::int64_t, std::int64_t>, Recorded> by_sync_id_;   // by process and sync id
  std::map<EventKey, std::vector<Recorded>> by_event_;                     // sorted by correlation id
  CallMap<NsysRecording> recordings_;
  CallMap<NsysWait> waits_;
};

}  // namespace runahead::importers
