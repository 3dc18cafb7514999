// Runs the fuzz target of HTTP requests without a fuzzer, in every run of the tests, on mutations of good
// requests.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fuzz/mutation.h"
#include "tests/fuzz/request_input.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"

namespace runahead::testing {
namespace {

TEST(RequestFuzz, NoMutatedRequestIsAllowedThatMustNotBe) {
  Random random;
  const std::string begin = " /" + std::string(kFuzzToken) + "/";
  const std::vector<std::string> seeds{
      "GET" + begin + "\nHost: 127.0.0.1:8000",
      "HEAD" + begin + "7/\nHost: localhost",
      "GET" + begin + "7/state\nHost: [::1]:80\nOrigin: http://[::1]:80",
      "GET" + begin + "12/recording\nAccept: */*\nHost: localhost:1\nContent-Length: 0",
  };
  for (int i = 0; i < rounds(200'000); ++i) {
    const std::string& seed = seeds[static_cast<std::size_t>(i) % seeds.size()];
    decide_about(mutated(seed, seeds.front(), random, "/.%:\n \0-[]0"));
  }
}

}  // namespace
}  // namespace runahead::testing
