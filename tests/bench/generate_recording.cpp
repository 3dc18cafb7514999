// generate_recording OUT [--slices N] [--tracks N]
//   A recording of N slices (default 10M) on N tracks (default 1), recorded as in any program.
// generate_recording OUT [--samples N] [--counters N] [--instants N] [--late-runs N]
//   A recording of N samples of N counters (default 20) and of N instants, without slices. With --late-runs
//   the recording has only instants. The instant with the latest time is written first. The others follow in
//   N runs (a run is a sequence sorted by time). Each run is late: the file already has an instant with a
//   later time.
// generate_recording OUT --launches N [--streams N]
//   A recording like one of PyTorch's profiler: N operators that launch kernels on N streams (default 2). It
//   has three slices for each launch.
// Numbers may end with k, M or G. Prints one line. The exit code is 1 if an event was lost.
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/base/parse_number.h"
#include "tests/bench/recording_generator.h"

namespace {

int usage() {
  std::fputs(
      "usage: generate_recording OUT.runahead [--slices N] [--tracks N]\n"
      "       generate_recording OUT.runahead [--samples N] [--counters N] [--instants N] [--late-runs N]\n"
      "       generate_recording OUT.runahead --launches N [--streams N]\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace runahead;
  if (argc < 2 || argc % 2 != 0) return usage();
  bench::GeneratedRecording wanted;
  bench::GeneratedSamples samples;
  bench::LaunchTrace launches{.launches = 0};
  for (int i = 2; i < argc; i += 2) {
    const std::string_view word = argv[i];
    const std::optional<std::int64_t> value = parse_positive_bytes(argv[i + 1]);
    if (!value) return usage();
    if (word == "--slices") {
      wanted.slices = static_cast<std::uint64_t>(*value);
    } else if (word == "--tracks") {
      wanted.tracks = static_cast<int>(*value);
    } else if (word == "--samples") {
      samples.samples = static_cast<std::uint64_t>(*value);
    } else if (word == "--counters") {
      samples.counters = static_cast<int>(*value);
    } else if (word == "--instants") {
      samples.instants = static_cast<std::uint64_t>(*value);
    } else if (word == "--late-runs") {
      samples.late_runs = static_cast<std::uint64_t>(*value);
    } else if (word == "--launches") {
      launches.launches = *value;
    } else if (word == "--streams") {
      launches.streams = *value;
    } else {
      return usage();
    }
  }
  const bool slices = samples.samples == 0 && samples.instants == 0;
  const Result<bench::Generated> made = launches.launches > 0 ? bench::generate_launches(launches, argv[1])
                                        : slices              ? bench::generate_recording(wanted, argv[1])
                                                              : bench::generate_samples(samples, argv[1]);
  if (!made) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    return 1;
  }
  std::printf(
      "%s: %llu slices, %llu samples, %llu instants, %.1f MB, %.1f s, %.1f of them to end it, lost %llu\n",
      argv[1], static_cast<unsigned long long>(made->slices),
      static_cast<unsigned long long>(samples.samples), static_cast<unsigned long long>(samples.instants),
      static_cast<double>(made->bytes) / 1e6, made->seconds, made->ending_seconds,
      static_cast<unsigned long long>(made->lost));
  return made->lost == 0 ? 0 : 1;
}
