// Runs the fuzz target of Perfetto traces without a fuzzer, in every run of the tests. The inputs are files
// that once broke the importer, and mutations of the seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "tests/fuzz/mutation.h"
#include "tests/fuzz/perfetto_input.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::testing {
namespace {

TEST(PerfettoFuzz, MutatedFilesNeverBreakTheImporter) {
  Random random;
  const std::vector<std::string> seeds = seed_perfetto_files();
  for (int i = 0; i < rounds(6000); ++i) {
    const auto n = static_cast<std::size_t>(i);
    open_as_perfetto(as_bytes(mutated(seeds[n % seeds.size()], seeds[(n / 3) % seeds.size()], random)));
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
