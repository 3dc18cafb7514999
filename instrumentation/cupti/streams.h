// Streams: the track of each stream of each device, and the end times of the latest work on each stream.
// Synchronisations that wait for this work need these times. Single-threaded.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "instrumentation/record/hooks/row_source.h"

namespace runahead::cupti {

struct StreamKey {
  std::uint32_t context = 0, stream = 0;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};

// "cuda:0": the group and the device name of all tracks of this device.
[[nodiscard]] std::string device_name(std::uint32_t device);

class Streams {
 public:
  struct Finished {
    const record::TrackDesc* track = nullptr;
    std::int64_t end_ns = 0;
    std::uint32_t correlation = 0;
  };

  void context(std::uint32_t context, std::uint32_t device, std::uint32_t null_stream);
  // name() and simulated() apply to tracks that are made later. A stream's track is made at its first work.
  void name(std::uint32_t device, std::uint32_t stream, std::string name) {
    names_[{device, stream}] = std::move(name);
  }
  void simulated(std::uint32_t device) { simulated_.insert(device); }

  [[nodiscard]] const record::TrackDesc& track(std::uint32_t device, StreamKey key);
  void finished(StreamKey key, std::int64_t end_ns, std::uint32_t correlation);
  // Returns the work that ended last within [begin_ns, end_ns]. The first function searches one stream. The
  // second function searches all streams of a context.
  [[nodiscard]] std::optional<Finished> last_within(StreamKey key, std::int64_t begin_ns,
                                                    std::int64_t end_ns) const;
  [[nodiscard]] std::optional<Finished> last_within(std::uint32_t context, std::int64_t begin_ns,
                                                    std::int64_t end_ns) const;
  // Null: nothing ran on the stream, and the device of its context is not known.
  [[nodiscard]] const record::TrackDesc* track_if_known(StreamKey key);

 private:
  static constexpr std::size_t kRemembered = 256;
  struct Stream {
    const record::TrackDesc* track = nullptr;
    std::array<Finished, kRemembered> latest;  // a ring buffer
    std::uint64_t count = 0;
  };
  [[nodiscard]] static std::optional<Finished> last_of(const Stream& stream, std::int64_t begin_ns,
                                                       std::int64_t end_ns);
  [[nodiscard]] std::string name_of(std::uint32_t device, StreamKey key);

  std::map<StreamKey, Stream> streams_;
  std::unordered_map<std::uint32_t, std::uint32_t> null_streams_;         // key: context
  std::unordered_map<std::uint32_t, std::uint32_t> devices_;              // key: context
  std::unordered_map<std::uint32_t, std::uint32_t> first_contexts_;       // key: device
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> names_;  // key: device and stream
  std::set<std::uint32_t> simulated_;                                     // device numbers
};

}  // namespace runahead::cupti
