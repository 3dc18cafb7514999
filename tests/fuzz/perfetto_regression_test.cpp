// The fuzz target of Perfetto traces without a fuzzer, in every run of the tests: inputs that once broke
// something, and mutations of the seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/fuzz/perfetto_input.h"
#include "tests/io/scratch_folder.h"
#include "tests/support/random.h"

namespace runahead::testing {
namespace {

std::string mutated(std::string bytes, const std::string& other, Random& random) {
  for (std::int64_t changes = random.integer(1, 6); changes > 0 && !bytes.empty(); --changes) {
    const auto place = [&](const std::string& in) {
      return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(in.size()) - 1));
    };
    const std::size_t at = place(bytes), length = static_cast<std::size_t>(random.magnitude(64));
    switch (random.integer(0, 3)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.integer(0, 7)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random.integer(0, 255));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      default:
        bytes.insert(at, other.substr(place(other), length));
        break;
    }
  }
  return bytes;
}

TEST(PerfettoFuzz, MutatedFilesNeverBreakTheImporter) {
  Random random;
  const std::vector<std::string> seeds = seed_perfetto_files();
  for (std::size_t i = 0; i < 6000; ++i) {
    open_as_perfetto(as_bytes(mutated(seeds[i % seeds.size()], seeds[(i / 3) % seeds.size()], random)));
  }
}

TEST(PerfettoFuzz, InputsThatOnceBrokeTheImporterNoLongerDo) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RUNAHEAD_FUZZ_REGRESSIONS)) {
    if (entry.path().extension() == ".md") continue;
    open_as_perfetto(as_bytes(file_bytes(entry.path())));
    ++files;
  }
  std::cout << files << " inputs\n";
}

}  // namespace
}  // namespace runahead::testing
