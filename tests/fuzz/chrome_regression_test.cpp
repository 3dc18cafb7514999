// The importer's fuzz target without a fuzzer: its seeds, inputs that once broke something, and mutations of
// both.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/fuzz/chrome_input.h"
#include "tests/io/scratch_folder.h"
#include "tests/support/random.h"

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

std::string mutated(std::string bytes, const std::string& other, Random& random) {
  static constexpr std::string_view kTelling = "{}[]\",:\\0e-.\xff\n";
  for (std::int64_t changes = random.integer(1, 5); changes > 0 && !bytes.empty(); --changes) {
    const auto place = [&](const std::string& in) {
      return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(in.size()) - 1));
    };
    const std::size_t at = place(bytes), length = static_cast<std::size_t>(random.magnitude(64));
    switch (random.integer(0, 3)) {
      case 0:
        bytes[at] = kTelling[static_cast<std::size_t>(random.integer(0, kTelling.size() - 1))];
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

TEST(ChromeFuzz, TheCorpusOpens) {
  const std::vector<std::string> inputs = corpus();
  EXPECT_GE(inputs.size(), 9u);
  for (const std::string& input : inputs) open_as_chrome_json(input);
}

TEST(ChromeFuzz, MutatedFilesNeverBreakTheImporter) {
  Random random;
  const std::vector<std::string> seeds = corpus();
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::string& other = seeds[static_cast<std::size_t>(random.integer(0, seeds.size() - 1))];
    open_as_chrome_json(mutated(seeds[i % seeds.size()], other, random));
  }
}

}  // namespace
}  // namespace runahead::testing
