// Runs the fuzz target of the link without a fuzzer, in every run of the tests, on mutations of good inputs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fuzz/link_input.h"
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/seed_recordings.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"

namespace runahead::testing {
namespace {

TEST(LinkFuzz, MutatedMessagesAndRecordingsNeverBreakTheReaders) {
  Random random;
  std::vector<std::string> seeds = link_seeds();
  for (int i = 0; i < rounds(1500); ++i) {
    const std::string& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
    const std::string input = mutated(seed, seeds.front(), random);
    read_from_peer(std::as_bytes(std::span(input)));
  }
}

}  // namespace
}  // namespace runahead::testing
