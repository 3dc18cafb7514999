// Runs the fuzz target of SQLite files without a fuzzer. The inputs are the seeds of the target, and
// mutations of them.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/mutation.h"
#include "tests/fuzz/sqlite_input.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"

namespace runahead::testing {
namespace {

// Bytes that have a meaning in a page: kinds of pages, and types of values.
constexpr std::string_view kTellingInPages{"\x00\x01\x02\x05\x06\x07\x08\x09\x0a\x0d\x13\x7f\x80\xff", 14};

TEST(SqliteFuzz, TheSeedsOpen) {
  for (const std::string& seed : sqlite_seeds()) open_as_sqlite(seed);
}

TEST(SqliteFuzz, MutatedFilesNeverBreakTheImporter) {
  Random random;
  const std::vector<std::string> seeds = sqlite_seeds();
  for (int i = 0; i < rounds(2000); ++i) {
    const std::string& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
    const std::string& other = seeds[static_cast<std::size_t>(i + 1) % seeds.size()];
    open_as_sqlite(mutated(seed, other, random, kTellingInPages));
  }
}

// A byte that was inserted or removed moves all pages after it. So most such files are refused at once. A
// file of the same length, with a header that fits, reaches more of the importer.
TEST(SqliteFuzz, FilesWithChangedBytesNeverBreakTheImporter) {
  Random random;
  const std::vector<std::string> seeds = sqlite_seeds();
  for (int i = 0; i < rounds(4000); ++i) {
    std::string bytes = seeds[static_cast<std::size_t>(i) % seeds.size()];
    for (std::int64_t changes = random.integer(1, 8); changes > 0; --changes) {
      const auto at =
          static_cast<std::size_t>(random.integer(100, static_cast<std::int64_t>(bytes.size()) - 1));
      const auto telling =
          static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(kTellingInPages.size()) - 1));
      bytes[at] =
          random.integer(0, 1) == 0 ? kTellingInPages[telling] : static_cast<char>(random.integer(0, 255));
    }
    open_as_sqlite(bytes);
  }
}

}  // namespace
}  // namespace runahead::testing
