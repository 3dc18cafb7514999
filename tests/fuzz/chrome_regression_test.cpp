// Runs the fuzz target of Chrome traces without a fuzzer. The inputs are the seeds of the target, inputs that
// once broke the importer, and mutations of both.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/fuzz/chrome_input.h"
#include "tests/fuzz/mutation.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"

namespace runahead::testing {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(RUNAHEAD_CHROME_CORPUS)) {
    if (entry.path().extension() != ".md") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const auto& path : paths) out.push_back(file_bytes(path));
  return out;
}

// Bytes that have a meaning in JSON.
constexpr std::string_view kTelling = "{}[]\",:\\0e-.\xff\n";

TEST(ChromeFuzz, TheCorpusOpens) {
  const std::vector<std::string> inputs = corpus();
  EXPECT_GE(inputs.size(), 9u);
  for (const std::string& input : inputs) open_as_chrome_json(input);
}

TEST(ChromeFuzz, MutatedFilesNeverBreakTheImporter) {
  Random random;
  const std::vector<std::string> seeds = corpus();
  for (int i = 0; i < rounds(3000); ++i) {
    const std::string& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
    const std::string& other = seeds[static_cast<std::size_t>(random.integer(0, seeds.size() - 1))];
    open_as_chrome_json(mutated(seed, other, random, kTelling));
  }
}

}  // namespace
}  // namespace runahead::testing
