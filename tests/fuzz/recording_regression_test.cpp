// The fuzz target without a fuzzer, in every run of the tests: inputs that once broke something, and
// mutations of the seeds, those behind a sound checksum above all.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/fuzz/mutation.h"
#include "tests/fuzz/payload_patch.h"
#include "tests/fuzz/recording_input.h"
#include "tests/fuzz/seed_recordings.h"
#include "tests/io/scratch_folder.h"
#include "tests/support/random.h"

namespace runahead::testing {
namespace {

TEST(RecordingFuzz, MutatedFilesNeverBreakTheReader) {
  Random random;
  const std::vector<std::string> seeds = seed_recordings();
  for (int i = 0; i < 2000; ++i) {
    const std::string& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
    const std::string file = mutated(seed, seeds.front(), random);
    open_as_recording(as_bytes(file));
  }
}

TEST(RecordingFuzz, MutatedPayloadsBehindASoundChecksumNeverBreakTheReader) {
  Random random;
  std::vector<std::string> seeds;
  for (const std::string& file : seed_recordings()) seeds.push_back(payloads_of_recording(file));
  for (int i = 0; i < 6000; ++i) {
    const std::string& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
    const std::string payloads = mutated(seed, seeds.front(), random);
    open_as_recording(as_bytes(recording_from_payloads(as_bytes(payloads))));
  }
}

TEST(RecordingFuzz, InputsThatOnceBrokeTheReaderNoLongerDo) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RUNAHEAD_FUZZ_REGRESSIONS)) {
    const std::string input = file_bytes(entry.path());
    if (input.empty() || entry.path().extension() == ".md") continue;
    const std::string rest = input.substr(1);
    const bool payloads = (input[0] & 1) != 0;
    open_as_recording(as_bytes(payloads ? recording_from_payloads(as_bytes(rest)) : rest));
    ++files;
  }
  std::cout << files << " inputs\n";
}

}  // namespace
}  // namespace runahead::testing
