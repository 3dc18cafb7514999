// NsysTracks: the tracks of an export of Nsight Systems. They are named and grouped as in a trace of
// PyTorch's profiler: a group for each process with its threads and counters, and a group for each device
// with its streams. A track is made when its first row comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "instrumentation/import/sqlite/nsys_names.h"
#include "instrumentation/trace/rows/track.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// A stream of a process. The number of a stream is unique only in its context.
struct NsysStream {
  std::int64_t device = 0, pid = 0, context = 0, stream = 0;
  friend bool operator==(const NsysStream&, const NsysStream&) = default;
};

class NsysTracks {
 public:
  NsysTracks(Trace& trace, const NsysNames& names)
      : trace_(trace), names_(names) {}  // both must outlive this

  [[nodiscard]] TrackId thread(std::int64_t global_tid);
  [[nodiscard]] TrackId stream(const NsysStream& stream);
  // The track of the ranges of a process that may begin and end on different threads.
  [[nodiscard]] TrackId ranges(std::int64_t pid);
  // The counter of memory of one kind that a process allocates on a device.
  [[nodiscard]] TrackId memory(std::int64_t pid, std::int64_t device, std::int64_t kind);

  // If several streams of a device have the same number, gives them different names. Call it at the end.
  void tell_streams_apart();

 private:
  enum class Of : std::int64_t { kProcess, kDevice, kThread, kStream, kRanges, kMemory };
  using Key = std::tuple<Of, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct NamedStream {
    TrackInfo info;
    NsysStream stream;
  };

  // Returns the track with this key. If there is none yet, makes one: `describe` fills its fields except the
  // id.
  template <typename Describe>
  TrackId track(const Key& key, const Describe& describe);
  [[nodiscard]] TrackId process(std::int64_t pid);
  [[nodiscard]] TrackId device(std::int64_t device);

  Trace& trace_;
  const NsysNames& names_;
  std::unordered_map<Key, TrackId, KeyHash> tracks_;
  std::vector<NamedStream> streams_;
  std::uint32_t next_ = 0;
};

}  // namespace runahead::importers
