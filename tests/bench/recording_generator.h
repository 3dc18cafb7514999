// Generates recordings of any size, to measure how fast large recordings open. Recordings of slices go
// through the recorder, its buffers, the collector and the file, as in any program. A RecordingWriter writes
// recordings of samples, of instants and of launches directly, without a recorder.
#pragma once

#include <cstdint>
#include <filesystem>

#include "instrumentation/base/result.h"
#include "tests/bench/launch_trace.h"

namespace runahead::bench {

struct GeneratedRecording {
  std::uint64_t slices = 10'000'000;
  int tracks = 1;  // each track has its own thread
};
struct Generated {
  std::uint64_t slices = 0, lost = 0, bytes = 0;
  // `seconds` is the total time. It includes `ending_seconds`, the time to finish the file.
  double seconds = 0, ending_seconds = 0;
};

// The threads take turns. In its turn, a thread records a thousand nested zones of many names. The threads
// wait while the collector is behind, so that no event is lost.
[[nodiscard]] Result<Generated> generate_recording(const GeneratedRecording& wanted,
                                                   const std::filesystem::path& path);

// What generate_samples() writes, with a RecordingWriter: samples of some counters, with one track per
// counter, and instants with twelve names, all on one track.
struct GeneratedSamples {
  std::uint64_t samples = 0, instants = 0;
  int counters = 20;
  // > 0: the latest instant is written first. The other instants have earlier times but are written later, in
  // this number of runs (see recording_generator.cpp).
  std::uint64_t late_runs = 0;
};
[[nodiscard]] Result<Generated> generate_samples(const GeneratedSamples& wanted,
                                                 const std::filesystem::path& path);

// Writes a recording of launches (launch_trace.h) with a RecordingWriter.
[[nodiscard]] Result<Generated> generate_launches(const LaunchTrace& wanted,
                                                  const std::filesystem::path& path);

}  // namespace runahead::bench
