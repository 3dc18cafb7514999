// Runs the fuzz target of CUPTI's records without a fuzzer, in every run of the tests, on mutations of a good
// recording.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/fuzz/cupti/cupti_input.h"
#include "tests/fuzz/mutation.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"

namespace runahead::testing {
namespace {

TEST(CuptiFuzz, AnyRecordsMakeBatchesThatKeepTheirRules) {
  Random random;
  const std::string good = good_cupti_input();
  decode_cupti_input(good);
  for (int i = 0; i < rounds(2000); ++i)
    decode_cupti_input(mutated(good, good, random, std::string_view{"\xff\xfe\0\x11\x10", 5}));
}

// Found by the fuzzer: a time that cannot be right overflowed when it was put on our clock.
TEST(CuptiFuzz, ATimeBeforeTheClocksBeginIsAnyTime) {
  decode_cupti_input({"\x3f\xfc\xff\xfc\x3a\x00\x10\xf4\x41\x00\x80\x00\x00\x00\x00\x00\xf4", 17});
}

}  // namespace
}  // namespace runahead::testing
