// Recordings of any number of slices, through the recorder, its buffers, the collector and the file as in any
// program, or of samples and instants: what opening large ones is measured with.
#pragma once

#include <cstdint>
#include <filesystem>

#include "instrumentation/base/result.h"

namespace runahead::bench {

struct GeneratedRecording {
  std::uint64_t slices = 10'000'000;
  int tracks = 1;  // a thread each
};
struct Generated {
  std::uint64_t slices = 0, lost = 0, bytes = 0;
  double seconds = 0, ending_seconds = 0;  // in all; of it for what is done once there are no more rows
};

// Threads take turns, a thousand nested zones of many names at a time, and wait while the collector is
// behind, so that nothing is lost.
[[nodiscard]] Result<Generated> generate_recording(const GeneratedRecording& wanted,
                                                   const std::filesystem::path& path);

// Samples of some counters, a track each, and instants of twelve names on one track, by a RecordingWriter.
struct GeneratedSamples {
  std::uint64_t samples = 0, instants = 0;
  int counters = 20;
  std::uint64_t late_runs = 0;  // more than 0: all instants but one are late, in so many runs
};
[[nodiscard]] Result<Generated> generate_samples(const GeneratedSamples& wanted,
                                                 const std::filesystem::path& path);

}  // namespace runahead::bench
