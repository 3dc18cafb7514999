// ProfilerTracks: the tracks of a database of a GPU profiler. They are named and grouped as in a trace of
// PyTorch's profiler: a group for each process with its threads and counters, and a group for each device
// with its streams and counters. A track is made when its first row comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "instrumentation/trace/rows/track.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// A stream of a process. The number of a stream is unique only in its context.
struct DeviceStream {
  std::int64_t device = 0, process = 0, context = 0, stream = 0;
  friend bool operator==(const DeviceStream&, const DeviceStream&) = default;
};

// A kind of memory, as CUPTI and Nsight Systems number it. Its counter shows the live bytes of a device.
inline constexpr std::int64_t kDeviceMemory = 2;

// The names of what has tracks. Processes and devices have keys, which are their numbers unless a class says
// otherwise.
class TrackNames {
 public:
  virtual ~TrackNames() = default;
  [[nodiscard]] virtual std::int64_t pid(std::int64_t process) const { return process; }
  [[nodiscard]] virtual std::string process(std::int64_t process) const = 0;  // "python3 (111)"
  [[nodiscard]] virtual std::string thread(std::int64_t process,
                                           std::int64_t tid) const = 0;        // "thread 7 (main)"
  [[nodiscard]] virtual std::string device(std::int64_t device) const = 0;     // "gpu 0 (NVIDIA H100)"
  [[nodiscard]] virtual std::string short_device(std::int64_t device) const;   // "gpu 0"
  [[nodiscard]] virtual std::string stream(const DeviceStream& stream) const;  // "stream 7"
  [[nodiscard]] virtual std::string memory_kind(std::int64_t kind) const = 0;  // "Pinned"
};

class ProfilerTracks {
 public:
  ProfilerTracks(Trace& trace, const TrackNames& names)
      : trace_(trace), names_(names) {}  // both must outlive this

  [[nodiscard]] TrackId thread(std::int64_t process, std::int64_t tid);
  [[nodiscard]] TrackId stream(const DeviceStream& stream);
  // The track of the ranges of a process that may begin and end on different threads.
  [[nodiscard]] TrackId ranges(std::int64_t process);
  // The counter of memory of one kind that a process allocates on a device.
  [[nodiscard]] TrackId memory(std::int64_t process, std::int64_t device, std::int64_t kind);
  // A counter of a device. `id` tells the counters of a device apart.
  [[nodiscard]] TrackId counter(std::int64_t device, std::int64_t id, std::string_view name);

  // If several streams of a device have the same number, gives them different names. Call it at the end.
  void tell_streams_apart();

 private:
  enum class Of : std::int64_t { kProcess, kDevice, kThread, kStream, kRanges, kMemory, kCounter };
  using Key = std::tuple<Of, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct NamedStream {
    TrackInfo info;
    DeviceStream stream;
  };

  // Returns the track with this key. If there is none yet, makes one: `describe` fills its fields except the
  // id.
  template <typename Describe>
  TrackId track(const Key& key, const Describe& describe);
  [[nodiscard]] TrackId process(std::int64_t process);
  [[nodiscard]] TrackId device(std::int64_t device);

  Trace& trace_;
  const TrackNames& names_;
  std::unordered_map<Key, TrackId, KeyHash> tracks_;
  std::vector<NamedStream> streams_;
  std::uint32_t next_ = 0;
};

}  // namespace runahead::importers
