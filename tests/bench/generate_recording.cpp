// generate_recording OUT [--slices N] [--tracks N]: a recording of N slices (10M) on N tracks (1), written by
// the recorder itself. Numbers may end with k, M or G. Prints one line; fails where something was lost.
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/base/parse_number.h"
#include "tests/bench/recording_generator.h"

namespace {

int usage() {
  std::fputs("usage: generate_recording OUT.runahead [--slices N] [--tracks N]\n", stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace runahead;
  if (argc < 2 || argc % 2 != 0) return usage();
  bench::GeneratedRecording wanted;
  for (int i = 2; i < argc; i += 2) {
    const std::string_view word = argv[i];
    const std::optional<std::int64_t> value = parse_positive_bytes(argv[i + 1]);
    if (!value || (word != "--slices" && word != "--tracks")) return usage();
    if (word == "--slices") wanted.slices = static_cast<std::uint64_t>(*value);
    if (word == "--tracks") wanted.tracks = static_cast<int>(*value);
  }
  const Result<bench::Generated> made = bench::generate_recording(wanted, argv[1]);
  if (!made) {
    std::fprintf(stderr, "%s\n", made.error().message.c_str());
    return 1;
  }
  std::printf("%s: %llu slices on %d tracks, %.1f MB, %.1f s, lost %llu\n", argv[1],
              static_cast<unsigned long long>(made->slices), wanted.tracks,
              static_cast<double>(made->bytes) / 1e6, made->seconds,
              static_cast<unsigned long long>(made->lost));
  return made->lost == 0 ? 0 : 1;
}
